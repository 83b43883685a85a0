import { lstat, mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { hasLiveOwner } from '../socket-owner.ts';

/** Longest path of a Unix socket address, in bytes (sun_path of unix(7) without the final NUL). */
export const MAX_SOCKET_PATH_BYTES = 107;

/**
 * Writable by others, or sticky like /tmp. node-ipc would set mode 0700 and lock out other users.
 */
const SHARED_DIRECTORY_MODE = 0o1022;

/**
 * Prepares `socketPath` for listening: creates its directory, rejects a shared one, and removes the
 * socket of a dead runtime. Throws if a live runtime responds. The old socket is renamed and probed
 * again before removal, so that two runtimes starting together cannot remove each other's socket.
 */
export async function claimSocketPath(socketPath: string): Promise<void> {
  const directory = path.dirname(socketPath);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await checkDirectory(directory);
  if (!(await isSocket(socketPath))) return;
  await refuseLive(socketPath);
  const aside = `${socketPath}.${process.pid}`;
  await rename(socketPath, aside);
  try {
    await refuseLive(aside);
  } catch (error) {
    await rename(aside, socketPath);
    throw error;
  }
  await rm(aside);
}

async function checkDirectory(directory: string): Promise<void> {
  const { mode, uid } = await lstat(directory);
  if ((mode & SHARED_DIRECTORY_MODE) !== 0) {
    throw new Error(
      `The scanner socket must be in a directory of its own, but other users share ${directory}. Set SCANNER_SOCKET to a path such as /run/scan-service/scanner.sock.`,
    );
  }
  if (uid !== process.getuid?.()) {
    throw new Error(
      `The directory of the scanner socket, ${directory}, must belong to the user that the scanner runtime and the service run as (uid ${process.getuid?.()}), but it belongs to uid ${uid}. Change its owner.`,
    );
  }
}

async function isSocket(socketPath: string): Promise<boolean> {
  const found = await lstat(socketPath).catch(() => undefined);
  if (found && !found.isSocket()) {
    throw new Error(`The file at ${socketPath} is not a socket. Move it away.`);
  }
  return found !== undefined;
}

async function refuseLive(socketPath: string): Promise<void> {
  if (await hasLiveOwner(socketPath)) {
    throw new Error(
      `Another scanner runtime is listening at ${socketPath}. Stop it first, or set SCANNER_SOCKET to another path.`,
    );
  }
}
