import type { RunOptions } from './run-scan.ts';
import type { Scan } from './scan-call.ts';
import { keepScanRecord, type ScanRecord } from './scan-record.ts';

/** Takes a stored scan up again: its record says from now on that it is under way, from `start`. */
export async function openScan(
  directory: string,
  record: ScanRecord,
  { id, deadline, log }: RunOptions,
  start: Pick<ScanRecord, 'state' | 'stage' | 'pages'>,
): Promise<Scan> {
  const kept = await keepScanRecord(directory, {
    ...record,
    ...start,
    page_count: start.pages.length,
    ended_at: null,
    error: null,
  });
  return {
    id,
    directory,
    profile: record.settings,
    metadata: record.request,
    startedAt: new Date(record.started_at),
    record: kept,
    deadline,
    log,
  };
}
