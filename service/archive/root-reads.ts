import pLimit, { type LimitFunction } from 'p-limit';
import { beforeAbort } from '../../helpers/before-abort.ts';
import { Failure } from '../../helpers/failure.ts';
import type { Log } from '../../helpers/log.ts';

/**
 * Reads below the output directories. A disk that hangs keeps each thread that waits for it, and Node has few of them: so
 * only some reads of one directory are under way at once, and nobody waits for one that does not come back.
 */
export interface RootReads {
  /** Rejects with Failure `insufficient_storage` when the disk does not answer in time. */
  run<T>(root: string, read: () => Promise<T>): Promise<T>;
  /** Asks all roots at once; the first that has something counts. Rejects only when none has it and one failed. */
  first<T>(
    roots: readonly string[],
    read: (root: string) => Promise<T | undefined>,
  ): Promise<T | undefined>;
  /** Asks all roots; those that fail are left out. */
  all<T>(
    roots: readonly string[],
    read: (root: string) => Promise<T>,
  ): Promise<{ readonly root: string; readonly value: T }[]>;
}

/** Reads of one root at once. */
const READS_PER_ROOT = 4;

/** A disk that is awake answers in milliseconds, one that spins up in 10 s; a caller waits no longer. In milliseconds. */
const PATIENCE_MS = 10_000;

/** Of the reads of one directory. */
interface Queue {
  readonly limit: LimitFunction;
  /** The patience of the reads whose turn has not come. */
  readonly waiting: Set<NodeJS.Timeout>;
}

/** A root that answered, and has not what was asked for. */
class NotHere extends Error {}

export function createRootReads(log: Log, patienceMs = PATIENCE_MS): RootReads {
  const queues = new Map<string, Queue>();

  async function run<T>(root: string, read: () => Promise<T>): Promise<T> {
    const queue = queues.get(root) ?? { limit: pLimit(READS_PER_ROOT), waiting: new Set() };
    queues.set(root, queue);
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), patienceMs);
    queue.waiting.add(timer);

    async function begin(): Promise<T> {
      // One that nobody waits for any more is not begun: a disk that comes back has better things to do.
      late.signal.throwIfAborted();
      queue.waiting.delete(timer.refresh());
      try {
        return await read();
      } finally {
        // As long as reads come back, the queue behind them is only long.
        for (const other of queue.waiting) other.refresh();
      }
    }

    try {
      return await beforeAbort(late.signal, queue.limit(begin), () => {
        const what = `The disk of ${root} did not answer within ${patienceMs / 1000} s.`;
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
