import path from 'node:path';
import pLimit, { type LimitFunction } from 'p-limit';
import { readPlainFile, UnreadableFile } from './plain-file.ts';
import { afterRunning } from './running-time.ts';

/*
 * Files written by other parties: secrets, profiles, certificates. They may be on a share or FUSE
 * mount that hangs. Each call then blocks one of libuv's threads until the mount responds, and
 * cannot be cancelled.
 */

/** A running disk responds within milliseconds, a sleeping one within 10 s. */
const PATIENCE_MS = 10_000;

/** Concurrent calls per directory. Further calls queue without blocking a thread. */
const CALLS_PER_DIRECTORY = 2;

/** Reads a file as UTF-8. Rejects with an `UnreadableFile` or the file system's error. */
export type FileReader = (file: string) => Promise<string>;

export interface FileReaderOptions {
  readonly maxBytes: number;
  readonly patienceMs?: number | undefined;
  readonly read?: typeof readPlainFile | undefined;
}

/** Reads files of other parties: plain files only, limited in bytes and time. */
export function createFileReader({
  maxBytes,
  patienceMs,
  read = readPlainFile,
}: FileReaderOptions): FileReader {
  return patiently((file) => read(file, maxBytes), patienceMs);
}

/**
 * Limits how long callers wait for a path. Concurrent calls for the same path share one operation,
 * so a hanging path blocks only one thread. Rejects with UnreadableFile `ETIMEDOUT`.
 */
export function patiently<Result>(
  work: (path: string) => Promise<Result>,
  patienceMs = PATIENCE_MS,
): (path: string) => Promise<Result> {
  const underWay = new Map<string, Promise<Result>>();
  const turns = new Map<string, LimitFunction>();

  function begin(file: string): Promise<Result> {
    const directory = path.dirname(file);
    const inTurn = turns.get(directory) ?? pLimit(CALLS_PER_DIRECTORY);
    turns.set(directory, inTurn);
    const begun = inTurn(() => work(file)).finally(() => underWay.delete(file));
    underWay.set(file, begun);
    return begun;
  }

  return async (file) => {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const stopWaiting = afterRunning(patienceMs, () => {
      reject(new UnreadableFile('ETIMEDOUT', `did not answer within ${patienceMs / 1000} s`));
    });
    try {
      return await Promise.race([underWay.get(file) ?? begin(file), late]);
    } finally {
      stopWaiting();
    }
  };
}
