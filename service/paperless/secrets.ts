import { join } from 'node:path';
import { errorCode, isMissing } from '../../helpers/error-code.ts';
import { createFileReader, type FileReader } from '../../helpers/outside-files.ts';
import { whyUnreadable } from '../../helpers/plain-file.ts';

/** Undefined if the secret is not set. Throws a SecretError if it cannot be read. */
export type SecretReader = (name: string) => Promise<string | undefined>;

/** The message names the file, never the value. */
export class SecretError extends Error {
  override readonly name = 'SecretError';
}

/** Maximum size of a secret. A token has about 40 characters. */
const MAX_BYTES = 4096;

const REASONS: Readonly<Record<string, () => string>> = {
  EFBIG: () => 'is too large for a secret',
  ETIMEDOUT: () => 'did not answer in time: check the disk or the network share that it lies on',
  EACCES: () =>
    `is not readable for the service, uid ${process.getuid?.()}: run "docker compose up --detach", or change its owner or mode (EACCES)`,
};

/** Secrets that only the service writes. */
export interface OwnSecrets {
  readonly directory: string;
  readonly read: FileReader;
}

export const SECRET_NAME = /^[a-z0-9_]{1,64}$/;

/**
 * Reads a secret from the file `<directory>/<name>`, else from the environment variable NAME, else
 * from the service's own secrets. Trims white space; a blank value counts as not set. Reads on each
 * call, so that secrets can be changed without a restart.
 */
export function createSecretReader(sources: {
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly readFile?: FileReader;
  readonly own?: OwnSecrets | undefined;
}): SecretReader {
  const { directory, environment, own } = sources;
  const { readFile = createFileReader({ maxBytes: MAX_BYTES }) } = sources;
  return async (name) => {
    if (!SECRET_NAME.test(name)) {
      throw new SecretError('the name of a secret is made of a-z, 0-9 and _');
    }
    const value = await readSecretFile(join(directory, name), readFile);
    const given = value?.trim() || environment[name.toUpperCase()]?.trim();
    if (given || own === undefined) return given || undefined;
    return (await readSecretFile(join(own.directory, name), own.read))?.trim() || undefined;
  };
}

async function readSecretFile(path: string, readFile: FileReader): Promise<string | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    const code = errorCode(error);
    const reason = code === undefined ? undefined : REASONS[code]?.();
    throw new SecretError(`${path} ${reason ?? whyUnreadable(error)}`, { cause: error });
  }
}
