import { Failure } from '../../helpers/failure.ts';
import { readScanRecord, type StoredScan } from '../archive/scan-archive.ts';
import type { Redelivery } from './deliver-scan.ts';
import { checkStoredDocuments } from './stored-documents.ts';
import { openScan } from './open-scan.ts';
import { preflightOfProcessing } from './preflight.ts';
import type { PreparedScan, PrepareScan, RunOptions } from './run-scan.ts';
import { deliver, runStagesAfterScan, warn } from './run-stages.ts';
import type { ScanParts } from './scan-call.ts';
import type { ScanRecord } from './scan-record.ts';
import { findStoredPages } from './stored-pages.ts';
import { waitForScanner } from './wait-for-scanner.ts';

/**
 * Finishes a scan that ended early, without feeding paper: what is on disk is processed, and delivered where no earlier
 * call did. Documents that were made are sent as they are, byte for byte. Throws Failure `scan_not_resumable` when there is
 * nothing to finish.
 */
export function resumedScan(
  { directory }: StoredScan,
  parts: ScanParts,
  redelivery: Redelivery,
): PrepareScan {
  return async (options) => {
    const record = await readScanRecord(directory);
    options.log.info({ state: record.state, stage: record.stage }, 'scan is picked up');
    const stored = { directory, record };
    return record.documents.length > 0
      ? deliveryOf(stored, parts, options, redelivery)
      : processingOf(stored, parts, options, redelivery);
  };
}

async function deliveryOf(
  { directory, record }: StoredScan,
  parts: ScanParts,
  options: RunOptions,
  redelivery: Redelivery,
): Promise<PreparedScan> {
  await checkStoredDocuments(directory, record.documents);
  const scan = await openScan(directory, record, options, {
    state: 'delivering',
    stage: 'deliver',
    pages: record.pages,
  });
  return { scan, stages: () => deliver(scan, parts, redelivery) };
}

async function processingOf(
  { directory, record }: StoredScan,
  parts: ScanParts,
  options: RunOptions,
  redelivery: Redelivery,
): Promise<PreparedScan> {
  const { signal } = options.deadline;
  await waitForScanner({ id: options.id, directory }, parts.scanner, signal);
  const { pages, warnings } = await findStoredPages(directory, record.pages);
  if (pages.length === 0) {
    const message = 'no page of this scan is on disk: put the paper in and scan it anew';
    throw new Failure('scan_not_resumable', message);
  }
  const { workers } = await preflightOfProcessing(record.settings, parts, signal);
  const scan = await openScan(directory, record, options, {
    state: 'processing',
    stage: 'process',
    pages: pages.map(({ filename }) => filename),
  });
  await warn(scan, [...warnings, ...shortStackWarning(record)]);
  return {
    scan,
    stages: () => runStagesAfterScan(scan, parts, { workers, kept: pages, redelivery }),
  };
}

/** Whoever reads the document later must be able to see that the stack may have had more sheets. */
function shortStackWarning({ stage, state, error }: ScanRecord): string[] {
  if (stage !== 'scan') return [];
  const cause = state === 'failed' ? (error?.error ?? 'a failure') : 'the end of the service';
  return [`the feeder was stopped by ${cause}: the documents hold the pages that were safe then`];
}
