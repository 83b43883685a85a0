import { statfs } from 'node:fs/promises';

/** Bytes free for this user on the file system of a directory. */
export async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}
