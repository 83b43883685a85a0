import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { close, constants, linkSync, open, unlinkSync } from 'node:fs';
import { realpath, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { errorCode, isNotThere } from '../../helpers/error-code.ts';
import { Failure } from '../../helpers/failure.ts';
import type { Log } from '../../helpers/log.ts';
import { hasLiveOwner } from '../../helpers/socket-owner.ts';

/** Lies next to the scan directories, whose names never begin with a dot. */
const LOCK_FILE = '.service.lock';

const openDescriptor = promisify(open);
const closeDescriptor = promisify(close);

type Release = () => Promise<void>;

/** Creates a hard link; throws `EEXIST` if the name is taken. */
type Link = (existing: string, name: string) => void;

export interface DirectoryLocks {
  /**
   * Locks a directory; later calls reuse the lock. Throws Failure `output_dir_in_use`. Only logs a
   * warning if the file system does not support sockets.
   */
  take(directory: string): Promise<void>;
  /** Throws Failure `output_dir_in_use` while another process holds the lock. */
  check(directory: string): Promise<void>;
  releaseAll(): Promise<void>;
}

export function createDirectoryLocks(log: Log): DirectoryLocks {
  const taken = new Map<string, Promise<Release>>();
  return {
    take: async (name) => {
      const directory = await oneNameOf(name);
      const lock = taken.get(directory) ?? lockDirectory(directory);
      taken.set(directory, lock);
      try {
        await lock;
      } catch (error) {
        taken.delete(directory);
        if (error instanceof Failure || !WITHOUT_SOCKETS.has(errorCode(error) ?? '')) throw error;
        const facts = { event: 'output_dir_not_locked', directory, err: error };
        log.warn(facts, 'A second service on this output directory would not be noticed.');
      }
    },
    check: async (directory) => {
      if (taken.has(await oneNameOf(directory))) return;
      const short = await shortNameOf(directory).catch(nothingThere);
      const isOwned = short && (await hasLiveOwner(path.join(short.name, LOCK_FILE)));
      await short?.giveUp();
      if (isOwned) throw inUse(directory);
    },
    releaseAll: async () => {
      for (const lock of taken.values()) await lock.then((release) => release()).catch(() => {});
    },
  };
}

/** Error codes of file systems without sockets (exFAT, some network shares). */
const WITHOUT_SOCKETS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL']);

/** Error codes of file systems without hard links (FUSE, some network shares). */
const WITHOUT_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** Returns one name for a directory with several, through links or extra slashes. */
async function oneNameOf(directory: string): Promise<string> {
  return realpath(directory).catch(() => path.resolve(directory));
}

function nothingThere(error: unknown): undefined {
  if (!isNotThere(error)) throw error;
}

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
async function shortNameOf(directory: string): Promise<ShortName> {
  const longest = newName(path.join(directory, `${LOCK_FILE}.turn`));
  if (Buffer.byteLength(longest) <= MAX_SOCKET_PATH) {
    return { name: directory, giveUp: () => Promise.resolve() };
  }
  // Not a FileHandle: an unreferenced one is closed, and its number then refers to another file.
  const descriptor = await openDescriptor(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  return { name: `/proc/self/fd/${descriptor}`, giveUp: () => closeDescriptor(descriptor) };
}

/**
 * Makes this process the only service that writes below a directory, until it calls the returned
 * function or ends in any way. The lock is a socket on which its owner listens: the kernel refuses
 * connections once the owner is dead, even across containers that share a volume. Throws Failure
 * `output_dir_in_use` while another service holds the lock, and the file system's error if it does
 * not support sockets.
 */
export async function lockDirectory(directory: string, link: Link = linkSync): Promise<Release> {
  const { name, giveUp } = await shortNameOf(directory);
  try {
    const release = await lockIn(name, directory, link);
    return async () => {
      await release();
      await giveUp();
    };
  } catch (error) {
    await giveUp();
    throw error;
  }
}

async function lockIn(short: string, directory: string, link: Link): Promise<Release> {
  const file = path.join(short, LOCK_FILE);
  const lock = await listenOn(file, link);
  if (lock) return lock;
  // Only one service at a time may remove the lock of a dead owner, so that none removes the new
  // lock of a faster one.
  const turn = (await hasLiveOwner(file)) ? undefined : await takeTurn(`${file}.turn`, link);
  try {
    const isFree = turn !== undefined && !(await hasLiveOwner(file));
    if (isFree) await rm(file, { force: true });
    const taken = isFree ? await listenOn(file, link) : undefined;
    if (taken) return taken;
    throw inUse(directory);
  } finally {
    await turn?.();
  }
}

async function takeTurn(file: string, link: Link): Promise<Release | undefined> {
  const turn = await listenOn(file, link);
  if (turn || (await hasLiveOwner(file))) return turn;
  // A service was killed during the milliseconds of its turn.
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

function inUse(directory: string): Failure {
  return new Failure('output_dir_in_use', `Another scan service writes to ${directory}.`, {
    remedy: 'Stop it, or give each service an output directory of its own.',
  });
}
