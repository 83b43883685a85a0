import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../error-code.ts';
import { Failure } from '../../failure.ts';
import { freeBytes } from '../../free-bytes.ts';

/** Prefix of directory names, followed by the process id. */
const PREFIX = 'scan-processor-';

/** With less free space, the disk counts as full: programs that write megabytes at a time fail. */
const FULL_BELOW_BYTES = 4 * 1024 * 1024;

export interface Workspace {
  readonly directory: string;
  /** Idempotent. Never rejects: a failed removal is retried when the next directory is created. */
  remove(): Promise<void>;
}

export interface Workspaces {
  create(): Promise<Workspace>;
  removeAll(): Promise<void>;
}

/**
 * One private directory below `root` per request. Removes those of killed processors: their process
 * is gone, or has this process's id, as after a container restarts.
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

/** Not all programs report that the disk was full. */
export async function isFull(directory: string): Promise<boolean> {
  return (await freeBytes(directory)) < FULL_BELOW_BYTES;
}

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
    // The process exists but belongs to another user.
    return error instanceof Error && (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function remove(directory: string): Promise<void> {
  // A program that was just killed may still create a file.
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
}
