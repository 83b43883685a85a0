import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../../failure.ts';
import { JobFailed } from './python-jobs.ts';

/** In milliseconds. The machine may recover from a shortage of processes or descriptors. */
const PAUSE_MS = 500;

/**
 * Retries once, but not after a Failure, which would fail again, or a timeout, which would take as
 * long again. Throws the second error, or the signal's reason.
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
