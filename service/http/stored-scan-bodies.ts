import type { PageFacts } from '../../helpers/page-facts.ts';
import type { ListedScan, StoredScan } from '../archive/scan-archive.ts';
import type { Ended, Stage } from '../archive/scan-event.ts';
import { finishedDocuments, type ScanState } from '../archive/scan-record.ts';
import { deliveriesOf, resultDocument, type ResultDocument } from '../archive/stored-form.ts';
import type { Delivery, DocumentMetadata } from '../paperless/destination.ts';
import { toResult, type ScanResult } from '../scan/call/scan-result.ts';

/** `interrupted`: the service was stopped in the middle; `unreadable`: the events of the scan are damaged. */
export type ShownState = ScanState | 'interrupted' | 'unreadable';

/** A scan in the answer of GET /scans. */
export interface ScanSummaryBody {
  readonly scan_id: string;
  readonly state: ShownState;
  readonly profile: string | null;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly page_count: number | null;
  readonly document_count: number | null;
  readonly failed_deliveries: number | null;
  readonly error: Ended['error'];
}

/** Body of GET /scans/{scan_id}: all that is known but the profile's settings. */
export interface ScanDetails extends Omit<ScanResult, 'documents' | 'duration_ms' | 'state'> {
  readonly state: ShownState;
  readonly stage: Stage;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly duration_ms: number | null;
  readonly error: Ended['error'];
  readonly request: DocumentMetadata;
  readonly page_facts: readonly ShownPageFacts[];
  readonly documents: readonly (ResultDocument & {
    readonly title: string;
    readonly outcomes: readonly Delivery['outcome'][];
  })[];
}

/** What is known of a recognised page. */
export interface ShownPageFacts extends PageFacts {
  readonly page: number;
  readonly sheet: number;
  readonly side: 'front' | 'back';
}

/** What a list shows of a scan. */
export function scanSummaryBody({ id, summary, isOpen }: ListedScan): ScanSummaryBody {
  if (!summary) return { ...UNREADABLE, scan_id: id };
  return { ...summary, scan_id: id, state: shownState(summary.state, isOpen) };
}

const UNREADABLE: Omit<ScanSummaryBody, 'scan_id'> = {
  state: 'unreadable',
  profile: null,
  started_at: null,
  ended_at: null,
  page_count: null,
  document_count: null,
  failed_deliveries: null,
  error: null,
};

/** All that is shown of one scan. */
export function scanDetails({
  record,
  isOpen,
}: Pick<StoredScan, 'record' | 'isOpen'>): ScanDetails {
  return {
    ...toResult(record, isOpen),
    state: shownState(record.state, isOpen),
    stage: record.stage,
    started_at: record.started_at,
    ended_at: record.ended_at,
    duration_ms: record.duration_ms,
    error: record.error,
    request: record.request,
    page_facts: record.pages.flatMap(({ number, sheet, side, recognized }) =>
      recognized ? [{ page: number, sheet, side, ...recognized.facts }] : [],
    ),
    documents: finishedDocuments(record).map((document) => ({
      ...resultDocument(record, document, isOpen),
      title: document.title,
      outcomes: deliveriesOf(record, document, isOpen).map(({ outcome }) => outcome),
    })),
  };
}

/** A scan that has not ended although nobody works on it was left by a service that was stopped. */
function shownState(state: ScanState, isOpen: boolean): ShownState {
  const hasEnded = state === 'finished' || state === 'held' || state === 'failed';
  return isOpen || hasEnded ? state : 'interrupted';
}
