import { isMissing } from '../../helpers/error-code.ts';
import { DEFAULT_TOKEN_SECRET } from '../paperless/destination.ts';
import type { ProfileStore } from '../profiles/store.ts';
import type { OwnFiles } from '../settings/own-files.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { createTraces, type Trace, type TraceParts } from './traces.ts';

export interface NewnessParts extends Omit<TraceParts, 'ownDirs'> {
  readonly profiles: Pick<ProfileStore, 'list' | 'isShipped' | 'problems'>;
  readonly callerToken: { readonly required: () => { readonly state: string } };
  readonly settings: Pick<SettingsStore, 'current' | 'state'>;
  /** Set variables that only an operator sets, such as DMS_URL. */
  readonly operatorsVariables: readonly string[];
  readonly savedProfilesDir: string;
  readonly files: Pick<OwnFiles, 'root' | 'read' | 'create'>;
}

/** A file in SETTINGS_DIR that marks an appliance as used. */
const USED_FILE = 'used';

/**
 * True for a new appliance, which has nothing to protect: nothing that the operator set, no profile,
 * secret, settings or scan. False if something cannot be read. A used appliance never counts as new
 * again, even after a restart, when the share with its scans may be unmounted.
 */
export function createNewness(parts: NewnessParts): () => Promise<boolean> {
  const traces = createTraces({ ...parts, ownDirs: [parts.files.root, parts.savedProfilesDir] });
  let wasUsed = false;

  async function isUsed(): Promise<boolean | 'unknown'> {
    if (isSetUp(parts)) return true;
    const looks = [tokenOf(parts), ...traces()];
    const found = await Promise.all(looks.map((look) => look().catch(() => 'unknown' as const)));
    if (found.includes(true)) return true;
    return isReadable(parts) && !found.includes('unknown') ? false : 'unknown';
  }

  return async () => {
    if (wasUsed || (await hasMarker(parts))) return false;
    const used = await isUsed();
    wasUsed = used === true;
    if (wasUsed) await mark(parts);
    return used === false;
  };
}

/** A marker that cannot be read counts too. */
async function hasMarker({ files }: NewnessParts): Promise<boolean> {
  try {
    await files.read(USED_FILE);
    return true;
  } catch (error) {
    return !isMissing(error);
  }
}

/** Ignores errors: without writable settings, nobody can set up the appliance in the browser. */
async function mark({ files }: NewnessParts): Promise<void> {
  const text =
    'This appliance was set up once. Remove SETTINGS_DIR to set it up again as a new one.';
  await files.create(USED_FILE, `${text}\n`).catch(() => {});
}

function isSetUp(parts: NewnessParts): boolean {
  const { profiles, callerToken, settings, operatorsVariables, roots } = parts;
  return (
    operatorsVariables.length > 0 ||
    // No shipped profile names a directory, so another one had scans, which may be unmounted.
    roots().length > 1 ||
    callerToken.required().state === 'readable' ||
    Object.keys(settings.current()).length > 0 ||
    profiles.list().some(({ name }) => !profiles.isShipped(name))
  );
}

/** Also found in a directory that cannot be listed. */
function tokenOf({ readSecret }: NewnessParts): Trace {
  return async () => (await readSecret(DEFAULT_TOKEN_SECRET)) !== undefined;
}

/** True if every profile and the settings could be read. */
function isReadable({ profiles, callerToken, settings }: NewnessParts): boolean {
  return (
    // Counts problems too, because without an address of Paperless-ngx, no shipped profile loads.
    profiles.list().length + profiles.problems().length > 0 &&
    profiles.problems().every(({ isShipped }) => isShipped === true) &&
    callerToken.required().state === 'none' &&
    settings.state().kind === 'none'
  );
}
