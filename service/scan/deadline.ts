import { Failure } from '../../helpers/failure.ts';

/** The one time budget of a POST /scan call, shared by every stage. */
export interface Deadline {
  /** Aborted when the time has passed. */
  readonly signal: AbortSignal;
  /** When the call began, as `performance.now()`. */
  readonly startedAt: number;
  readonly seconds: number;
}

/** Starts the clock of a call. */
export function createDeadline(seconds: number): Deadline {
  return {
    signal: AbortSignal.timeout(seconds * 1000),
    startedAt: performance.now(),
    seconds,
  };
}

/** Resolves `ms` milliseconds after the deadline has passed; stops counting when `stop` is aborted. */
export function afterDeadline(deadline: Deadline, ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const passed = (): void => {
      const timer = setTimeout(resolve, ms);
      stop.addEventListener('abort', () => clearTimeout(timer), { once: true });
    };
    if (deadline.signal.aborted) passed();
    else deadline.signal.addEventListener('abort', passed, { once: true, signal: stop });
  });
}

/** The failure of a call whose time has passed, in words that say which number to raise. */
export function timeoutFailure(deadline: Deadline, stage: string, cause?: unknown): Failure {
  return new Failure(
    'timeout',
    `the scan did not end within ${deadline.seconds} seconds and was stopped in stage "${stage}"; what was finished ` +
      'is kept: raise timeout_seconds of the profile if the stack was simply large',
    { facts: { stage }, cause },
  );
}
