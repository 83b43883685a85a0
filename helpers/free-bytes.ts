import { statfs } from 'node:fs/promises';

/** Bytes available to this user on the directory's file system. */
export async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}
