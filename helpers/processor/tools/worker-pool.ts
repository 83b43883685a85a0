import pLimit from 'p-limit';

export interface WorkerPool {
  /**
   * Runs `job` as soon as there is room. While it waits, an abort of the signal rejects with the signal's reason; a job
   * that runs is the caller's to end by the same signal.
   */
  run<T>(signal: AbortSignal, job: () => Promise<T>): Promise<T>;
  /** From now on nothing is begun: what waits, and what comes, is rejected with the reason. */
  close(reason: Error): void;
}

/** At most `size` jobs at once, first come, first served. */
export function createWorkerPool(size: number): WorkerPool {
  const limit = pLimit(size);
  const closing = new AbortController();

  async function run<T>(signal: AbortSignal, job: () => Promise<T>): Promise<T> {
    const giveUp = AbortSignal.any([signal, closing.signal]);
    const { promise: abandoned, reject } = Promise.withResolvers<never>();
    const abandon = (): void => reject(giveUp.reason);
    giveUp.addEventListener('abort', abandon);
    const done = limit(() => {
      giveUp.throwIfAborted();
      giveUp.removeEventListener('abort', abandon);
      return job();
    });
    // A job that was given up stays in the queue, where it ends at once when its turn comes.
    done.catch(() => {});
    if (giveUp.aborted) abandon();
    try {
      return await Promise.race([done, abandoned]);
    } finally {
      giveUp.removeEventListener('abort', abandon);
    }
  }

  return { run, close: (reason) => closing.abort(reason) };
}
