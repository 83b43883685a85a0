import pLimit from 'p-limit';

/** Concurrent tasks that succeed or fail together. */
export interface TaskGroup {
  /** Aborted with the first failure, or with the outer signal. */
  readonly signal: AbortSignal;
  /** Runs a task when a slot is free, but none after a failure. The group waits for it. */
  readonly run: (task: () => Promise<void>) => void;
  /** Resolves when every task has ended, also those added later. Rejects with the first failure. */
  readonly done: () => Promise<void>;
}

/**
 * Runs at most `atOnce` tasks concurrently under one signal. The first failure, of a task or of
 * `use`, aborts all others. No task is running when this settles. Rejects with the failure of
 * `use`, otherwise with the first failure of a task.
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

  /** Aborts the signal before the limit starts the next task. */
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

  /** Tasks may add tasks, so the list can grow during the loop. */
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
