import type { ListedScan } from '../archive/scan-archive.ts';
import type { DocumentMetadata } from '../destinations/destination.ts';
import { toResult, type ScanResult } from '../scan/scan-call.ts';
import type { ScannedDocument, ScanRecord, ScanState, Stage } from '../scan/scan-record.ts';

/** `interrupted`: the service was stopped in the middle; `unreadable`: its record is damaged. */
export type ShownState = ScanState | 'interrupted' | 'unreadable';

/** A scan in the answer of GET /scans. */
export interface ScanSummary {
  readonly scan_id: string;
  readonly state: ShownState;
  readonly profile: string | null;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly page_count: number | null;
  readonly document_count: number | null;
  readonly error: ScanRecord['error'];
}

/** Body of GET /scans/{scan_id}: what `scan.json` knows, but for the profile, which may have changed since. */
export interface ScanDetails extends Omit<ScanResult, 'documents' | 'duration_ms'> {
  readonly state: ShownState;
  readonly stage: Stage;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly duration_ms: number | null;
  readonly error: ScanRecord['error'];
  readonly request: DocumentMetadata;
  readonly documents: readonly ScannedDocument[];
}

/** What a list tells of a scan. */
export function scanSummary({ id, record }: ListedScan, isRunning: boolean): ScanSummary {
  if (!record) return { ...UNREADABLE, scan_id: id };
  const { profile, started_at, ended_at, page_count, documents, error } = record;
  return {
    scan_id: id,
    state: shownState(record, isRunning),
    profile,
    started_at,
    ended_at,
    page_count,
    document_count: documents.length,
    error,
  };
}

const UNREADABLE: Omit<ScanSummary, 'scan_id'> = {
  state: 'unreadable',
  profile: null,
  started_at: null,
  ended_at: null,
  page_count: null,
  document_count: null,
  error: null,
};

/** All that is told of one scan. */
export function scanDetails(record: ScanRecord, isRunning: boolean): ScanDetails {
  return {
    ...toResult(record),
    state: shownState(record, isRunning),
    stage: record.stage,
    started_at: record.started_at,
    ended_at: record.ended_at,
    duration_ms: record.duration_ms,
    error: record.error,
    request: record.request,
    documents: record.documents,
  };
}

/** A record that says that the scan is under way, when nothing is, was left by a service that was stopped. */
function shownState({ state }: ScanRecord, isRunning: boolean): ShownState {
  return isRunning || state === 'finished' || state === 'failed' ? state : 'interrupted';
}
