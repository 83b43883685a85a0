import path from 'node:path';
import { load } from 'js-yaml';
import { errorCode } from '../../helpers/error-code.ts';
import { createFileReader } from '../../helpers/outside-files.ts';
import { UnreadableFile } from '../../helpers/plain-file.ts';
import { DEFAULT_TOKEN_SECRET } from '../../service/paperless/destination.ts';
import { SECRET_NAME } from '../../service/paperless/secrets.ts';
import { CALLER_TOKEN_SECRET } from '../../service/set-up/caller-token.ts';
import { fieldsOf, textIn, type Fields } from '../../service/set-up/fields.ts';
import type { Places } from './places.ts';
import { SetUpError } from './set-up-error.ts';

export interface Earlier {
  /** Undefined if the file is missing or not valid YAML. */
  readonly profile: Fields | undefined;
  /** The profile's first destination. */
  readonly destination: Fields;
  /** The name of the destination's secret, and its token. */
  readonly tokenSecret: string;
  readonly token: string | undefined;
  readonly callerToken: string | undefined;
  /** A setting in `.env`. */
  readonly setting: (name: string) => string | undefined;
}

/** Reads what exists of profile, settings and tokens. */
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
    callerToken: await secret(CALLER_TOKEN_SECRET),
    setting: (name) => settingIn(settings, name),
  };
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
    // A file with a mistake is copied before it is replaced.
    return undefined;
  }
}
