import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../../failure.ts';
import { JobFailed } from './python-jobs.ts';

/** Before the second try, in milliseconds: a machine that was short of processes or descriptors has some again. */
const PAUSE_MS = 500;

/**
 * Runs something once more if it failed for what may be over in a moment. Not what is known to fail again (Failure), nor what
 * used up its time, which would cost the caller as much again. Throws the error of the second try, and the signal's reason.
 */
export async function tryTwice<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await run();
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Failure || ranOutOfTime(error)) throw error;
    await wait(PAUSE_MS, undefined, { signal }).catch(() => {});
    signal.throwIfAborted();
    return run();
  }
}

function ranOutOfTime(error: unknown): boolean {
  if (error instanceof JobFailed) return error.ended?.timedOut === true;
  return error instanceof Error && error.name === 'TimeoutError';
}
