import pLimit, { type LimitFunction } from 'p-limit';
import { beforeAbort } from '../../helpers/before-abort.ts';
import { Failure } from '../../helpers/failure.ts';
import type { Log } from '../../helpers/log.ts';

/**
 * Reads output directories, but gives up on a disk that hangs. Limits concurrent reads, since a
 * hung one blocks a Node thread.
 */
export interface RootReads {
  /** Throws Failure `insufficient_storage` if the disk does not answer in time. */
  run<T>(root: string, read: () => Promise<T>): Promise<T>;
  /** Returns the first value found. Rejects only if none was found and a read failed. */
  first<T>(
    roots: readonly string[],
    read: (root: string) => Promise<T | undefined>,
  ): Promise<T | undefined>;
  /** Leaves out directories that cannot be read. */
  all<T>(
    roots: readonly string[],
    read: (root: string) => Promise<T>,
  ): Promise<{ readonly root: string; readonly value: T }[]>;
}

const READS_PER_ROOT = 4;

/** Time limit of a read. A sleeping disk takes 10 s to spin up. */
const READ_TIMEOUT_MS = 10_000;

interface Queue {
  readonly limit: LimitFunction;
  readonly waiting: Set<NodeJS.Timeout>;
}

class NotHere extends Error {}

export function createRootReads(log: Log, timeoutMs = READ_TIMEOUT_MS): RootReads {
  const queues = new Map<string, Queue>();

  async function run<T>(root: string, read: () => Promise<T>): Promise<T> {
    const queue = queues.get(root) ?? { limit: pLimit(READS_PER_ROOT), waiting: new Set() };
    queues.set(root, queue);
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    queue.waiting.add(timer);

    async function begin(): Promise<T> {
      // A read that timed out in the queue would only burden a recovering disk.
      late.signal.throwIfAborted();
      queue.waiting.delete(timer.refresh());
      try {
        return await read();
      } finally {
        // The disk works: reads that wait for their turn get their full time again.
        for (const other of queue.waiting) other.refresh();
      }
    }

    try {
      return await beforeAbort(late.signal, queue.limit(begin), () => {
        const what = `The disk of ${root} did not answer within ${timeoutMs / 1000} s.`;
        log.warn({ event: 'disk_silent', root }, what);
        const remedy = 'Check the disk, or the connection to it.';
        throw new Failure('insufficient_storage', what, { remedy });
      });
    } finally {
      queue.waiting.delete(timer);
      clearTimeout(timer);
    }
  }

  return {
    run,
    first: async (roots, read) => {
      const asked = roots.map(async (root) => {
        const value = await run(root, () => read(root));
        if (value === undefined) throw new NotHere();
        return value;
      });
      try {
        return await Promise.any(asked);
      } catch (error) {
        const reasons: Error[] = error instanceof AggregateError ? error.errors : [];
        const failed = reasons.find((reason) => !(reason instanceof NotHere));
        if (failed !== undefined) throw failed;
        return undefined;
      }
    },
    all: async (roots, read) => {
      const asked = await Promise.allSettled(
        roots.map(async (root) => ({ root, value: await run(root, () => read(root)) })),
      );
      return asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    },
  };
}
