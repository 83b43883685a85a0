import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { close, constants, linkSync, open, unlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from './error-code.ts';
import { hasLiveOwner } from './socket-owner.ts';

const openDescriptor = promisify(open);
const closeDescriptor = promisify(close);

export type Release = () => Promise<void>;

/** Creates a hard link; throws `EEXIST` if the name is taken. */
type Link = (existing: string, name: string) => void;

/** Error codes of file systems without hard links (FUSE, some network shares). */
const WITHOUT_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

interface ShortName {
  readonly name: string;
  /** Afterwards another directory may get the name. */
  readonly giveUp: () => Promise<void>;
}

/** Longest path of a Unix socket, in bytes. */
const MAX_SOCKET_PATH = 107;

/** Name for a socket that is not the lock yet. */
function newName(file: string): string {
  return `${file}.${randomUUID().slice(0, 8)}`;
}

/** Returns a name short enough for a socket: the directory's own, or that of a descriptor. */
async function shortNameOf(directory: string, lockFile: string): Promise<ShortName> {
  const longest = newName(path.join(directory, `${lockFile}.turn`));
  if (Buffer.byteLength(longest) <= MAX_SOCKET_PATH) {
    return { name: directory, giveUp: () => Promise.resolve() };
  }
  // Not a FileHandle: an unreferenced one is closed, and its number then refers to another file.
  const descriptor = await openDescriptor(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  return { name: `/proc/self/fd/${descriptor}`, giveUp: () => closeDescriptor(descriptor) };
}

/** Whether a live process holds a lock. Rejects if the directory cannot be looked at. */
export async function isLocked(directory: string, lockFile: string): Promise<boolean> {
  const { name, giveUp } = await shortNameOf(directory, lockFile);
  const isOwned = await hasLiveOwner(path.join(name, lockFile));
  await giveUp();
  return isOwned;
}

/**
 * Takes the lock of a directory with that name until the returned function is called or this process
 * ends in any way. The lock is a socket on which its owner listens: the kernel refuses connections
 * once the owner is dead, even across containers that share a volume. Returns undefined while another
 * process holds the lock. Rejects with the file system's error if it does not support sockets.
 */
export async function takeLock(
  directory: string,
  lockFile: string,
  link: Link = linkSync,
): Promise<Release | undefined> {
  const { name, giveUp } = await shortNameOf(directory, lockFile);
  try {
    const release = await lockAt(path.join(name, lockFile), link);
    if (release) {
      return async () => {
        await release();
        await giveUp();
      };
    }
  } catch (error) {
    await giveUp();
    throw error;
  }
  await giveUp();
  return undefined;
}

async function lockAt(file: string, link: Link): Promise<Release | undefined> {
  const lock = await listenOn(file, link);
  if (lock) return lock;
  // Only one process at a time may remove the lock of a dead owner, so that none removes the new
  // lock of a faster one.
  const turn = (await hasLiveOwner(file)) ? undefined : await takeTurn(`${file}.turn`, link);
  try {
    const isFree = turn !== undefined && !(await hasLiveOwner(file));
    if (isFree) await rm(file, { force: true });
    return isFree ? await listenOn(file, link) : undefined;
  } finally {
    await turn?.();
  }
}

async function takeTurn(file: string, link: Link): Promise<Release | undefined> {
  const turn = await listenOn(file, link);
  if (turn || (await hasLiveOwner(file))) return turn;
  // A process was killed during the milliseconds of its turn.
  await rm(file, { force: true });
  return listenOn(file, link);
}

/**
 * Returns undefined if the file already exists. The socket gets its final name only when it is
 * listening: one that is bound but not listening yet looks like that of a dead owner. Links and
 * unlinks synchronously, as Node does for sockets.
 */
async function listenOn(file: string, link: Link): Promise<Release | undefined> {
  const made = newName(file);
  const close = await listenAt(made);
  try {
    link(made, file);
  } catch (error) {
    await close();
    const code = errorCode(error) ?? '';
    if (code === 'EEXIST') return undefined;
    if (WITHOUT_LINKS.has(code)) return bindTo(file);
    throw error;
  }
  unlink(made);
  return async () => {
    unlink(file);
    await close();
  };
}

/** Listens on a new socket. The returned function closes it and removes the original name. */
async function listenAt(file: string): Promise<Release> {
  const server: Server = createServer((socket) => socket.destroy());
  await once(server.listen(file), 'listening');
  server.unref();
  return () => new Promise((resolve) => void server.close(() => resolve()));
}

/** Binds the final name, also atomic. Before it listens, it looks dead for microseconds. */
async function bindTo(file: string): Promise<Release | undefined> {
  return listenAt(file).catch((error: unknown) => {
    if (errorCode(error) === 'EADDRINUSE') return undefined;
    throw error;
  });
}

/** Ignores errors: once the socket is closed, a leftover name looks like that of a dead owner. */
function unlink(name: string): void {
  try {
    unlinkSync(name);
  } catch {}
}
