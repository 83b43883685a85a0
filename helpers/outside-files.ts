import path from 'node:path';
import pLimit, { type LimitFunction } from 'p-limit';
import { readPlainFile, UnreadableFile } from './plain-file.ts';
import { afterRunning } from './running-time.ts';

/* Secrets, profiles and certificates may be on a share or FUSE mount that hangs. A hanging call
   blocks one of libuv's threads and cannot be cancelled. */

/** A running disk responds within milliseconds, a sleeping one within 10 s. */
const TIMEOUT_MS = 10_000;

/** Further calls queue, without blocking a thread. */
const CALLS_PER_DIRECTORY = 2;

/** Rejects with an `UnreadableFile` or the file system's error. */
export type FileReader = (file: string) => Promise<string>;

export interface FileReaderOptions {
  readonly maxBytes: number;
  readonly timeoutMs?: number | undefined;
  readonly read?: typeof readPlainFile | undefined;
}

export function createFileReader({
  maxBytes,
  timeoutMs,
  read = readPlainFile,
}: FileReaderOptions): FileReader {
  return withTimeout((file) => read(file, maxBytes), timeoutMs);
}

interface Directory {
  readonly inTurn: LimitFunction;
  /** `performance.now` when the directory's latest operation began. */
  begunAt: number;
}

interface Operation<Result> {
  readonly directory: Directory;
  begunAt: number | undefined;
  readonly result: Promise<Result>;
}

/**
 * Waits at most `timeoutMs` for `work` on a path once it has begun. A queued operation is late
 * only if no other operation in its directory has begun for `timeoutMs`, so a long queue alone is
 * no failure. Concurrent calls for a path share one operation, so a hanging path blocks one thread.
 * Rejects with UnreadableFile `ETIMEDOUT`.
 */
export function withTimeout<Result>(
  work: (path: string) => Promise<Result>,
  timeoutMs = TIMEOUT_MS,
): (path: string) => Promise<Result> {
  const underWay = new Map<string, Operation<Result>>();
  const directories = new Map<string, Directory>();

  function begin(file: string): Operation<Result> {
    const name = path.dirname(file);
    const directory = directories.get(name) ?? { inTurn: pLimit(CALLS_PER_DIRECTORY), begunAt: 0 };
    directories.set(name, directory);
    const result = directory
      .inTurn(() => {
        operation.begunAt = performance.now();
        directory.begunAt = operation.begunAt;
        return work(file);
      })
      .finally(() => underWay.delete(file));
    const operation: Operation<Result> = { directory, begunAt: undefined, result };
    underWay.set(file, operation);
    return operation;
  }

  return async (file) => {
    const operation = underWay.get(file) ?? begin(file);
    const { directory, result } = operation;
    const { promise: late, reject } = Promise.withResolvers<never>();
    const calledAt = performance.now();
    const wait = (forMs: number): (() => void) =>
      afterRunning(forMs, () => {
        const since = Math.max(calledAt, operation.begunAt ?? directory.begunAt);
        const leftMs = since + timeoutMs - performance.now();
        if (leftMs > 0) stopWaiting = wait(leftMs);
        else reject(new UnreadableFile('ETIMEDOUT', `did not answer within ${timeoutMs / 1000} s`));
      });
    let stopWaiting = wait(timeoutMs);
    try {
      return await Promise.race([result, late]);
    } finally {
      stopWaiting();
    }
  };
}
