import { chmod, chown, lstat, readdir } from 'node:fs/promises';
import path from 'node:path';

/** User and group that all containers run as (Dockerfile.*). */
export const CONTAINER_ID = 10001;

const GROUP = { read: 0o040, enter: 0o050 } as const;
const OTHERS = { read: 0o004, enter: 0o005 } as const;

/**
 * Lets the group of the containers read a file, or a directory with everything in it; the owner stays. What everyone may read
 * anyway is left unchanged. Needs root. Returns the paths that were changed.
 */
export async function letContainersRead(target: string): Promise<string[]> {
  const found = await lstat(target);
  if (!found.isDirectory() && !found.isFile()) return [];
  const right = found.isDirectory() ? 'enter' : 'read';
  const changed: string[] = [];
  const readable =
    (found.mode & OTHERS[right]) === OTHERS[right] ||
    (found.gid === CONTAINER_ID && (found.mode & GROUP[right]) === GROUP[right]);
  if (!readable) {
    await chown(target, found.uid, CONTAINER_ID);
    await chmod(target, (found.mode & 0o7777) | GROUP[right]);
    changed.push(target);
  }
  if (!found.isDirectory()) return changed;
  for (const name of await readdir(target)) {
    changed.push(...(await letContainersRead(path.join(target, name))));
  }
  return changed;
}

/**
 * Gives a directory of root, as Docker makes one that is missing, to the containers' user, for its group and itself only; an empty
 * one of somebody else to the containers' group. Returns whether the containers' user can write to it now.
 */
export async function giveToContainers(directory: string): Promise<boolean> {
  const { uid, gid, mode } = await lstat(directory);
  if (uid === CONTAINER_ID) return true;
  if (uid !== 0) {
    const asGroup = gid === CONTAINER_ID && (mode & 0o070) === 0o070;
    if (asGroup || (mode & 0o007) === 0o007) return true;
    if ((await readdir(directory)).length > 0) return false;
    await chown(directory, uid, CONTAINER_ID);
    await chmod(directory, (mode & 0o7777) | 0o070);
    return true;
  }
  await chown(directory, CONTAINER_ID, CONTAINER_ID);
  await chmod(directory, 0o750);
  return true;
}
