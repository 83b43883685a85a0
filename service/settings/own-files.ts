import { constants } from 'node:fs';
import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { errorCode, isMissing, messageOf } from '../../helpers/error-code.ts';
import { createFileReader, withTimeout, type FileReader } from '../../helpers/outside-files.ts';
import { readPlainFile, UnreadableFile, whyUnreadable } from '../../helpers/plain-file.ts';
import { checkWritable } from '../storage/check-writable.ts';
import { makeDirectory } from '../storage/make-directory.ts';
import { createTimedTurns, withinTenSeconds, type ChangeLimit } from '../storage/timed-turns.ts';
import {
  createAtomically,
  syncDirectory,
  TEMPORARY_FILE,
  writeAtomically,
} from '../storage/write-atomically.ts';

/**
 * The files in SETTINGS_DIR. Only the service writes them. Only SETTINGS_DIR may be a link. On a
 * hung disk, every call rejects with `UnreadableFile` `ETIMEDOUT` after ten seconds.
 */
export interface OwnFiles {
  readonly root: string;
  readonly pathOf: (name: string) => string;
  /** Rejects with `UnreadableFile` or the file system's error. */
  readonly read: (name: string) => Promise<string>;
  /** Reads a file by its whole path. */
  readonly readFile: FileReader;
  /** Replaces a file atomically and durably. */
  readonly write: (name: string, text: string) => Promise<void>;
  /** Creates a file atomically and durably. Rejects with EEXIST if it exists. */
  readonly create: (name: string, text: string) => Promise<void>;
  /** Removes a file durably, if there is one. Rejects with the file system's error. */
  readonly remove: (name: string) => Promise<void>;
  /** Rejects unless files can be written, or SETTINGS_DIR can be created. */
  readonly check: () => Promise<void>;
}

/** Explains an error. The text continues a sentence that starts with the name of the file. */
export function whyUnusable(error: unknown): string {
  // An error without a code comes from our own parser.
  return errorCode(error) === undefined ? messageOf(error) : whyUnreadable(error);
}

const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;

/** Nobody is still writing a temporary file that is older than this. */
const LEFTOVER_MS = 10 * 60_000;

/** Settings are never this long. */
const MAX_BYTES = 256 * 1024;

export function createOwnFiles(
  root: string,
  timeoutMs?: number,
  limit: ChangeLimit = withinTenSeconds,
): OwnFiles {
  const pathOf = (name: string): string => path.join(root, name);
  const inTurn = createTimedTurns(limit, hung);
  const checkRoot = withTimeout((place) => checkWritable(place, constants.R_OK), timeoutMs);

  const read = createFileReader({
    maxBytes: MAX_BYTES,
    timeoutMs,
    read: async (file, maxBytes) => {
      await checkParent(file, root);
      return readPlainFile(file, maxBytes, { follow: false }).catch((error: unknown) => {
        throw errorCode(error) === 'ELOOP' ? linkAt() : error;
      });
    },
  });
  const writing =
    (write: typeof createAtomically) =>
    (name: string, text: string): Promise<void> =>
      inTurn(async () => {
        const file = pathOf(name);
        await prepareParent(file, root);
        await write(file, text, FILE_MODE);
      });
  return {
    root,
    pathOf,
    read: (name) => read(pathOf(name)),
    readFile: read,
    write: writing(writeAtomically),
    create: writing(createAtomically),
    remove: (name) => inTurn(() => removeFile(pathOf(name), root)),
    check: () => checkRoot(root),
  };
}

async function checkParent(file: string, root: string): Promise<void> {
  const directory = path.dirname(file);
  if (directory !== root && (await lstat(directory)).isSymbolicLink()) throw linkAt();
}

async function prepareParent(file: string, root: string): Promise<void> {
  const directory = path.dirname(file);
  for (const one of directory === root ? [root] : [root, directory]) await prepareDirectory(one);
  await checkParent(file, root);
  await removeLeftovers(directory);
}

async function removeFile(file: string, root: string): Promise<void> {
  try {
    await checkParent(file, root);
    await rm(file);
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  await syncDirectory(path.dirname(file));
}

async function prepareDirectory(directory: string): Promise<void> {
  const parent = path.dirname(directory);
  try {
    await makeDirectory(parent);
    await mkdir(directory, { mode: DIRECTORY_MODE });
    await syncDirectory(parent);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

/** Removes old temporary files. Another process may be writing a newer one. */
async function removeLeftovers(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter((file) => TEMPORARY_FILE.test(file));
  for (const file of names.map((name) => path.join(directory, name))) {
    const found = await lstat(file).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > LEFTOVER_MS) await rm(file, { force: true });
  }
}

function linkAt(): UnreadableFile {
  return new UnreadableFile('EFTYPE', 'is a link, or in a directory that is one');
}

function hung(): never {
  throw new UnreadableFile('ETIMEDOUT', 'did not answer in time');
}
