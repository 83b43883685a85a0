import path from 'node:path';
import { load } from 'js-yaml';
import { errorCode } from '../../helpers/error-code.ts';
import { createFileReader } from '../../helpers/outside-files.ts';
import { UnreadableFile } from '../../helpers/plain-file.ts';
import { DEFAULT_TOKEN_SECRET } from '../../service/paperless/destination.ts';
import { SECRET_NAME } from '../../service/paperless/secrets.ts';
import { fieldsOf, textIn, type Fields } from '../../service/set-up/fields.ts';
import type { Places } from './places.ts';
import { SetUpError } from './set-up-error.ts';

/** The secret that callers of the service must send. */
export const CALLER_TOKEN = 'scan_api_token';

/** What an earlier set-up wrote, or a person: the answers to begin with. */
export interface Earlier {
  /** The profile of that name, as its file has it; undefined where there is none, or none that can be read as YAML. */
  readonly profile: Fields | undefined;
  /** The first destination of that profile. */
  readonly destination: Fields;
  /** The secret that holds the token of that destination, and the token. */
  readonly tokenSecret: string;
  readonly token: string | undefined;
  readonly callerToken: string | undefined;
  /** A setting in `.env`. */
  readonly setting: (name: string) => string | undefined;
}

/** Reads profile, settings and tokens. Missing files are missing answers. */
export async function readEarlier(places: Places, profileName: string): Promise<Earlier> {
  const secret = async (name: string): Promise<string | undefined> =>
    (await readOrEmpty(path.join(places.secrets, name))).trim() || undefined;
  const settings = await readOrEmpty(places.settings);
  const profile = parsed(await readOrEmpty(profileFile(places, profileName)));
  const [first] = Array.isArray(profile?.['destinations']) ? profile['destinations'] : [];
  const destination = fieldsOf(first) ?? {};
  const named = textIn(destination, 'token_secret') ?? '';
  const tokenSecret = SECRET_NAME.test(named) ? named : DEFAULT_TOKEN_SECRET;
  return {
    profile,
    destination,
    tokenSecret,
    token: await secret(tokenSecret),
    callerToken: await secret(CALLER_TOKEN),
    setting: (name) => settingIn(settings, name),
  };
}

/** The file of the profile of that name. */
export function profileFile({ profiles }: Places, name: string): string {
  return path.join(profiles, `${name}.yaml`);
}

/** Larger files are no settings. */
const MAX_BYTES = 1024 * 1024;

/** The text of a file; empty if there is none. Throws a SetUpError for what is no plain file. */
export async function readOrEmpty(file: string): Promise<string> {
  try {
    return await createFileReader({ maxBytes: MAX_BYTES })(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    if (error instanceof UnreadableFile) throw new SetUpError(`${file} ${error.message}.`);
    throw error;
  }
}

/** A setting in the text of a `.env` file, if it is set. */
function settingIn(text: string, name: string): string | undefined {
  return new RegExp(`^${name}=(.*)$`, 'mu').exec(text)?.[1]?.trim() || undefined;
}

function parsed(text: string): Fields | undefined {
  try {
    return fieldsOf(load(text, { maxAliases: 0 }));
  } catch {
    // It is a mistake in the file: a copy of it stays beside the new one.
    return undefined;
  }
}
