import type { Ended } from '../../helpers/child-process.ts';

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
