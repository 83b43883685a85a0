import { Failure } from '../../helpers/failure.ts';
import type { Log } from '../../helpers/log.ts';
import { answerInTime } from './answer-in-time.ts';
import { createDeadline } from './deadline.ts';
import { createDeviceLock } from './device-lock.ts';
import { runScan, type PrepareScan } from './run-scan.ts';
import type { ScanResult } from './scan-call.ts';
import { scanInProgress } from './scan-once.ts';

/** What a run needs for itself. */
export interface RunClaim {
  readonly id: string;
  /** The scanner, where paper is fed. */
  readonly device?: string;
  /** Its time budget. */
  readonly seconds: number;
}

/** Runs scans beside each other, but no scan twice at once, and one at a time for each scanner. */
export interface Runner {
  /** Resolves with the result by the deadline, or rejects with a Failure; the run itself goes on to its end. */
  run(claim: RunClaim, prepare: PrepareScan): Promise<ScanResult>;
  isRunning(id: string): boolean;
  /** Throws Failure `shutting_down` once `drain` was called. */
  checkOpen(): void;
  /** Begins no more runs and resolves when those under way have ended. */
  drain(): Promise<void>;
}

/** Makes a runner that has nothing under way. */
export function createRunner(log: Log): Runner {
  const lock = createDeviceLock();
  const running = new Map<string, Promise<unknown>>();
  let draining = false;

  function checkOpen(): void {
    if (!draining) return;
    throw new Failure('shutting_down', 'the service is stopping: scan again when it is back');
  }

  return {
    run: async ({ id, device, seconds }, prepare) => {
      checkOpen();
      if (running.has(id)) throw scanInProgress(id);
      const release = device === undefined ? () => {} : lock.take(device, id);
      const deadline = createDeadline(seconds);
      const scan = runScan(prepare, { id, deadline, log: log.child({ scan_id: id }) });
      const ended = scan.ended.finally(() => {
        release();
        running.delete(id);
      });
      running.set(id, ended);
      return answerInTime(scan, ended, deadline);
    },
    isRunning: (id) => running.has(id),
    checkOpen,
    drain: async () => {
      draining = true;
      await Promise.allSettled(running.values());
    },
  };
}
