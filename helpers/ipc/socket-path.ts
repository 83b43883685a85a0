import { lstat, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { takeLock, type Release } from '../socket-lock.ts';
import { hasLiveOwner } from '../socket-owner.ts';

/** sun_path of unix(7) without the final NUL. */
export const MAX_SOCKET_PATH_BYTES = 107;

/** Writable by others, or sticky like /tmp. node-ipc's mode 0700 would lock others out. */
const SHARED_DIRECTORY_MODE = 0o1022;

/**
 * Creates the socket's directory, and removes the socket of a dead runtime. Throws if the directory
 * is shared or a live runtime has the path. Locks the path until the returned function is called or
 * this process ends, because node-ipc binds without checking.
 */
export async function claimSocketPath(socketPath: string): Promise<Release> {
  const directory = path.dirname(socketPath);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await checkDirectory(directory);
  if (await isSocket(socketPath)) await refuseLive(socketPath);
  const release = await takeLock(directory, `.${path.basename(socketPath)}.lock`);
  if (!release) throw inUse(socketPath);
  try {
    if (await isSocket(socketPath)) {
      // Earlier versions of the runtime hold no lock.
      await refuseLive(socketPath);
      await rm(socketPath);
    }
    return release;
  } catch (error) {
    await release();
    throw error;
  }
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
  if (await hasLiveOwner(socketPath)) throw inUse(socketPath);
}

function inUse(socketPath: string): Error {
  return new Error(
    `Another scanner runtime is listening at ${socketPath}. Stop it first, or set SCANNER_SOCKET to another path.`,
  );
}
