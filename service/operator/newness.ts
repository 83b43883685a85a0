import { readdir } from 'node:fs/promises';
import { isMissing } from '../../helpers/error-code.ts';
import { withTimeout } from '../../helpers/outside-files.ts';
import { SCAN_ID } from '../archive/scan-id.ts';
import { DEFAULT_TOKEN_SECRET } from '../paperless/destination.ts';
import type { SecretReader } from '../paperless/secrets.ts';
import type { ProfileStore } from '../profiles/store.ts';
import type { SettingsStore } from '../settings/settings-store.ts';

export interface NewnessParts {
  readonly profiles: Pick<ProfileStore, 'list' | 'isShipped' | 'problems'>;
  readonly callerToken: { readonly required: () => { readonly state: string } };
  readonly settings: Pick<SettingsStore, 'current' | 'state'>;
  readonly readSecret: SecretReader;
  readonly dmsUrl: string | undefined;
  readonly roots: () => readonly string[];
}

/**
 * True if there is nothing to protect: no destination, own profile, caller token, settings or scan.
 * False if a file cannot be read. Once something was found, false until a restart, because a share
 * may be unmounted.
 */
export function createNewness(parts: NewnessParts): () => Promise<boolean> {
  const listScans = withTimeout(hasScans);
  let wasUsed = false;

  return async () => {
    if (wasUsed) return false;
    wasUsed = hasSettings(parts) || (await hasToken(parts));
    if (wasUsed || !isReadable(parts)) return false;
    for (const root of parts.roots()) {
      const found = await listScans(root).catch(() => undefined);
      if (found !== false) {
        wasUsed = found === true;
        return false;
      }
    }
    return true;
  };
}

function hasSettings({ profiles, callerToken, settings, dmsUrl }: NewnessParts): boolean {
  return (
    dmsUrl !== undefined ||
    callerToken.required().state === 'readable' ||
    Object.keys(settings.current()).length > 0 ||
    profiles.list().some(({ name }) => !profiles.isShipped(name))
  );
}

/** True if every profile and the settings could be read. */
function isReadable({ profiles, callerToken, settings }: NewnessParts): boolean {
  return (
    profiles.list().length > 0 &&
    profiles.problems().every(({ isShipped }) => isShipped === true) &&
    callerToken.required().state === 'none' &&
    settings.state().kind === 'none'
  );
}

async function hasToken({ readSecret }: NewnessParts): Promise<boolean> {
  try {
    return (await readSecret(DEFAULT_TOKEN_SECRET)) !== undefined;
  } catch {
    return true;
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
