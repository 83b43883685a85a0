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

/** Beside the scan directories, whose names never begin with a dot. */
const LOCK_FILE = '.service.lock';

const openDescriptor = promisify(open);
const closeDescriptor = promisify(close);

type Release = () => Promise<void>;

/** Gives a file another name; throws `EEXIST` where that name is taken. */
type Link = (existing: string, name: string) => void;

/** The directories that this process has locked. */
export interface DirectoryLocks {
  /**
   * Takes the lock of a directory, once. Throws Failure `output_dir_in_use`; where the file system has no sockets it only says
   * so in the log.
   */
  take(directory: string): Promise<void>;
  /** Throws Failure `output_dir_in_use` while another process has the lock of a directory. */
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

/** What a file system without sockets says (exFAT, some network shares). */
const WITHOUT_SOCKETS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL']);

/** What a file system without hard links says (FUSE, some network shares). */
const WITHOUT_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** A directory may be reached by several names: through links, or with more slashes than it needs. */
async function oneNameOf(directory: string): Promise<string> {
  return realpath(directory).catch(() => path.resolve(directory));
}

function nothingThere(error: unknown): undefined {
  if (!isNotThere(error)) throw error;
}

interface ShortName {
  readonly name: string;
  /** Another directory may get the name after this. */
  readonly giveUp: () => Promise<void>;
}

/** The longest path of a Unix socket, in bytes. */
const MAX_SOCKET_PATH = 107;

/** The name of a socket that is not a lock yet. */
function newName(file: string): string {
  return `${file}.${randomUUID().slice(0, 8)}`;
}

/** A name of a directory that leaves room for a socket in it: its own, or that of an open descriptor. */
async function shortNameOf(directory: string): Promise<ShortName> {
  const longest = newName(path.join(directory, `${LOCK_FILE}.turn`));
  if (Buffer.byteLength(longest) <= MAX_SOCKET_PATH) {
    return { name: directory, giveUp: () => Promise.resolve() };
  }
  // No FileHandle: one that is forgotten is closed, and its number then belongs to another file.
  const descriptor = await openDescriptor(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  return { name: `/proc/self/fd/${descriptor}`, giveUp: () => closeDescriptor(descriptor) };
}

/**
 * Makes this process the only service that writes below a directory, until the function returned is called or the process
 * ends, however it ends. The lock is a socket that its owner listens on: the kernel refuses connections to one whose owner is
 * dead, also across containers that share a volume. Throws Failure `output_dir_in_use` while another service has it, and the
 * file system's error where it has no sockets.
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
  // Of services that find a dead owner only one at a time removes it, so that none removes the lock of one that was faster.
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
  // A service was killed in the milliseconds of its turn.
  await rm(file, { force: true });
  return listenOn(file, link);
}

/**
 * Undefined where the file is there already, whoever left it. The socket gets the name when it listens already: one that is bound
 * and does not listen yet is, to others, like that of a dead owner. At once, as Node binds and unbinds sockets.
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

/** Listens on a new socket. The function returned closes it, and removes the file by the name that it was made with. */
async function listenAt(file: string): Promise<Release> {
  const server: Server = createServer((socket) => socket.destroy());
  await once(server.listen(file), 'listening');
  server.unref();
  return () => new Promise((resolve) => void server.close(() => resolve()));
}

/** Binds the name itself, which is atomic too. Node listens at once after that, so it looks dead for microseconds only. */
async function bindTo(file: string): Promise<Release | undefined> {
  return listenAt(file).catch((error: unknown) => {
    if (errorCode(error) === 'EADDRINUSE') return undefined;
    throw error;
  });
}

/** A name that stays is that of a dead owner, once the socket is closed. */
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
