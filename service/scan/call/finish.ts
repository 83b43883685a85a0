import type { Failure } from '../../../helpers/failure.ts';
import { stateAtEnd } from '../../archive/fold.ts';
import type { OpenScan } from '../../archive/open-scan.ts';
import type { StageTimings } from '../../archive/scan-event.ts';
import { resultOf, viewOf, type ScanResult } from '../../archive/scan-view.ts';
import { asOnDisk, toScanFailure, withScanFacts } from './scan-failure.ts';
import type { Scan, StageClock } from '../scan.ts';

/** How a call ended: a failure of its stages is recorded. */
export type CallOutcome = ScanResult | Failure;

/** Runs the stages of an open scan, records how they ended, and closes it. A failure is recorded, logged, and has the facts for the caller. */
export async function finish(
  { id, deadline, stop, log }: Pick<Scan, 'id' | 'deadline' | 'stop' | 'log'>,
  open: OpenScan,
  stages: (scan: Scan, clock: StageClock) => Promise<void>,
): Promise<CallOutcome> {
  const timings: { -readonly [S in keyof StageTimings]: StageTimings[S] } = {};
  const clock: StageClock = async (stage, run) => {
    const began = performance.now();
    try {
      await run();
    } finally {
      timings[stage] = Math.round(performance.now() - began);
    }
  };
  const end = async (failure?: Failure): Promise<void> => {
    const record = open.record();
    const { page_count, document_count, failed_deliveries, title } = viewOf(record, false);
    await open.end({
      type: 'ended',
      profile: record.profile,
      started_at: record.started_at,
      state: stateAtEnd(record, failure !== undefined),
      error: failure ? { error: failure.code, message: failure.message } : null,
      page_count,
      document_count,
      failed_deliveries,
      title,
      duration_ms: Math.round(performance.now() - deadline.startedAt),
      timings_ms: timings,
    });
  };
  try {
    await stages({ ...open, id, deadline, stop, log }, clock);
    await end();
    return resultOf(open.record());
  } catch (error) {
    const failure = toScanFailure(error, deadline, open.record().stage);
    await end(failure).catch((endError: unknown) => {
      log.error(
        { event: 'end_not_recorded', err: endError },
        'The end of the scan could not be recorded.',
      );
    });
    log.error({ event: 'scan_failed', err: failure }, failure.message);
    const stored = await asOnDisk(open.directory, open.record());
    return withScanFacts(failure, id, stored);
  } finally {
    await open.close();
  }
}
