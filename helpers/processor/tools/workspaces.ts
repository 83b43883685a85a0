import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../error-code.ts';
import { Failure } from '../../failure.ts';
import { freeBytes } from '../../free-bytes.ts';

/** Directories of one processor are named after its process: `scan-processor-<pid>-<random>`. */
const PREFIX = 'scan-processor-';

/** A file system with less than this left is full to programs that write megabytes at a time, in bytes. */
const FULL_BELOW_BYTES = 4 * 1024 * 1024;

export interface Workspace {
  /** A directory that nobody else can read. */
  readonly directory: string;
  /**
   * Removes the directory and all in it; a second call does nothing. Never rejects: what cannot be removed now, for want of
   * descriptors, is removed together with the next one.
   */
  remove(): Promise<void>;
}

export interface Workspaces {
  /** A new empty directory for one request. */
  create(): Promise<Workspace>;
  /** Removes everything that is left. */
  removeAll(): Promise<void>;
}

/**
 * Private directories under `root`, one for each request. Removes what processors left there that were killed: those
 * whose process is no more, or had our own id, as in a container that was started again.
 */
export async function createWorkspaces(root: string): Promise<Workspaces> {
  await removeLeftovers(root);
  let own = await createOwn(root);
  const made = [own];
  const unwanted = new Set<string>();

  async function removeWithUnwanted(last: string): Promise<void> {
    for (const directory of [last, ...unwanted]) {
      try {
        await remove(directory);
        unwanted.delete(directory);
      } catch {
        unwanted.add(directory);
      }
    }
  }

  async function createDirectory(): Promise<string> {
    const create = (): Promise<string> => mkdtemp(path.join(own, 'request-'));
    try {
      return await create();
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      // Debian removes from /tmp what was idle for ten days.
      own = await createOwn(root);
      made.push(own);
      return create();
    }
  }

  return {
    create: async () => {
      const directory = await createDirectory();
      return { directory, remove: () => removeWithUnwanted(directory) };
    },
    removeAll: async () => {
      await Promise.all(made.map(remove));
    },
  };
}

async function createOwn(root: string): Promise<string> {
  await mkdir(root, { recursive: true });
  return mkdtemp(path.join(root, `${PREFIX}${process.pid}-`));
}

/** Whether the file system of `directory` is as good as full: the programs do not all say why they failed. */
export async function isFull(directory: string): Promise<boolean> {
  return (await freeBytes(directory)) < FULL_BELOW_BYTES;
}

/** The failure of a full disk, whatever noticed it. */
export function storageFull(cause?: unknown): Failure {
  return new Failure(
    'insufficient_storage',
    "The processor's temporary directory is full. Give it more space: about four times the size of a page for each worker.",
    { cause },
  );
}

async function removeLeftovers(root: string): Promise<void> {
  await mkdir(root, { recursive: true });
  for (const name of await readdir(root)) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined) continue;
    if (Number(pid) === process.pid || !isAlive(Number(pid))) await remove(path.join(root, name));
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process.
    return error instanceof Error && (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function remove(directory: string): Promise<void> {
  // A program that was just killed may still have created a file.
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
}
