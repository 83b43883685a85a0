import path from 'node:path';
import { load } from 'js-yaml';
import { errorCode } from '../../helpers/error-code.ts';
import { createFileReader } from '../../helpers/outside-files.ts';
import { UnreadableFile } from '../../helpers/plain-file.ts';
import { DEFAULT_TOKEN_SECRET } from '../../service/paperless/destination.ts';
import { SECRET_NAME } from '../../service/paperless/secrets.ts';
import { CALLER_TOKEN_SECRET } from '../../service/set-up/caller-token.ts';
import { fieldsOf, textIn, type Fields } from '../../service/set-up/fields.ts';
import { createOwnFiles, type OwnFiles } from '../../service/settings/own-files.ts';
import { parseSettings, SETTINGS_FILE, type Settings } from '../../service/settings/settings.ts';
import type { Places } from './places.ts';
import { SetUpError } from './set-up-error.ts';

export interface Earlier {
  /** Undefined if the file is missing or not valid YAML. */
  readonly profile: Fields | undefined;
  /** The profile's device and languages, or else those chosen in the browser. */
  readonly device: string | undefined;
  readonly languages: readonly string[] | undefined;
  /** The profile's first destination. */
  readonly destination: Fields;
  /** The name of the destination's secret, and its token. */
  readonly tokenSecret: string;
  readonly token: string | undefined;
  readonly callerToken: string | undefined;
  /** A setting in `.env`, or else the one made in the browser. */
  readonly setting: (name: string) => string | undefined;
}

/** Reads what exists of profile, settings and tokens, including those that the service wrote. */
export async function readEarlier(places: Places, profileName: string): Promise<Earlier> {
  const own = createOwnFiles(places.own);
  const chosen = await readChosen(own);
  const made: Readonly<Record<string, string | undefined>> = {
    DMS_URL: chosen.dms_url,
    TZ: chosen.time_zone,
  };
  const secret = async (name: string): Promise<string | undefined> =>
    (await readOrEmpty(path.join(places.secrets, name))).trim() ||
    (await own.read(`secrets/${name}`).catch(() => '')).trim() ||
    undefined;
  const settings = await readOrEmpty(places.settings);
  const profile = parsed(await readOrEmpty(profileFile(places, profileName)));
  const [first] = Array.isArray(profile?.['destinations']) ? profile['destinations'] : [];
  const destination = fieldsOf(first) ?? {};
  const named = textIn(destination, 'token_secret') ?? '';
  const tokenSecret = SECRET_NAME.test(named) ? named : DEFAULT_TOKEN_SECRET;
  const languages = fieldsOf(profile?.['processing'])?.['languages'];
  return {
    profile,
    device: textIn(profile, 'device') ?? chosen.scanner?.device,
    languages: Array.isArray(languages) ? languages.map(String) : chosen.languages,
    destination,
    tokenSecret,
    token: await secret(tokenSecret),
    callerToken: await secret(CALLER_TOKEN_SECRET),
    setting: (name) => settingIn(settings, name) ?? made[name],
  };
}

/** None if they cannot be read: the service reports that. */
async function readChosen(own: OwnFiles): Promise<Settings> {
  try {
    return parseSettings(await own.read(SETTINGS_FILE));
  } catch {
    return {};
  }
}

export function profileFile({ profiles }: Places, name: string): string {
  return path.join(profiles, `${name}.yaml`);
}

const MAX_BYTES = 1024 * 1024;

/** Empty for a missing file. Throws a SetUpError unless it is a plain file. */
export async function readOrEmpty(file: string): Promise<string> {
  try {
    return await createFileReader({ maxBytes: MAX_BYTES })(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    if (error instanceof UnreadableFile) throw new SetUpError(`${file} ${error.message}.`);
    throw error;
  }
}

function settingIn(text: string, name: string): string | undefined {
  return new RegExp(`^${name}=(.*)$`, 'mu').exec(text)?.[1]?.trim() || undefined;
}

function parsed(text: string): Fields | undefined {
  try {
    return fieldsOf(load(text, { maxAliases: 0 }));
  } catch {
    // An invalid file counts as missing. It is backed up before it is replaced.
    return undefined;
  }
}
