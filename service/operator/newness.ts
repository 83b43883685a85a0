import { readdir } from 'node:fs/promises';
import { isMissing } from '../../helpers/error-code.ts';
import { withTimeout } from '../../helpers/outside-files.ts';
import { SCAN_ID } from '../archive/scan-id.ts';
import { DEFAULT_TOKEN_SECRET } from '../paperless/destination.ts';
import { SECRET_NAME, type SecretReader } from '../paperless/secrets.ts';
import type { ProfileStore } from '../profiles/store.ts';
import type { OwnFiles } from '../settings/own-files.ts';
import type { SettingsStore } from '../settings/settings-store.ts';

export interface NewnessParts {
  readonly profiles: Pick<ProfileStore, 'list' | 'isShipped' | 'problems'>;
  readonly callerToken: { readonly required: () => { readonly state: string } };
  readonly settings: Pick<SettingsStore, 'current' | 'state'>;
  readonly readSecret: SecretReader;
  /** The operator's directory of secrets. */
  readonly secretsDir: string;
  readonly dmsUrl: string | undefined;
  /** The output directory, then others that profiles name or once named. */
  readonly roots: () => readonly string[];
  readonly files: Pick<OwnFiles, 'read' | 'create'>;
}

/** A file in SETTINGS_DIR that marks an appliance as used. */
const USED_FILE = 'used';

/**
 * True for a new appliance, which has nothing to protect: no destination, own profile, caller
 * token, settings or scan. False if a file cannot be read. A used appliance never counts as new
 * again, even after a restart, when the share with its scans may be unmounted.
 */
export function createNewness(parts: NewnessParts): () => Promise<boolean> {
  const listScans = withTimeout(hasScans);
  const listTokens = withTimeout(tokensIn);
  let wasUsed = false;

  async function isUsed(): Promise<boolean | 'unknown'> {
    if (hasSettings(parts) || (await hasToken(parts, listTokens))) return true;
    if (!isReadable(parts)) return 'unknown';
    for (const root of parts.roots()) {
      const found = await listScans(root).catch(() => 'unknown' as const);
      if (found !== false) return found;
    }
    return false;
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

function hasSettings({ profiles, callerToken, settings, dmsUrl, roots }: NewnessParts): boolean {
  return (
    dmsUrl !== undefined ||
    // No shipped profile names a directory, so another one had scans, which may be unmounted.
    roots().length > 1 ||
    callerToken.required().state === 'readable' ||
    Object.keys(settings.current()).length > 0 ||
    profiles.list().some(({ name }) => !profiles.isShipped(name))
  );
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

async function hasToken(
  { readSecret, secretsDir }: NewnessParts,
  list: typeof tokensIn,
): Promise<boolean> {
  try {
    for (const name of [DEFAULT_TOKEN_SECRET, ...(await list(secretsDir))]) {
      if ((await readSecret(name)) !== undefined) return true;
    }
    return false;
  } catch {
    return true;
  }
}

/** Profiles may name tokens of their own, and may not be mounted. Other secrets are not ours. */
async function tokensIn(directory: string): Promise<string[]> {
  try {
    const names = await readdir(directory);
    return names.filter((name) => name.endsWith('_token') && SECRET_NAME.test(name));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function hasScans(root: string): Promise<boolean> {
  try {
    return (await readdir(root)).some((name) => SCAN_ID.test(name));
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
