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

/** Throws `EEXIST` if the name is taken. */
type Link = (existing: string, name: string) => void;

/** File systems without hard links: FUSE, some network shares. */
const WITHOUT_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

interface ShortName {
  readonly name: string;
  /** Closes the descriptor, whose number another file may then get. */
  readonly giveUp: () => Promise<void>;
}

const MAX_SOCKET_PATH = 107;

function newName(file: string): string {
  return `${file}.${randomUUID().slice(0, 8)}`;
}

/** A path short enough for a socket address: the directory's, or one through a descriptor. */
async function shortNameOf(directory: string, lockFile: string): Promise<ShortName> {
  const longest = newName(path.join(directory, `${lockFile}.turn`));
  if (Buffer.byteLength(longest) <= MAX_SOCKET_PATH) {
    return { name: directory, giveUp: () => Promise.resolve() };
  }
  // Not a FileHandle: Node closes an unreferenced one, and another file could get its number.
  const descriptor = await openDescriptor(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  return { name: `/proc/self/fd/${descriptor}`, giveUp: () => closeDescriptor(descriptor) };
}

/** Rejects if the directory cannot be opened. */
export async function isLocked(directory: string, lockFile: string): Promise<boolean> {
  const { name, giveUp } = await shortNameOf(directory, lockFile);
  const isOwned = await hasLiveOwner(path.join(name, lockFile));
  await giveUp();
  return isOwned;
}

/**
 * Locks a directory until the returned function is called or this process ends in any way. The lock
 * is a listening socket: the kernel refuses connections to a dead owner, even across containers
 * that share a volume. Returns undefined if another process holds the lock. Rejects with the file
 * system's error if it does not support sockets.
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
  // Only the process whose turn it is may remove a dead owner's lock. Otherwise it could remove the
  // new lock of a faster process.
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
  // A process was killed during its turn, which takes milliseconds.
  await rm(file, { force: true });
  return listenOn(file, link);
}

/**
 * Returns undefined if the file exists. The socket is linked to its final name only once it
 * listens, since a bound socket that does not listen looks like a dead owner's. Linking blocks the
 * thread briefly, but so does Node itself when it creates or removes a socket file.
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

/** The returned function closes the socket and removes `file`. */
async function listenAt(file: string): Promise<Release> {
  const server: Server = createServer((socket) => socket.destroy());
  await once(server.listen(file), 'listening');
  server.unref();
  return () => new Promise((resolve) => void server.close(() => resolve()));
}

/** Binds the final name atomically. Until it listens, for microseconds, it looks dead. */
async function bindTo(file: string): Promise<Release | undefined> {
  return listenAt(file).catch((error: unknown) => {
    if (errorCode(error) === 'EADDRINUSE') return undefined;
    throw error;
  });
}

/** Errors do not matter: a leftover name without a listener counts as a dead owner's. */
function unlink(name: string): void {
  try {
    unlinkSync(name);
  } catch {}
}
