import { warning } from '../../../helpers/warnings.ts';
import { beforeAbort } from '../../../helpers/before-abort.ts';
import { Failure } from '../../../helpers/failure.ts';
import type { Log } from '../../../helpers/log.ts';
import type { OpenScan } from '../../archive/open-scan.ts';
import type { ScanRecord } from '../../archive/scan-record.ts';
import type { ScanResult } from '../../archive/scan-view.ts';
import { CHECK_TIMES, type CheckTimes } from './check-destinations.ts';
import { createDeadline, timeoutFailure, type Deadline } from '../deadline.ts';
import { finish, type CallOutcome, toScanFailure, withScanFacts } from './finish.ts';
import type { Scan, StageClock } from '../scan.ts';

/** A request or trigger that scans paper, or a request that resumes a scan. */
export interface RunningCall {
  readonly id: string;
  readonly deadline: Deadline;
  readonly stop: AbortSignal;
  readonly log: Log;
  finish(
    open: OpenScan,
    stages: (scan: Scan, clock: StageClock) => Promise<void>,
  ): Promise<CallOutcome>;
}

export interface CallClaim {
  readonly id: string;
  readonly seconds: number;
  /** When the call arrived, as `performance.now()`. */
  readonly startedAt: number;
  /** The record of an existing scan, to answer a timeout that comes before the scan is open. */
  readonly record?: ScanRecord;
  /** Called once all earlier calls for the scan have ended. Later events belong to this call. */
  readonly onStart?: ((id: string) => void) | undefined;
}

export interface RunningScans {
  /** Settles by the deadline. The call goes on even if the caller hangs up: paper has moved. */
  run(claim: CallClaim, work: (call: RunningCall) => Promise<CallOutcome>): Promise<ScanResult>;
  /**
   * Makes a short change to a scan. Changes run one after another, and calls wait for them. Throws
   * Failure `scan_in_progress` while a call is running.
   */
  change<Value>(id: string, work: () => Promise<Value>): Promise<Value>;
  isRunning(id: string): boolean;
  answer(id: string): Promise<ScanResult> | undefined;
  /** Stops the feeder after the current sheet, if it is running. */
  stop(id: string): void;
  /** Throws Failure `shutting_down` after `drain`. */
  checkOpen(): void;
  /** Refuses new calls. Resolves when all running calls have ended. */
  drain(): Promise<void>;
}

/** Time limits of a call, in milliseconds. */
export interface CallTimes {
  /** How long after the deadline an answer waits for the outcome. Callers are promised 1 s. */
  readonly answer: number;
  /** How long a call waits for an earlier call past its deadline, whose last sheet may take 8 s. */
  readonly nextCall: number;
  readonly deadlineOf: typeof createDeadline;
  readonly check: CheckTimes;
}

export const CALL_TIMES: CallTimes = {
  answer: 500,
  nextCall: 15_000,
  deadlineOf: createDeadline,
  check: CHECK_TIMES,
};

interface Busy {
  /** Settles when the work has ended. Never rejects. */
  readonly ended: Promise<unknown>;
  /** Not set for edits, which finish within milliseconds. */
  readonly call?: {
    readonly deadline: Deadline;
    readonly stop: AbortController;
    readonly answer: Promise<ScanResult>;
  };
}

export function createRunningScans(log: Log, times = CALL_TIMES): RunningScans {
  const busy = new Map<string, Busy>();
  const callOf = (id: string): Busy['call'] => busy.get(id)?.call;
  let draining = false;

  function checkOpen(): void {
    if (draining) throw shuttingDown();
  }

  return {
    run: async ({ id, seconds, startedAt, record, onStart }, work) => {
      checkOpen();
      const deadline = times.deadlineOf(seconds, startedAt);
      const timeout = AbortSignal.any([deadline.signal, AbortSignal.timeout(times.nextCall)]);
      // Only one of several waiting calls may continue.
      for (let other = busy.get(id); other; other = busy.get(id)) {
        await toBecomeIdle(id, other, timeout);
        checkOpen();
      }
      let open: OpenScan | undefined;
      const stop = new AbortController();
      const call: RunningCall = {
        id,
        deadline,
        stop: stop.signal,
        log: log.child({ scan_id: id }),
        finish: async (opened, stages) => {
          open = opened;
          return finish(call, opened, stages);
        },
      };
      onStart?.(id);
      const ended = begin(call, work, record).finally(() => busy.delete(id));
      const late = (): Failure => lateFailure(call, open ? whileMoving(open.record()) : record);
      const answer = byDeadline(ended, { deadline, windUpMs: times.answer, late });
      busy.set(id, { ended: ended.catch(() => {}), call: { deadline, stop, answer } });
      return answer;
    },
    change: async (id, work) => {
      checkOpen();
      for (let other = busy.get(id); other; other = busy.get(id)) {
        if (other.call) throw scanInProgress(id);
        await other.ended;
        checkOpen();
      }
      const change = work().finally(() => busy.delete(id));
      busy.set(id, { ended: change.catch(() => {}) });
      return change;
    },
    isRunning: (id) => callOf(id) !== undefined,
    stop: (id) => callOf(id)?.stop.abort(scanStopped()),
    answer: (id) => callOf(id)?.answer,
    checkOpen,
    drain: async () => {
      draining = true;
      await Promise.all([...busy.values()].map(({ ended }) => ended));
    },
  };
}

/**
 * Waits for an edit, or for a call past its deadline: its last sheet may still be moving while its
 * caller retries. Throws Failure `scan_in_progress` for any other call, or after `timeout`.
 */
async function toBecomeIdle(
  id: string,
  { ended, call }: Busy,
  timeout: AbortSignal,
): Promise<void> {
  const endsSoon = !call || call.deadline.signal.aborted;
  if (!endsSoon || timeout.aborted) throw scanInProgress(id);
  await beforeAbort(timeout, ended, () => {});
}

function shuttingDown(): Failure {
  return new Failure('shutting_down', 'The service is stopping. Scan again when it is back.');
}

function scanStopped(): Failure {
  const message = 'The feeder was stopped on request, after the sheet that was under way.';
  return new Failure('scan_stopped', message);
}

export function scanInProgress(id: string): Failure {
  return new Failure(
    'scan_in_progress',
    'This scan is still under way. GET /scans/{scan_id} shows how far it is; ask again when it has ended.',
    { facts: { scan_id: id } },
  );
}

/** Settles like `ended`, or rejects with `late()` at `windUpMs` after the deadline. */
function byDeadline(
  ended: Promise<ScanResult>,
  options: { readonly deadline: Deadline; readonly windUpMs: number; readonly late: () => Failure },
): Promise<ScanResult> {
  const { deadline, windUpMs, late } = options;
  return beforeAbort(deadline.signal, ended, () =>
    beforeAbort(AbortSignal.timeout(windUpMs), ended, () => {
      throw late();
    }),
  );
}

async function begin(
  call: RunningCall,
  work: (call: RunningCall) => Promise<CallOutcome>,
  record: ScanRecord | undefined,
): Promise<ScanResult> {
  let outcome: CallOutcome;
  try {
    outcome = await work(call);
  } catch (error) {
    const failure = toScanFailure(error, call.deadline, record?.stage ?? 'scan');
    call.log.warn({ event: 'scan_refused', err: failure }, failure.message);
    // Only a timeout needs the facts of this scan. Other failures may repeat those of an earlier
    // call.
    throw call.deadline.signal.aborted ? withScanFacts(failure, call.id, record) : failure;
  }
  if (outcome instanceof Failure) throw outcome;
  return outcome;
}

function lateFailure({ id, deadline }: RunningCall, known: ScanRecord | undefined): Failure {
  return withScanFacts(timeoutFailure(deadline, known?.stage ?? 'scan'), id, known);
}

function whileMoving(record: ScanRecord): ScanRecord {
  if (record.stage !== 'scan') return record;
  const stopping = warning('still_stopping', { scan_id: record.scan_id });
  return { ...record, warnings: [...record.warnings, stopping] };
}
