import { turnedCrop, type Crop, type QuarterTurn } from '../../helpers/page-crop.ts';
import type { PageFacts } from '../../helpers/page-facts.ts';
import { kindOf, type ProfileKind } from '../profiles/profile-summary.ts';
import { settingsOf, shownSettings, type ShownSettings } from '../profiles/scan-settings.ts';
import { identityOf } from '../paperless/destination.ts';
import { shownTurn } from './page-edits.ts';
import type { DroppedPage } from './scan-event.ts';
import { replacementOf } from './scan-again.ts';
import type { RecordedPage, ScanRecord } from './scan-record.ts';
import { explained, viewOf, type Explained, type ScanView } from './scan-view.ts';

export interface ViewedPageFacts extends PageFacts {
  readonly page: number;
  readonly sheet: number;
  readonly side: 'front' | 'back';
}

/** A page that was scanned to replace another one, but was not used. */
export interface UnusedPage {
  readonly page: number;
  readonly filename: string;
  readonly instead_of: number | null;
}

export interface PageState {
  readonly page: number;
  readonly sheet: number;
  readonly side: 'front' | 'back';
  /** How far recognition turned the page, in degrees; null before recognition. */
  readonly turned: number | null;
  /** Why the page is in no document; null if it is in one, or if this is not decided yet. */
  readonly dropped: DroppedPage['reason'] | null;
  /** The page that this one replaced, or was meant to replace. */
  readonly replaces: number | null;
  readonly replaced_by: number | null;
  readonly left_out: boolean;
  readonly turn: QuarterTurn;
  readonly starts_document: boolean;
  /** Coordinates on the displayed page, after `turned` and `turn`. */
  readonly crop: Crop | null;
  /** Outline of the paper, found by the processor. Coordinates on the displayed page. */
  readonly proposed_crop: Crop | null;
}

/** The upload in progress. Indexes count from 0. */
export interface ViewedUpload {
  readonly document: number;
  readonly destination: number;
  readonly title: string;
}

/** Body of GET /scans/{scan_id}. Shows only those settings that a caller may choose. */
export type ScanDetails = Explained<ShownDetails>;

export interface ShownDetails extends Omit<ScanView, 'settings'> {
  readonly settings: ShownSettings;
  readonly asked_settings: ShownSettings;
  readonly recognized_count: number;
  readonly upload: ViewedUpload | null;
  readonly kind: ProfileKind;
  readonly page_states: readonly PageState[];
  readonly page_facts: readonly ViewedPageFacts[];
  readonly unused_pages: readonly UnusedPage[];
  /** The web address of each destination, in delivery order; null if it has none. */
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
    page_states: record.pages.map((page) =>
      stateOf(page, record.pages, reasons.get(page.number) ?? null),
    ),
    page_facts,
    unused_pages: record.replacementCandidates.map(unusedPage),
    public_urls: settings.destinations.map(({ public_url }) => public_url ?? null),
  };
}

function unusedPage({ number: page, filename, instead_of }: RecordedPage): UnusedPage {
  return { page, filename, instead_of: instead_of ?? null };
}

function stateOf(
  page: RecordedPage,
  pages: readonly RecordedPage[],
  dropped: PageState['dropped'],
): PageState {
  const { number, sheet, side, recognized, turn } = page;
  const shown = shownTurn(page);
  return {
    page: number,
    sheet,
    side,
    turned: turn?.from ?? recognized?.facts.turned ?? null,
    dropped,
    replaces: page.instead_of ?? null,
    replaced_by: replacementOf(pages, page)?.number ?? null,
    left_out: page.left_out === true,
    turn: turn?.by ?? 0,
    starts_document: page.starts_document === true,
    crop: page.crop ? turnedCrop(page.crop, shown) : null,
    proposed_crop: page.paper ? turnedCrop(page.paper, shown) : null,
  };
}

/** Uploads run one at a time, so at most one is in progress. */
function uploadUnderWay({ documents, settings }: ScanRecord): ViewedUpload | null {
  const identities = settings.destinations.map(identityOf);
  for (const [document, { uploads, title }] of documents.entries()) {
    const destination = identities.findIndex((identity) => uploads[identity]?.isOpen);
    if (destination !== -1) return { document, destination, title };
  }
  return null;
}
