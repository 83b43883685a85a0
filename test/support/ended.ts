import type { Ended } from '../../helpers/child-process.ts';

/** A program that succeeded without output. */
export const ENDED: Ended = {
  exitCode: 0,
  signal: undefined,
  stdout: '',
  stderr: '',
  timedOut: false,
  cancelled: false,
  notFound: false,
  durationMs: 1,
};
