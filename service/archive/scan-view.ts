import type { ParsedSentence } from '../../helpers/sentences.ts';
import { explainWarning } from '../../helpers/warnings.ts';
import { explainCause } from '../paperless/causes.ts';
import { identityOf, type Delivery, type DestinationEntry } from '../paperless/destination.ts';
import type { Profile } from '../profiles/profile.ts';
import { turnedCrop } from '../../helpers/page-crop.ts';
import { titleOf } from './document-title.ts';
import { deliveriesOf, unknownOutcomeWarnings } from './deliveries.ts';
import { shownTurn } from './page-edits.ts';
import type { Assembled, DroppedPage, PlannedDocument, ShownPage } from './scan-event.ts';
import {
  finishedDocuments,
  type FinishedDocument,
  type RecordedPage,
  type ScanRecord,
  type ScanState,
} from './scan-record.ts';

/**
 * `interrupted`: the service stopped during the scan. `discarded`: a person decided not to file it.
 * `unreadable`: the events are damaged.
 */
export type ShownState = ScanState | 'interrupted' | 'discarded' | 'unreadable';

export interface ViewedDocument
  extends Omit<PlannedDocument, 'metadata'>, Pick<Assembled, 'bytes' | 'sha256'> {
  readonly page_count: number;
  /** Mean confidence of the words, weighted by length: 0 to 100, or null without words. */
  readonly confidence: number | null;
  readonly no_text: readonly number[];
  readonly destinations: readonly DestinationEntry[];
  readonly outcomes: readonly Delivery['outcome'][];
  /** Explains the `error` of each destination; null if there is none. */
  readonly causes: readonly (ParsedSentence | null)[];
}

/** A scan as callers see it. Responses, events, notifications and scan.json contain parts of it. */
export interface ScanView extends Pick<ScanRecord, (typeof AS_RECORDED)[number]> {
  readonly state: ShownState;
  /** The button or sensor that started the scan. Null for an API request. */
  readonly trigger: NonNullable<Profile['trigger']> | null;
  readonly page_count: number;
  /** Pages that are in a document, or will be. */
  readonly kept_page_count: number;
  readonly document_count: number;
  /** Deliveries refused or of unknown outcome. */
  readonly failed_deliveries: number;
  readonly title: string | null;
  /** The first page that is kept, or the first page if none is kept. Null without pages. */
  readonly first_page: ShownPage | null;
  /** File names in paper order. */
  readonly pages: readonly string[];
  readonly warnings: readonly string[];
  readonly dropped_pages: readonly DroppedPage[];
  readonly documents: readonly ViewedDocument[];
}

const AS_RECORDED = [
  'scan_id',
  'profile',
  'stage',
  'started_at',
  'ended_at',
  'error',
  'duration_ms',
  'timings_ms',
  'hold',
  'has_waited',
  'request',
  'settings',
] as const;

/** `isOpen` is true while a call works on the scan. */
export function viewOf(record: ScanRecord, isOpen: boolean): ScanView {
  const { scan_id } = record;
  const identities = record.settings.destinations.map(identityOf);
  const deliveries = finishedDocuments(record).map((document) => ({
    document,
    delivered: deliveriesOf(document, identities, { scan_id, isOpen }),
  }));
  const pages = new Map(record.pages.map((page) => [page.number, page]));
  const documents = deliveries.map(({ document, delivered }) => ({
    filename: document.filename,
    title: document.title,
    pages: document.pages,
    ...document.file,
    page_count: document.file.page_count ?? document.pages.length,
    ...confidenceOf(pages, document),
    destinations: delivered.map(({ entry }) => entry),
    outcomes: delivered.map(({ outcome }) => outcome),
    causes: delivered.map(({ entry }) =>
      entry.status === 'failed' ? (explainCause(entry.error) ?? null) : null,
    ),
  }));
  const doubts = deliveries.flatMap(({ document, delivered }) =>
    delivered.flatMap(({ outcome }, index) =>
      outcome === 'unknown' ? unknownOutcomeWarnings(record, document, index) : [],
    ),
  );
  const warnings = [...record.warnings, ...doubts];
  const dropped_pages = droppedPages(record);
  const dropped = new Set(dropped_pages.map(({ page }) => page));
  const kept = record.pages.filter(({ number }) => !dropped.has(number));
  return {
    ...pick(record, AS_RECORDED),
    state: shownState(record, isOpen),
    trigger: record.trigger ?? null,
    page_count: record.pages.length,
    kept_page_count: kept.length,
    document_count: documents.length,
    failed_deliveries: failuresIn(documents).length,
    title: nameOf(record),
    first_page: shownPage(kept[0] ?? record.pages[0]),
    pages: record.pages.map(({ filename }) => filename),
    warnings,
    dropped_pages,
    documents,
  };
}

/** A warning's detail is null if this version does not know its wording. */
export type Explained<View> = View & {
  readonly warning_details: readonly (ParsedSentence | null)[];
};

/** Parses every warning, which is slow, so call this only before sending or writing. */
export function explained<View extends Pick<ScanView, 'warnings'>>(view: View): Explained<View> {
  return { ...view, warning_details: explainedWarnings(view.warnings) };
}

export function explainedWarnings(warnings: readonly string[]): (ParsedSentence | null)[] {
  return warnings.map((text) => explainWarning(text) ?? null);
}

export const SUMMARY = [
  'scan_id',
  'profile',
  'state',
  'started_at',
  'ended_at',
  'page_count',
  'kept_page_count',
  'document_count',
  'failed_deliveries',
  'title',
  'first_page',
  'error',
] as const;

export interface ScanSummary extends Omit<
  Pick<ScanView, (typeof SUMMARY)[number]>,
  'kept_page_count'
> {
  /** Null for scans of older versions. */
  readonly kept_page_count: number | null;
}

export function summaryOf(view: ScanView): ScanSummary {
  return pick(view, SUMMARY);
}

const RESULT = [
  'scan_id',
  'profile',
  'state',
  'page_count',
  'pages',
  'timings_ms',
  'warnings',
  'warning_details',
  'dropped_pages',
  'documents',
] as const;

/** The response body of POST /scan (docs/specification.md §2). */
export interface ScanResult extends Pick<Explained<ScanView>, (typeof RESULT)[number]> {
  readonly duration_ms: number;
}

export function resultOf(record: ScanRecord): ScanResult {
  const view = explained(viewOf(record, false));
  return { ...pick(view, RESULT), duration_ms: record.duration_ms ?? 0 };
}

/** The title of the first document, or a preview of it from the first page. */
function nameOf(record: ScanRecord): string | null {
  const { request, documents, pages } = record;
  const planned = request.title ?? documents[0]?.title;
  if (planned !== undefined) return planned;
  const first = pages.find(({ replaced, left_out }) => !replaced && !left_out);
  if (!first?.recognized) return null;
  return titleOf(record, { pages: [first.number], metadata: {}, number: 1, count: 1 });
}

function shownPage(page: RecordedPage | undefined): ShownPage | null {
  if (page === undefined) return null;
  const turned = shownTurn(page);
  return { page: page.number, turned, crop: page.crop ? turnedCrop(page.crop, turned) : null };
}

function pick<From extends object, Field extends keyof From & string>(
  from: From,
  fields: readonly Field[],
): Pick<From, Field> {
  const entries = fields.map((field) => [field, from[field]]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- entries lose the names of their fields
  return Object.fromEntries(entries) as Pick<From, Field>;
}

/** Pages dropped by the plan, and pages that a person left out or replaced since. */
function droppedPages({ pages, dropped_pages: planned }: ScanRecord): DroppedPage[] {
  const known = new Set(planned.map(({ page }) => page));
  const others = pages.filter(({ number }) => !known.has(number));
  return [
    ...planned,
    ...others.flatMap(({ number: page, replaced, left_out }): DroppedPage[] => {
      if (replaced) return [{ page, reason: 'replaced' }];
      return left_out ? [{ page, reason: 'person' }] : [];
    }),
  ];
}

/** Pages that are not recognized yet do not count. */
function confidenceOf(
  pages: ReadonlyMap<number, RecordedPage>,
  document: Pick<FinishedDocument, 'pages'>,
): Pick<ViewedDocument, 'confidence' | 'no_text'> {
  const read = document.pages.flatMap((number) => {
    const facts = pages.get(number)?.recognized?.facts;
    return facts === undefined ? [] : [{ number, ...facts }];
  });
  const characters = read.reduce((sum, page) => sum + page.characters, 0);
  const weighted = read.reduce((sum, page) => sum + page.characters * (page.confidence ?? 0), 0);
  return {
    confidence: characters === 0 ? null : Math.round(weighted / characters),
    no_text: read.filter(({ confidence }) => confidence === null).map(({ number }) => number),
  };
}

/** A scan that is not open and has no end was interrupted. */
function shownState(
  { state, discarded }: Pick<ScanRecord, 'state' | 'discarded'>,
  isOpen: boolean,
): ShownState {
  if (discarded) return 'discarded';
  const hasEnded = state === 'finished' || state === 'held' || state === 'failed';
  return isOpen || hasEnded ? state : 'interrupted';
}

export function failuresIn(documents: readonly Pick<ViewedDocument, 'destinations'>[]): string[] {
  return documents.flatMap(({ destinations }) =>
    destinations.flatMap((entry) => (entry.status === 'failed' ? [entry.error] : [])),
  );
}
