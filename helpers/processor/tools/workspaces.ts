import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../error-code.ts';
import { Failure } from '../../failure.ts';
import { freeBytes } from '../../free-bytes.ts';

/** The directory of a processor is named `scan-processor-<pid>-<random>`. */
const PREFIX = 'scan-processor-';

/** In bytes. With less free space, programs that write megabytes at a time fail. */
const FULL_BELOW_BYTES = 4 * 1024 * 1024;

export interface Workspace {
  /** Readable only by this user. */
  readonly directory: string;
  /**
   * Removes the directory and its contents. Idempotent. Never rejects: if removal fails, for
   * example for lack of descriptors, it is retried with the next directory.
   */
  remove(): Promise<void>;
}

export interface Workspaces {
  /** Creates an empty directory for a request. */
  create(): Promise<Workspace>;
  removeAll(): Promise<void>;
}

/**
 * Manages private directories under `root`, one per request. Removes those of killed processors:
 * their process is gone, or had our own id, as in a restarted container.
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
      // Debian removes directories from /tmp after ten idle days.
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

/** True if the file system is nearly full. Not all programs report why they failed. */
export async function isFull(directory: string): Promise<boolean> {
  return (await freeBytes(directory)) < FULL_BELOW_BYTES;
}

/** The failure for a full disk, whoever detected it. */
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
    // Another user's process.
    return error instanceof Error && (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function remove(directory: string): Promise<void> {
  // A program killed just now may still create a file.
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
}
