import type { DroppedPage, Stage } from '../../archive/scan-event.ts';
import { finishedDocuments, type ScanRecord, type ScanState } from '../../archive/scan-record.ts';
import { unknownUploadWarning } from '../../paperless/upload/unknown-upload.ts';
import { deliveriesOf, resultDocuments, type ResultDocument } from '../../archive/stored-form.ts';

/** The body of a successful POST /scan (docs/specification.md §2). */
export interface ScanResult {
  readonly scan_id: string;
  readonly profile: string;
  /** `held` where the scan has no documents yet; `finished` otherwise. */
  readonly state: ScanState;
  readonly page_count: number;
  readonly pages: readonly string[];
  readonly duration_ms: number;
  readonly timings_ms: Readonly<Record<Stage, number>>;
  readonly warnings: readonly string[];
  readonly dropped_pages: readonly DroppedPage[];
  readonly documents: readonly ResultDocument[];
}

/** The answer to the caller, from what the record knows. `isOpen`: the scan is being worked on. */
export function toResult(record: ScanRecord, isOpen = false): ScanResult {
  return {
    scan_id: record.scan_id,
    profile: record.profile,
    state: record.state,
    page_count: record.pages.length,
    pages: record.pages.map(({ filename }) => filename),
    duration_ms: record.duration_ms ?? 0,
    timings_ms: record.timings_ms,
    warnings: [...record.warnings, ...doubts(record, isOpen)],
    dropped_pages: record.dropped_pages,
    documents: resultDocuments(record, isOpen),
  };
}

/** A line for each upload whose outcome is unknown, with what to do. */
function doubts(record: ScanRecord, isOpen: boolean): string[] {
  const { scan_id, settings } = record;
  const advice = `If it is not there, POST {"resend_unknown": true} to /scans/${scan_id}/resume.`;
  return finishedDocuments(record).flatMap(({ title, ...document }) =>
    deliveriesOf(record, document, isOpen).flatMap(({ outcome }, index) => {
      const destination = settings.destinations[index];
      if (outcome !== 'unknown' || destination === undefined) return [];
      const filename = uploadName(scan_id, document);
      return `${unknownUploadWarning({ destination, filename, title })} ${advice}`;
    }),
  );
}

/** The file name that a system is given: it says which scan the document came from, where nothing else does. */
export function uploadName(scanId: string, { filename }: { readonly filename: string }): string {
  return `${scanId}-${filename}`;
}
