import { randomBytes } from 'node:crypto';
import { link, open, rename, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';

/**
 * Readers see the old or the new content, even after a power cut. On errors, the old file stays.
 */
export function writeAtomically(file: string, content: string, mode?: number): Promise<void> {
  return replaceFile(file, (handle) => handle.writeFile(content), mode);
}

/** Returns what `write` returns. If `write` rejects, no temporary file stays. */
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

/** Rejects with EEXIST if the file exists. If several processes try, one succeeds. */
export async function createAtomically(file: string, content: string, mode: number): Promise<void> {
  const temporary = temporaryName(file);
  try {
    await writeAndSync(temporary, (handle) => handle.writeFile(content), mode);
    await link(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
  await syncDirectory(path.dirname(file));
}

async function writeAndSync<Written>(
  file: string,
  write: (handle: FileHandle) => Promise<Written>,
  mode: number,
): Promise<Written> {
  const handle = await open(file, 'wx+', mode);
  try {
    const written = await write(handle);
    await handle.sync();
    return written;
  } finally {
    await handle.close();
  }
}

/** Returns a new name next to the file, for content that will be renamed to it. */
export function temporaryName(file: string): string {
  return `${file}.${randomBytes(6).toString('hex')}${TEMPORARY_SUFFIX}`;
}

const TEMPORARY_SUFFIX = '.tmp';

/** Matches temporary files. When a scan is opened, those of a killed service are removed. */
export const TEMPORARY_FILE = /.\.[0-9a-f]{12}\.tmp$/;

/** Makes renamed files survive a power cut. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
