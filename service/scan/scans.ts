import type { Log } from '../../helpers/log.ts';
import type { ScanArchive } from '../archive/scan-archive.ts';
import type { Profile } from '../profiles/profile.ts';
import { continuedScan } from './continued-scan.ts';
import { isToBeSent, type Redelivery } from './deliver-scan.ts';
import type { CallIdentity } from './idempotency.ts';
import { newScan } from './new-scan.ts';
import { resumedScan } from './resumed-scan.ts';
import type { PrepareScan } from './run-scan.ts';
import { createRunner, type Runner } from './runner.ts';
import { toResult, type ScanCall, type ScanParts, type ScanResult } from './scan-call.ts';
import { createScanId } from './scan-id.ts';
import { createScanOnce } from './scan-once.ts';
import type { ScanRecord } from './scan-record.ts';

/** The calls resolve with the result by the profile's deadline, or reject with a Failure. */
export interface Scans extends Pick<Runner, 'isRunning' | 'drain'> {
  /** Scans, processes and delivers. The same `identity` again is answered with the first result. */
  scan(call: ScanCall, identity?: CallIdentity): Promise<ScanResult>;
  /** Scans the rest of a stack into a scan that ended early, then processes and delivers all of it. */
  continueScan(id: string, identity?: CallIdentity): Promise<ScanResult>;
  /** Processes and delivers what is left of a scan that ended early, without scanning. */
  resume(id: string, redelivery: Redelivery): Promise<ScanResult>;
}

/** Runs scans, one at a time for each scanner, and keeps the promise about the deadline whatever a part does. */
export function createScans(parts: ScanParts, archive: ScanArchive, log: Log): Scans {
  const runner = createRunner(log);
  const once = createScanOnce(archive, (id) => runner.isRunning(id));

  function feed(
    id: string,
    { device, timeout_seconds: seconds, paths }: Profile,
    prepare: PrepareScan,
    identity: CallIdentity | undefined,
  ): Promise<ScanResult> {
    return once({ id, root: paths.output_dir, prepare, identity }, (remembered) =>
      runner.run({ id, device, seconds }, remembered),
    );
  }

  return {
    scan: async (call, identity) => {
      runner.checkOpen();
      return feed(createScanId(new Date()), call.profile, newScan(call, parts), identity);
    },
    continueScan: async (id, identity) => {
      runner.checkOpen();
      const stored = await archive.find(id);
      return feed(id, stored.record.settings, continuedScan(stored, parts), identity);
    },
    resume: async (id, redelivery) => {
      runner.checkOpen();
      const stored = await archive.find(id);
      const { record } = stored;
      if (!runner.isRunning(id) && isDone(record, redelivery)) return toResult(record);
      const seconds = record.settings.timeout_seconds;
      return runner.run({ id, seconds }, resumedScan(stored, parts, redelivery));
    },
    isRunning: (id) => runner.isRunning(id),
    drain: () => runner.drain(),
  };
}

/** Whether nothing is left to do for a scan: the result may be told as it is, as often as anybody asks. */
function isDone({ state, documents, settings }: ScanRecord, redelivery: Redelivery): boolean {
  return (
    state === 'finished' &&
    documents.every(({ outcomes }) =>
      settings.destinations.every((_, index) => !isToBeSent(outcomes[index], redelivery)),
    )
  );
}
