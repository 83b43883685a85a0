import { Failure } from '../../helpers/failure.ts';
import type { Log } from '../../helpers/log.ts';
import { afterDeadline, createDeadline, timeoutFailure, type Deadline } from './deadline.ts';
import { createDeviceLock } from './device-lock.ts';
import { runScan, withScanFacts, type ScanRun } from './run-scan.ts';
import type { ScanCall, ScanParts, ScanResult } from './scan-call.ts';
import { createScanId } from './scan-id.ts';

/**
 * How long after the deadline the answer waits for the stages to wind up, so that it can tell how they ended. The client
 * is promised its answer within 1 s of the deadline.
 */
const WIND_UP_MS = 500;

export interface Scans {
  /** Scans, processes and delivers; resolves with the result by the profile's deadline, or rejects with a Failure. */
  scan(call: ScanCall): Promise<ScanResult>;
  /** Begins no more scans and resolves when those under way have ended, each within its own deadline. */
  drain(): Promise<void>;
}

/** Runs scans, one at a time for each scanner, and keeps the promise about the deadline whatever a part does. */
export function createScans(parts: ScanParts, log: Log): Scans {
  const lock = createDeviceLock();
  const running = new Set<Promise<unknown>>();
  let draining = false;

  return {
    scan: async (call) => {
      if (draining) {
        throw new Failure('shutting_down', 'the service is stopping: scan again when it is back');
      }
      const id = createScanId(new Date());
      const release = lock.take(call.profile.device, id);
      const deadline = createDeadline(call.profile.timeout_seconds);
      const run = runScan(call, parts, { id, deadline, log: log.child({ scan_id: id }) });
      const ended = run.ended.finally(release).finally(() => running.delete(ended));
      running.add(ended);
      return answerInTime(run, ended, deadline);
    },
    drain: async () => {
      draining = true;
      await Promise.allSettled(running);
    },
  };
}

/** The end of the run, or a timeout failure when it has not come soon after the deadline. */
async function answerInTime(
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
