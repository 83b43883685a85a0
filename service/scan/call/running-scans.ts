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

/** A call that is being answered. */
export interface RunningCall {
  readonly id: string;
  readonly deadline: Deadline;
  readonly stop: AbortSignal;
  readonly log: Log;
  /** The stages of an open scan: what they throw is recorded and answered, and the scan is closed after them. */
  finish(
    open: OpenScan,
    stages: (scan: Scan, clock: StageClock) => Promise<void>,
  ): Promise<CallOutcome>;
}

/** What a call needs to be run. */
export interface CallClaim {
  readonly id: string;
  /** Its time budget. */
  readonly seconds: number;
  /** When it came, as `performance.now()`. */
  readonly startedAt: number;
  /** What is known of a scan that is taken up again, for a timeout that comes before it is open. */
  readonly record?: ScanRecord;
  /** Called once no other call works on the scan: the events that follow are those of this call. */
  readonly onTurn?: ((id: string) => void) | undefined;
}

/** Runs calls beside each other, but no scan twice at once. */
export interface RunningScans {
  /**
   * Resolves with the result by the deadline, or rejects with a Failure; the call itself goes on to its end, whoever listens:
   * when the caller hangs up, the paper has moved already.
   */
  run(claim: CallClaim, work: (call: RunningCall) => Promise<CallOutcome>): Promise<ScanResult>;
  /**
   * Makes a short change of a scan that no call works on, each after the one before; a call that comes meanwhile waits for it. Throws
   * Failure `scan_in_progress` while one works on it.
   */
  change<Value>(id: string, work: () => Promise<Value>): Promise<Value>;
  isRunning(id: string): boolean;
  /** What the call that works on a scan is answered; undefined where none does. */
  answer(id: string): Promise<ScanResult> | undefined;
  /** Has the feeder of a call stop after the sheet under way; does nothing where none is feeding. */
  stop(id: string): void;
  /** Throws Failure `shutting_down` once `drain` was called. */
  checkOpen(): void;
  /** Begins no more calls and resolves when those under way have ended. */
  drain(): Promise<void>;
}

/** How the time of a call is counted, and how long what winds up after it is waited for, in milliseconds. */
export interface CallTimes {
  /**
   * How long after the deadline the answer waits for the stages to wind up, so that it can say how they ended. The caller is
   * promised its answer within 1 s of the deadline.
   */
  readonly answer: number;
  /**
   * How long the next call of a scan waits for one whose time has passed. It ends when the sheet under way is through: the
   * runtime gives a slow one 8 s.
   */
  readonly nextCall: number;
  readonly deadlineOf: typeof createDeadline;
  /** For the destinations, before paper is fed. */
  readonly check: CheckTimes;
}

export const CALL_TIMES: CallTimes = {
  answer: 500,
  nextCall: 15_000,
  deadlineOf: createDeadline,
  check: CHECK_TIMES,
};

/** What is under way for a scan. */
interface Busy {
  /** Settles when nothing is any more; never rejects. */
  readonly ended: Promise<unknown>;
  /** Missing for a short change. */
  readonly call?: {
    readonly deadline: Deadline;
    readonly stop: AbortController;
    readonly answer: Promise<ScanResult>;
  };
}

/** Nothing is under way at first. */
export function createRunningScans(log: Log, times = CALL_TIMES): RunningScans {
  const busy = new Map<string, Busy>();
  const callOf = (id: string): Busy['call'] => busy.get(id)?.call;
  let draining = false;

  function checkOpen(): void {
    if (draining) throw shuttingDown();
  }

  return {
    run: async ({ id, seconds, startedAt, record, onTurn }, work) => {
      checkOpen();
      const deadline = times.deadlineOf(seconds, startedAt);
      const patience = AbortSignal.any([deadline.signal, AbortSignal.timeout(times.nextCall)]);
      // Two that waited for the same call must not both go on.
      for (let other = busy.get(id); other; other = busy.get(id)) {
        await toBecomeIdle(id, other, patience);
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
      onTurn?.(id);
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
 * Waits for what a scan is busy with and that ends soon: a change, or a call whose time has passed. The caller of a 504 may ask for the
 * rest at once, while the last sheet is still moving. Throws Failure `scan_in_progress` for all else, and after the patience.
 */
async function toBecomeIdle(
  id: string,
  { ended, call }: Busy,
  patience: AbortSignal,
): Promise<void> {
  const endsSoon = !call || call.deadline.signal.aborted;
  if (!endsSoon || patience.aborted) throw scanInProgress(id);
  await beforeAbort(patience, ended, () => {});
}

function shuttingDown(): Failure {
  return new Failure('shutting_down', 'The service is stopping. Scan again when it is back.');
}

function scanStopped(): Failure {
  const message = 'The feeder was stopped on request, after the sheet that was under way.';
  return new Failure('scan_stopped', message);
}

/** The failure of a call for a scan that is under way. */
export function scanInProgress(id: string): Failure {
  return new Failure(
    'scan_in_progress',
    'This scan is still under way. GET /scans/{scan_id} shows how far it is; ask again when it has ended.',
    { facts: { scan_id: id } },
  );
}

/** Settles as `ended` does, or rejects with what `late` makes some time after the deadline. */
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
    // Other failures have their facts: that of an earlier call is about the scan of that call.
    throw call.deadline.signal.aborted ? withScanFacts(failure, call.id, record) : failure;
  }
  if (outcome instanceof Failure) throw outcome;
  return outcome;
}

function lateFailure({ id, deadline }: RunningCall, known: ScanRecord | undefined): Failure {
  return withScanFacts(timeoutFailure(deadline, known?.stage ?? 'scan'), id, known);
}

/** The runtime's last word about the feeder comes after an answer that does not wait for it. */
function whileMoving(record: ScanRecord): ScanRecord {
  if (record.stage !== 'scan') return record;
  const stopping = warning('still_stopping', { scan_id: record.scan_id });
  return { ...record, warnings: [...record.warnings, stopping] };
}
