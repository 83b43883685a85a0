import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/**
 * Replaces a file whole: temporary file, fsync, rename, fsync of the directory. A reader, or a machine that lost its
 * power, sees the old content or the new, never a part. Rejects with the file system's error; the old file is then untouched.
 */
export async function writeAtomically(file: string, content: string): Promise<void> {
  const temporary = `${file}.tmp`;
  try {
    const handle = await open(temporary, 'w');
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(path.dirname(file));
}

/** Makes the names in a directory durable: a renamed file survives a power cut only after this. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
