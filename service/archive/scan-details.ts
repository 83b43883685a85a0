import type { PageFacts } from '../../helpers/page-facts.ts';
import { kindOf, type ProfileKind } from '../profiles/profile-summary.ts';
import { settingsOf, shownSettings, type ShownSettings } from '../profiles/scan-settings.ts';
import { identityOf } from '../paperless/destination.ts';
import type { DroppedPage, QuarterTurn } from './scan-event.ts';
import type { RecordedPage, ScanRecord } from './scan-record.ts';
import { explained, viewOf, type Explained, type ScanView } from './scan-view.ts';

/** What is known of a page that was recognised. */
export interface ViewedPageFacts extends PageFacts {
  readonly page: number;
  readonly sheet: number;
  readonly side: 'front' | 'back';
}

/** What a screen shows of a page. */
export interface PageState {
  readonly page: number;
  readonly sheet: number;
  readonly side: 'front' | 'back';
  /** Degrees that it was turned by for reading; null until its text is read. Of one that a person turned: how it stood before. */
  readonly turned: number | null;
  /** Why no document gets it; null where one does, or where this is not decided yet. */
  readonly dropped: DroppedPage['reason'] | null;
  /** What a person wants of it; see `PageEdit`. */
  readonly left_out: boolean;
  readonly turn: QuarterTurn;
  readonly starts_document: boolean;
}

/** The upload under way, by the positions of its document and destination, from 0. */
export interface ViewedUpload {
  readonly document: number;
  readonly destination: number;
  readonly title: string;
}

/** Body of GET /scans/{scan_id}: everything but what the profile alone decides. */
export type ScanDetails = Explained<ShownDetails>;

/** The same without what the warnings say. */
export interface ShownDetails extends Omit<ScanView, 'settings'> {
  /** What the scan is made with. */
  readonly settings: ShownSettings;
  /** What of that was chosen for this scan. */
  readonly asked_settings: ShownSettings;
  /** Pages whose text is read. */
  readonly recognized_count: number;
  readonly upload: ViewedUpload | null;
  /** How the paper is put in. */
  readonly kind: ProfileKind;
  /** In the order of the paper. */
  readonly page_states: readonly PageState[];
  readonly page_facts: readonly ViewedPageFacts[];
  /** Where a browser finds each destination, in delivery order; null where the profile does not say. */
  readonly public_urls: readonly (string | null)[];
}

export function detailsOf(record: ScanRecord, isOpen: boolean): ScanDetails {
  return explained(shownDetailsOf(record, isOpen));
}

export function shownDetailsOf(record: ScanRecord, isOpen: boolean): ShownDetails {
  const { settings, ...view } = viewOf(record, isOpen);
  const page_facts = record.pages.flatMap(({ number, sheet, side, recognized }) =>
    recognized ? [{ page: number, sheet, side, ...recognized.facts }] : [],
  );
  const reasons = new Map(view.dropped_pages.map(({ page, reason }) => [page, reason]));
  return {
    ...view,
    settings: settingsOf(settings),
    asked_settings: shownSettings(record.asked_settings),
    recognized_count: page_facts.length,
    upload: isOpen ? uploadUnderWay(record) : null,
    kind: kindOf(settings),
    page_states: record.pages.map((page) => stateOf(page, reasons.get(page.number) ?? null)),
    page_facts,
    public_urls: settings.destinations.map(({ public_url }) => public_url ?? null),
  };
}

function stateOf(page: RecordedPage, dropped: PageState['dropped']): PageState {
  const { number, sheet, side, recognized, turn } = page;
  return {
    page: number,
    sheet,
    side,
    turned: turn?.from ?? recognized?.facts.turned ?? null,
    dropped,
    left_out: page.left_out === true,
    turn: turn?.by ?? 0,
    starts_document: page.starts_document === true,
  };
}

/** Uploads are made one after the other. */
function uploadUnderWay({ documents, settings }: ScanRecord): ViewedUpload | null {
  const identities = settings.destinations.map(identityOf);
  for (const [document, { uploads, title }] of documents.entries()) {
    const destination = identities.findIndex((identity) => uploads[identity]?.isOpen);
    if (destination !== -1) return { document, destination, title };
  }
  return null;
}
