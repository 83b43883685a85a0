import { afterDeadline, timeoutFailure, type Deadline } from './deadline.ts';
import { withScanFacts, type ScanRun } from './run-scan.ts';
import type { ScanResult } from './scan-call.ts';

/**
 * How long after the deadline the answer waits for the stages to wind up, so that it can tell how they ended. The client
 * is promised its answer within 1 s of the deadline.
 */
const WIND_UP_MS = 500;

/** The end of the run, or a timeout failure when it has not come soon after the deadline. */
export async function answerInTime(
  run: ScanRun,
  ended: Promise<ScanResult>,
  deadline: Deadline,
): Promise<ScanResult> {
  const stop = new AbortController();
  const late = afterDeadline(deadline, WIND_UP_MS, stop.signal).then((): never => {
    const record = run.current();
    throw withScanFacts(timeoutFailure(deadline, record?.stage ?? 'scan'), run.id, record);
  });
  try {
    return await Promise.race([ended, late]);
  } finally {
    stop.abort();
  }
}
