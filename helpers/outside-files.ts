import path from 'node:path';
import pLimit, { type LimitFunction } from 'p-limit';
import { readPlainFile, UnreadableFile } from './plain-file.ts';
import { afterRunning } from './running-time.ts';

/*
 * Files that somebody else writes: secrets, profiles, certificates. They may lie on a share or a FUSE mount that hangs, where
 * every call of the file system keeps one of libuv's threads until the mount answers, and nothing can take it back.
 */

/** A disk that is awake answers within milliseconds, one that has to spin up within 10 s. */
const PATIENCE_MS = 10_000;

/** Calls that may hang in one directory at the same time. The others wait for their turn, without a thread. */
const CALLS_PER_DIRECTORY = 2;

/** Reads a file as UTF-8. Rejects with an `UnreadableFile` or with the error of the file system. */
export type FileReader = (file: string) => Promise<string>;

export interface FileReaderOptions {
  /** A larger file is not read. */
  readonly maxBytes: number;
  readonly patienceMs?: number | undefined;
  readonly read?: typeof readPlainFile | undefined;
}

/** The one way to read files of somebody else: plain files only, with a bound in bytes and in time. */
export function createFileReader({
  maxBytes,
  patienceMs,
  read = readPlainFile,
}: FileReaderOptions): FileReader {
  return patiently((file) => read(file, maxBytes), patienceMs);
}

/**
 * Bounds the time that callers of `work` wait for a path. While a call for a path is under way, later callers share it, so
 * that a path that hangs costs one thread however often it is asked for. Rejects with UnreadableFile `ETIMEDOUT`.
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
