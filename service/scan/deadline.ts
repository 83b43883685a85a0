import { Failure } from '../../helpers/failure.ts';

/** The one time budget of a call, shared by every stage. */
export interface Deadline {
  /** Aborted when the time has passed. */
  readonly signal: AbortSignal;
  /** When the call began, as `performance.now()`. */
  readonly startedAt: number;
  readonly seconds: number;
}

/** The deadline of a call that began at `startedAt`, a reading of `performance.now()`. */
export function createDeadline(seconds: number, startedAt: number): Deadline {
  const left = seconds * 1000 - (performance.now() - startedAt);
  return { signal: AbortSignal.timeout(Math.max(0, Math.round(left))), startedAt, seconds };
}

/** The failure of a call whose time has passed. */
export function timeoutFailure({ seconds }: Deadline, stage: string, cause?: unknown): Failure {
  return new Failure(
    'timeout',
    `The scan did not finish within ${seconds} s and was stopped in stage "${stage}". ` +
      'If the stack was simply large, raise timeout_seconds of the profile.',
    { facts: { stage }, cause },
  );
}
