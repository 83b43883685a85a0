import { Failure } from '../../../helpers/failure.ts';
import type { ScanRecord } from '../../archive/scan-record.ts';

/** The failure of a scan of which every page is dropped. Paper that is fed now, or the blank pages, may still become documents. */
export function onlyBlankPages({
  scan_id,
  dropped_pages: dropped,
}: Pick<ScanRecord, 'scan_id' | 'dropped_pages'>): Failure {
  const hasBlank = dropped.some(({ reason }) => reason === 'blank');
  const hasSeparators = dropped.some(({ reason }) => reason === 'separator');
  const hasLeftOut = dropped.some(({ reason }) => reason === 'person');
  const found = [
    hasBlank && 'blank pages',
    hasSeparators && 'separator sheets',
    hasLeftOut && 'pages that were left out',
  ];
  const advice = hasBlank
    ? `Check that the printed side faces the scanner. POST {"keep_blank_pages": true} to /scans/${scan_id}/resume files the blank pages anyway`
    : 'Put the paper to be filed into the feeder';
  return new Failure(
    'only_blank_pages',
    `The stack has only ${found.filter(Boolean).join(' and ')}, so there is no document. ${advice}; ` +
      `POST /scan with {"continue_scan": "${scan_id}"} scans more paper into the same scan.`,
    { facts: { dropped_pages: dropped } },
  );
}
