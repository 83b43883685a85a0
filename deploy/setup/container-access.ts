import { constants } from 'node:fs';
import { chmod, chown, lstat, open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../helpers/error-code.ts';
import { SCAN_ID } from '../../service/archive/scan-id.ts';

/** User and group of all containers (Dockerfile.*). */
export const CONTAINER_ID = 10001;

const GROUP = { read: 0o040, enter: 0o050 } as const;
const OTHERS = { read: 0o004, enter: 0o005 } as const;

/**
 * Lets the containers' group read a file, or a directory with its contents. Keeps the owner and
 * everyone else's permissions. Needs root. Returns the changed paths.
 */
export async function letContainersRead(target: string): Promise<string[]> {
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
  // Changes the file that was examined, even if another one takes its name.
  const handle = await open(target, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
    // `target` is a link (ELOOP) or a socket (ENXIO).
    if (['ELOOP', 'ENXIO'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  });
  if (handle === undefined) return [];
  const changed: string[] = [];
  try {
    const found = await handle.stat();
    if (!found.isDirectory() && !found.isFile()) return [];
    const right = found.isDirectory() ? 'enter' : 'read';
    const readable =
      (found.mode & OTHERS[right]) === OTHERS[right] ||
      (found.gid === CONTAINER_ID && (found.mode & GROUP[right]) === GROUP[right]);
    if (!readable) {
      await handle.chown(found.uid, CONTAINER_ID);
      await handle.chmod((found.mode & 0o7777) | GROUP[right]);
      changed.push(target);
    }
    if (!found.isDirectory()) return changed;
  } finally {
    await handle.close();
  }
  for (const name of await readdir(target)) {
    changed.push(...(await letContainersRead(path.join(target, name))));
  }
  return changed;
}

/**
 * Gives a directory of root, as Docker creates them, to the containers' user, and any other to the
 * containers' group. Leaves directories unchanged that hold anything but scans. Returns true if the
 * containers' user can now write to it.
 */
export async function giveToContainers(directory: string): Promise<boolean> {
  const { uid, gid, mode } = await lstat(directory);
  if (uid === CONTAINER_ID) return true;
  const asGroup = gid === CONTAINER_ID && (mode & 0o070) === 0o070;
  if (asGroup || (mode & 0o007) === 0o007) return true;
  const names = await readdir(directory);
  if (!names.every((name) => name.startsWith('.') || SCAN_ID.test(name))) return false;
  if (uid !== 0) {
    if (names.length > 0) return false;
    await chown(directory, uid, CONTAINER_ID);
    await chmod(directory, (mode & 0o7777) | 0o070);
    return true;
  }
  await chown(directory, CONTAINER_ID, CONTAINER_ID);
  await chmod(directory, 0o750);
  return true;
}
