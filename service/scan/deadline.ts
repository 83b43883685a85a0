import { Failure } from '../../helpers/failure.ts';

/** The time limit of a call, shared by its stages. */
export interface Deadline {
  readonly signal: AbortSignal;
  readonly startedAt: number;
  readonly seconds: number;
}

/** `startedAt` is a reading of `performance.now()`. */
export function createDeadline(seconds: number, startedAt: number): Deadline {
  const left = seconds * 1000 - (performance.now() - startedAt);
  return { signal: AbortSignal.timeout(Math.max(0, Math.round(left))), startedAt, seconds };
}

export function timeoutFailure({ seconds }: Deadline, stage: string, cause?: unknown): Failure {
  return new Failure(
    'timeout',
    `The scan did not finish within ${seconds} s and was stopped in stage "${stage}". ` +
      'If the stack was simply large, raise timeout_seconds of the profile.',
    { facts: { stage }, cause },
  );
}
