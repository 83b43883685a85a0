import { pageTooLarge } from './memory.ts';

export interface WorkerPool {
  /**
   * Aborting rejects a waiting job; a running one must handle the signal itself. Rejects with
   * `page_too_large` if the job can never fit.
   */
  run<T>(signal: AbortSignal, memoryBytes: number, job: () => Promise<T>): Promise<T>;
  close(reason: Error): void;
}

interface Waiting {
  readonly memoryBytes: number;
  readonly begin: () => void;
}

const MIB = 1024 * 1024;

/** Runs jobs in order of arrival: at most `size` at a time, within `memoryBytes` in total. */
export function createWorkerPool(size: number, memoryBytes = Infinity): WorkerPool {
  const queue: Waiting[] = [];
  const closing = new AbortController();
  let [running, used] = [0, 0];

  function beginNext(): void {
    for (;;) {
      const [next] = queue;
      if (!next || running >= size || used + next.memoryBytes > memoryBytes) return;
      queue.shift();
      running += 1;
      used += next.memoryBytes;
      next.begin();
    }
  }

  async function place(signal: AbortSignal, needed: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { memoryBytes: needed, begin: resolve };
    const abandon = (): void => {
      const index = queue.indexOf(waiting);
      if (index >= 0) queue.splice(index, 1);
      reject(signal.reason);
      beginNext();
    };
    signal.addEventListener('abort', abandon);
    queue.push(waiting);
    beginNext();
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', abandon);
    }
  }

  return {
    run: async (signal, needed, job) => {
      const giveUp = AbortSignal.any([signal, closing.signal]);
      giveUp.throwIfAborted();
      if (needed > memoryBytes) {
        throw pageTooLarge(
          `it needs ${Math.ceil(needed / MIB)} MB, there are ${Math.floor(memoryBytes / MIB)} MB`,
        );
      }
      await place(giveUp, needed);
      try {
        return await job();
      } finally {
        running -= 1;
        used -= needed;
        beginNext();
      }
    },
    close: (reason) => closing.abort(reason),
  };
}
