import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { errorCode, isMissing } from '../../helpers/error-code.ts';
import { Failure } from '../../helpers/failure.ts';
import type { Log } from '../../helpers/log.ts';
import { isLocked, takeLock, type Release } from '../../helpers/socket-lock.ts';

/** Stored next to the scan directories, whose names differ: they begin with a digit. */
const LOCK_FILE = '.service.lock';

export interface DirectoryLocks {
  /**
   * `take` throws Failure `output_dir_in_use`. On a file system without sockets, it only logs a
   * warning.
   */
  take(directory: string): Promise<void>;
  check(directory: string): Promise<void>;
  releaseAll(): Promise<void>;
}

export function createDirectoryLocks(log: Log): DirectoryLocks {
  const taken = new Map<string, Promise<Release>>();
  return {
    take: async (name) => {
      const directory = await canonicalPath(name);
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
      if (taken.has(await canonicalPath(directory))) return;
      if (await isLocked(directory, LOCK_FILE).catch(nothingThere)) throw inUse(directory);
    },
    releaseAll: async () => {
      for (const lock of taken.values()) await lock.then((release) => release()).catch(() => {});
    },
  };
}

/** Errors of file systems without sockets: exFAT, some network shares. */
const WITHOUT_SOCKETS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL']);

/** Resolves symbolic links, so that each directory has only one lock. */
async function canonicalPath(directory: string): Promise<string> {
  return realpath(directory).catch(() => path.resolve(directory));
}

function nothingThere(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

/**
 * Keeps other services out of a directory until the lock is released or the process ends. Throws
 * Failure `output_dir_in_use`, or an error if the file system does not support sockets.
 */
export async function lockDirectory(
  directory: string,
  link?: Parameters<typeof takeLock>[2],
): Promise<Release> {
  const release = await takeLock(directory, LOCK_FILE, link);
  if (release) return release;
  throw inUse(directory);
}

function inUse(directory: string): Failure {
  return new Failure('output_dir_in_use', `Another scan service writes to ${directory}.`, {
    remedy: 'Stop it, or give each service an output directory of its own.',
  });
}
