import pLimit from 'p-limit';

/** Tasks that are under way together, and end together. */
export interface TaskGroup {
  /** Aborted with the first failure, and when the signal of the whole is. */
  readonly signal: AbortSignal;
  /** Begins a task when its turn comes; none begins once another one has failed. The group waits for it, and fails with it. */
  readonly run: (task: () => Promise<void>) => void;
  /** Resolves when every task has ended, those included that they begin; rejects with the first failure. */
  readonly done: () => Promise<void>;
}

/**
 * Runs tasks beside each other under one signal, `atOnce` at a time. The first failure, of a task or of `use`, aborts all
 * others; whatever happens, nothing is under way any more when this settles. Rejects with the failure of `use` itself,
 * otherwise with the first one of a task.
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

  /** The signal is aborted before the limit lets the next one begin. */
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

  /** A task may begin another one: the list grows while it is gone through. */
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
