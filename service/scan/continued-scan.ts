import { Failure } from '../../helpers/failure.ts';
import { readScanRecord, type StoredScan } from '../archive/scan-archive.ts';
import { openScan } from './open-scan.ts';
import { preflight } from './preflight.ts';
import type { PrepareScan } from './run-scan.ts';
import { runStages, warn } from './run-stages.ts';
import type { ScanParts } from './scan-call.ts';
import { findStoredPages } from './stored-pages.ts';
import { waitForScanner } from './wait-for-scanner.ts';

/**
 * Feeds the rest of a stack into a scan that ended early, with the profile and the metadata that it began with; page numbers
 * go on. Throws Failure `scan_not_resumable` when its documents are made already: what comes now is another scan.
 */
export function continuedScan({ directory }: StoredScan, parts: ScanParts): PrepareScan {
  return async (options) => {
    const record = await readScanRecord(directory);
    if (record.documents.length > 0) {
      const message =
        'the documents of this scan are made already: scan the rest without "continue_scan"';
      throw new Failure('scan_not_resumable', message);
    }
    const { signal } = options.deadline;
    const { workers } = await preflight(record.settings, parts, signal);
    await waitForScanner({ id: options.id, directory }, parts.scanner, signal);
    const { pages, warnings, last } = await findStoredPages(directory, record.pages);
    const scan = await openScan(directory, record, options, {
      state: 'scanning',
      stage: 'scan',
      pages: pages.map(({ filename }) => filename),
    });
    await warn(scan, warnings);
    scan.log.info({ profile: record.profile, pages: pages.length }, 'scan goes on');
    return { scan, stages: () => runStages(scan, parts, { workers, kept: pages, lastPage: last }) };
  };
}
