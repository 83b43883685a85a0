import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../helpers/error-code.ts';

/** Gives the value of a secret, undefined when there is none; throws a SecretError when it cannot be read. */
export type SecretReader = (name: string) => Promise<string | undefined>;

/** A secret that is there and cannot be read. The message names its file, and never its value. */
export class SecretError extends Error {
  override readonly name = 'SecretError';
}

/** A token has some 40 characters; a file beyond this is something else. */
const MAX_BYTES = 4096;

/** What is wrong with a secret file, by the code of the file system's error. */
const REASONS: Readonly<Record<string, () => string>> = {
  // Docker makes a directory where a file to be mounted is missing on the host.
  EISDIR: () => 'is a directory',
  EACCES: () =>
    `is not readable for the service, uid ${process.getuid?.()}: run "docker compose up --detach", or change its owner or mode (EACCES)`,
};

export const SECRET_NAME = /^[a-z0-9_]{1,64}$/;

/**
 * Reads secrets each time they are asked for, so they can be changed while the service runs: first the file
 * `<directory>/<name>`, then the environment variable of the name in upper case. White space around the value is no part
 * of it; a blank value counts as none.
 */
export function createSecretReader(sources: {
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}): SecretReader {
  return async (name) => {
    if (!SECRET_NAME.test(name)) {
      throw new SecretError('the name of a secret is made of a-z, 0-9 and _');
    }
    const value = await readSecretFile(join(sources.directory, name));
    return value?.trim() || sources.environment[name.toUpperCase()]?.trim() || undefined;
  };
}

async function readSecretFile(path: string): Promise<string | undefined> {
  const buffer = Buffer.alloc(MAX_BYTES + 1);
  let bytes = 0;
  try {
    await using file = await open(path, 'r');
    bytes = (await file.read(buffer)).bytesRead;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    const reason = code === undefined ? undefined : REASONS[code]?.();
    throw new SecretError(`${path} ${reason ?? `cannot be read (${code})`}`, { cause: error });
  }
  if (bytes > MAX_BYTES) throw new SecretError(`${path} is too large for a secret`);
  return buffer.toString('utf8', 0, bytes);
}
