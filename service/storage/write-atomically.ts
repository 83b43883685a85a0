import { randomBytes } from 'node:crypto';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';

/**
 * Replaces a file whole: temporary file, fsync, rename, fsync of the directory. A reader, or a machine that lost its
 * power, sees the old content or the new, never a part. Rejects with the file system's error; the old file is then untouched.
 */
export function writeAtomically(file: string, content: string, mode?: number): Promise<void> {
  return replaceFile(file, (handle) => handle.writeFile(content), mode);
}

/** The same with what `write` writes. Resolves with what that comes to; rejects with what it throws, and leaves nothing then. */
export async function replaceFile<Written>(
  file: string,
  write: (handle: FileHandle) => Promise<Written>,
  mode: number = 0o666,
): Promise<Written> {
  const temporary = temporaryName(file);
  try {
    const written = await writeAndSync(temporary, write, mode);
    await rename(temporary, file);
    await syncDirectory(path.dirname(file));
    return written;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function writeAndSync<Written>(
  file: string,
  write: (handle: FileHandle) => Promise<Written>,
  mode: number,
): Promise<Written> {
  const handle = await open(file, 'wx', mode);
  try {
    const written = await write(handle);
    await handle.sync();
    return written;
  } finally {
    await handle.close();
  }
}

/** A name beside a file that no other writer uses, for what is to be renamed to it. */
export function temporaryName(file: string): string {
  return `${file}.${randomBytes(6).toString('hex')}${TEMPORARY_SUFFIX}`;
}

/** End of the names of temporary files. */
const TEMPORARY_SUFFIX = '.tmp';

/** A name that `temporaryName` gave; what a killed service left of them is removed when the scan is opened again. */
export const TEMPORARY_FILE = /.\.[0-9a-f]{12}\.tmp$/;

/** Makes the names in a directory durable: a renamed file survives a power cut only after this. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
