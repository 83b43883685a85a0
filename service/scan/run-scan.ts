import { Failure } from '../../helpers/failure.ts';
import type { Log } from '../../helpers/log.ts';
import { storageFailure } from '../storage/storage-failure.ts';
import { timeoutFailure, type Deadline } from './deadline.ts';
import { toResult, toResultDocuments, type Scan, type ScanResult } from './scan-call.ts';
import type { ScanRecord } from './scan-record.ts';

export interface ScanRun {
  readonly id: string;
  /** What the record knows at this moment; undefined before the scan directory exists. */
  current(): ScanRecord | undefined;
  /** Settles when the scan has ended and nothing of it is under way. Rejects with a Failure, facts filled in. */
  readonly ended: Promise<ScanResult>;
}

export interface RunOptions {
  readonly id: string;
  readonly deadline: Deadline;
  readonly log: Log;
}

/** A scan that can begin, and what it goes through. */
export interface PreparedScan {
  readonly scan: Scan;
  readonly stages: () => Promise<void>;
}

/** Checks what can be checked and opens the record; a Failure that it throws leaves an older record as it was. */
export type PrepareScan = (options: RunOptions) => Promise<PreparedScan>;

/** Begins a scan. It goes on to its end, whoever listens: when the caller hangs up, the paper has moved already. */
export function runScan(prepare: PrepareScan, options: RunOptions): ScanRun {
  let scan: Scan | undefined;
  const begin = async (): Promise<ScanResult> => {
    try {
      const prepared = await prepare(options);
      scan = prepared.scan;
      await prepared.stages();
      return await finishScan(scan);
    } catch (error) {
      throw await failScan(scan, options, error);
    }
  };
  return { id: options.id, current: () => scan?.record.current(), ended: begin() };
}

async function finishScan(scan: Scan): Promise<ScanResult> {
  await scan.record.update({ state: 'finished', ...endOf(scan.deadline) });
  const result = toResult(scan.record.current());
  const { page_count, documents, duration_ms, timings_ms } = result;
  scan.log.info(
    { page_count, documents: documents.length, duration_ms, timings_ms },
    'scan finished',
  );
  return result;
}

/** Puts the failure into the record and returns it with the facts that the caller is told. */
async function failScan(
  scan: Scan | undefined,
  options: RunOptions,
  error: unknown,
): Promise<Failure> {
  const { deadline, log } = options;
  const failure = toFailure(error, deadline, scan?.record.current().stage ?? 'scan');
  try {
    await scan?.record.update({
      state: 'failed',
      ...endOf(deadline),
      error: { error: failure.code, message: failure.message },
    });
  } catch (writeError) {
    log.error({ err: writeError }, 'scan.json could not be brought up to date');
  }
  log.error({ err: failure }, `scan failed: ${failure.message}`);
  return withScanFacts(failure, options.id, scan?.record.current());
}

/**
 * The same failure with what a caller needs to find the pages again, and how to go on with them. A scan that never got a
 * directory has nothing to find; only a timeout is answered with the same facts wherever it struck.
 */
export function withScanFacts(failure: Failure, id: string, record?: ScanRecord): Failure {
  const isTimeout = failure.code === 'timeout';
  if (!record && !isTimeout) return failure;
  const facts = {
    ...failure.facts,
    scan_id: id,
    page_count: record?.page_count ?? 0,
    ...(isTimeout && {
      stage: record?.stage ?? 'scan',
      documents: toResultDocuments(record?.documents ?? []),
    }),
  };
  const message = failure.message + (record ? wayOn(id, record) : '');
  return new Failure(failure.code, message, { facts, cause: failure.cause });
}

/** What a caller can do with the pages that are safe; nothing where there are none. */
function wayOn(id: string, { page_count, documents }: ScanRecord): string {
  if (page_count === 0) return '';
  const safe = page_count === 1 ? '1 page is safe' : `${page_count} pages are safe`;
  if (documents.length > 0) return ` (${safe}: POST /scans/${id}/resume delivers what is left)`;
  return (
    ` (${safe}: POST /scans/${id}/resume files what is there; POST /scan with {"continue_scan": "${id}"} ` +
    'feeds the rest into the same scan)'
  );
}

function toFailure(error: unknown, deadline: Deadline, stage: string): Failure {
  if (deadline.signal.aborted) return timeoutFailure(deadline, stage, error);
  if (error instanceof Failure) return error;
  return (
    storageFailure(error) ??
    new Failure('internal_error', 'a bug of the service ended the scan: see its log', {
      cause: error,
    })
  );
}

function endOf(deadline: Deadline): Pick<ScanRecord, 'ended_at' | 'duration_ms'> {
  return {
    ended_at: new Date().toISOString(),
    duration_ms: Math.round(performance.now() - deadline.startedAt),
  };
}
