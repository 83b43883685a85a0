import { lstat, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../helpers/error-code.ts';
import { withTimeout } from '../../helpers/outside-files.ts';
import { KNOWN_ROOTS_FILE } from '../archive/known-roots.ts';
import { SCAN_ID } from '../archive/scan-id.ts';
import { SECRET_NAME, type SecretReader } from '../paperless/secrets.ts';
import { TEMPORARY_FILE } from '../storage/write-atomically.ts';

/** What an earlier use of the appliance left in its directories. */
export interface TraceParts {
  readonly readSecret: SecretReader;
  /** The operator's directory of secrets. */
  readonly secretsDir: string;
  /** The operator's directories of profiles. */
  readonly profilesDirs: readonly string[];
  /** The directories of settings and of saved profiles, which the service creates when needed. */
  readonly ownDirs: readonly string[];
  /** The output directory, then others that profiles name or once named. */
  readonly roots: () => readonly string[];
}

/** Resolves with true if there is a trace. Rejects if the directory cannot be read. */
export type Trace = () => Promise<boolean>;

/** Editors and people keep profiles under such names too: `.mine.yaml.swp`, `mine.yaml.old`. */
const PROFILE = /\.ya?ml/iu;

/** Made by the file system, or by a claim that was interrupted. */
const isLeftover = (name: string): boolean => name === 'lost+found' || TEMPORARY_FILE.test(name);

/**
 * Returns a list, so that one unreadable directory does not hide the traces in the others. A
 * missing directory may be an unmounted one, so only those may be missing that the service creates.
 */
export function createTraces(parts: TraceParts): () => readonly Trace[] {
  const { secretsDir, ownDirs, profilesDirs, readSecret, roots } = parts;
  const list = withTimeout((directory) => readdir(directory));
  const listFiles = withTimeout(secretsIn);
  const listOwn = withTimeout(ownFilesIn);

  async function hasSecret(): Promise<boolean> {
    for (const name of await listFiles(secretsDir)) {
      if ((await readSecret(name)) !== undefined) return true;
    }
    return false;
  }

  const hasName =
    (directory: string, isTrace: (name: string) => boolean): Trace =>
    async () =>
      (await list(directory)).some(isTrace);

  return () => [
    ...ownDirs.map(
      (directory) => async () => (await listOwn(directory)).some((name) => !isLeftover(name)),
    ),
    hasSecret,
    ...profilesDirs.map((directory) => hasName(directory, (name) => PROFILE.test(name))),
    ...roots().map((root) =>
      hasName(root, (name) => SCAN_ID.test(name) || name === KNOWN_ROOTS_FILE),
    ),
  ];
}

/** Leaves out directories, such as Podman's /run/secrets/rhsm. Rejects for a broken link. */
async function secretsIn(directory: string): Promise<string[]> {
  const names: string[] = [];
  for (const name of (await readdir(directory)).filter((one) => SECRET_NAME.test(one))) {
    if (!(await stat(path.join(directory, name))).isDirectory()) names.push(name);
  }
  return names;
}

async function ownFilesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || (await isThere(directory))) throw error;
    await readdir(path.dirname(directory));
    return [];
  }
}

/** True also for a link that leads nowhere. */
function isThere(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}
