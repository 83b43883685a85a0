import type { Ended } from '../../helpers/child-process.ts';

/** The end of a program that did what it should and said nothing. */
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
