import pLimit from 'p-limit';

export interface TaskGroup {
  /** Aborted on the first failure, or with the outer signal. */
  readonly signal: AbortSignal;
  /** Runs a task when a slot is free, unless a task has failed. */
  readonly run: (task: () => Promise<void>) => void;
  /** Resolves when all tasks have ended, even those added later. Rejects with the first failure. */
  readonly done: () => Promise<void>;
}

/**
 * Runs at most `atOnce` tasks at a time. The first failure, of `use` or a task, aborts the others.
 * When this settles, no task is running. Rejects with the failure of `use`, or else of a task.
 */
export async function withTaskGroup(
  outer: AbortSignal,
  atOnce: number,
  use: (group: TaskGroup) => Promise<void> | void,
): Promise<void> {
  const stop = new AbortController();
  const signal = AbortSignal.any([outer, stop.signal]);
  const limit = pLimit(atOnce);
  const tasks: Promise<void>[] = [];

  /** Aborts before another task can start. */
  async function attempt(task: () => Promise<void>): Promise<void> {
    try {
      signal.throwIfAborted();
      await task();
    } catch (error) {
      stop.abort(error);
      throw error;
    }
  }

  function run(task: () => Promise<void>): void {
    const ended = limit(() => attempt(task));
    ended.catch(() => {});
    tasks.push(ended);
  }

  /** Also waits for tasks that are added while others run. */
  async function done(): Promise<void> {
    try {
      for (const task of tasks) await task;
    } catch {
      throw stop.signal.reason;
    }
  }

  try {
    await use({ signal, run, done });
    await done();
  } catch (error) {
    stop.abort(error);
    throw error;
  } finally {
    await Promise.allSettled(tasks);
  }
}
