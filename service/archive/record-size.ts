import { Failure } from '../../helpers/failure.ts';
import type { ScanRecord } from './scan-record.ts';

/** Largest record of a scan that is taken up again, in bytes: it stays far from what cannot be read. */
const MAX_BYTES_TO_RESUME = 8 * 1024 * 1024;

/** Largest record of a scan that a person edits, in bytes: it can still be filed after the last edit. */
const MAX_BYTES_TO_EDIT = 6 * 1024 * 1024;

/** What a scan is opened for: a call that works on it, or the edit of a person. */
export type Purpose = 'call' | 'edit';

/**
 * Each call and each edit appends to the record, and one that can no longer be read could not even be shown. Throws Failure
 * `scan_not_resumable`, or `scan_not_editable`, for a record that is too large for more.
 */
export function checkSize(record: ScanRecord, bytes: number, purpose: Purpose): void {
  if (bytes > MAX_BYTES_TO_RESUME) throw notResumable(record, bytes);
  if (purpose === 'edit' && bytes > MAX_BYTES_TO_EDIT) throw notEditable(record, bytes);
}

function notResumable({ pages }: ScanRecord, bytes: number): Failure {
  const [first, last] = [pages[0]?.filename, pages.at(-1)?.filename];
  return new Failure(
    'scan_not_resumable',
    `This scan has been resumed so often that its record has ${Math.round(bytes / 1e6)} MB. Its documents and its pages, ` +
      `${first} to ${last}, stay in its directory: upload them by hand.`,
  );
}

function notEditable({ scan_id }: ScanRecord, bytes: number): Failure {
  const what = `This scan has been edited so often that its record has ${Math.round(bytes / 1e6)} MB.`;
  return new Failure('scan_not_editable', what, {
    remedy: `File it as it is: POST {} to /scans/${scan_id}/resume.`,
    facts: { scan_id },
  });
}
