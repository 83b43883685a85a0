import type { Delivery, DestinationEntry } from '../paperless/destination.ts';
import { confidenceOf, type DocumentConfidence } from './document-confidence.ts';
import type { DroppedPage, Stage } from './scan-event.ts';
import {
  CUT_OFF,
  finishedDocuments,
  type FinishedDocument,
  type RecordedUpload,
  type ScanRecord,
  type ScanState,
} from './scan-record.ts';

/** A document as callers see it (docs/specification.md §2). */
export interface ResultDocument extends DocumentConfidence {
  readonly filename: string;
  /** Numbers of its pages. */
  readonly pages: readonly number[];
  readonly page_count: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly destinations: readonly DestinationEntry[];
}

/** What `scan.json` holds: the scan result of docs/specification.md §2 as far as it has come, the state, and what the scan began with. */
export interface StoredForm {
  readonly scan_id: string;
  readonly profile: string;
  readonly state: ScanState;
  readonly stage: Stage;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly page_count: number;
  /** File names, in the order of the paper. */
  readonly pages: readonly string[];
  readonly duration_ms: number | null;
  readonly timings_ms: Readonly<Record<Stage, number>>;
  readonly warnings: readonly string[];
  readonly dropped_pages: readonly DroppedPage[];
  readonly documents: readonly ResultDocument[];
  readonly error: ScanRecord['error'];
  readonly request: ScanRecord['request'];
  readonly settings: ScanRecord['settings'];
}

/** The record as it is written for people and scripts. */
export function storedForm(record: ScanRecord): StoredForm {
  const {
    pages,
    documents: _,
    duplex: _d,
    slots: _s,
    hold: _h,
    backs: _b,
    unmatched: _u,
    plan_warnings: _p,
    ...rest
  } = record;
  return {
    ...rest,
    page_count: pages.length,
    pages: pages.map(({ filename }) => filename),
    documents: resultDocuments(record),
  };
}

/** The documents that are complete. `isOpen`: somebody works on the scan. */
export function resultDocuments(record: ScanRecord, isOpen = true): ResultDocument[] {
  return finishedDocuments(record).map((document) => resultDocument(record, document, isOpen));
}

/** A document that is complete, as callers see it. */
export function resultDocument(
  record: Pick<ScanRecord, 'slots' | 'pages'>,
  document: FinishedDocument,
  isOpen: boolean,
): ResultDocument {
  return {
    filename: document.filename,
    pages: document.pages,
    page_count: document.pages.length,
    ...document.file,
    ...confidenceOf(record.pages, document),
    destinations: deliveriesOf(record, document, isOpen).map(({ entry }) => entry),
  };
}

/** Shown for a destination whose turn comes after one that was served in an earlier call. */
const NOT_YET: Delivery = {
  entry: { status: 'failed', error: 'The upload has not begun.' },
  outcome: 'refused',
};

/**
 * What is known of a document at each destination of the settings, in their order, up to the last one that was served. An
 * upload without an end is under way while somebody works on the scan: then the one before it counts. Otherwise it was cut
 * off, and nobody knows whether the document arrived.
 */
export function deliveriesOf(
  { slots }: Pick<ScanRecord, 'slots'>,
  { uploads }: Pick<FinishedDocument, 'uploads'>,
  isOpen: boolean,
): Delivery[] {
  const known = slots.current.map((slot) => deliveryOf(uploads[slot], isOpen));
  const served = known.findLastIndex((delivery) => delivery !== undefined) + 1;
  return known.slice(0, served).map((delivery) => delivery ?? NOT_YET);
}

/** The causes of the deliveries that were refused, or whose outcome is unknown. */
export function failedDeliveries(record: ScanRecord, isOpen: boolean): string[] {
  return finishedDocuments(record).flatMap((document) =>
    deliveriesOf(record, document, isOpen).flatMap(({ entry }) =>
      entry.status === 'failed' ? [entry.error] : [],
    ),
  );
}

/** What is known of an upload; undefined where none has ended. */
export function deliveryOf(
  upload: RecordedUpload | undefined,
  isOpen: boolean,
): Delivery | undefined {
  if (upload?.isOpen === true && !isOpen) return CUT_OFF;
  return upload?.last;
}
