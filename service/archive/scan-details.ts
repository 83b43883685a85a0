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

/** A page that was scanned again but replaces none, such as the other side of the sheet. */
export interface UnusedPage {
  readonly page: number;
  readonly filename: string;
  readonly instead_of: number | null;
}

export interface PageState {
  readonly page: number;
  readonly sheet: number;
  readonly side: 'front' | 'back';
  /** Degrees turned for reading, before any turn by a person; null until recognized. */
  readonly turned: number | null;
  /** Why it is in no document; null if it is in one, or if that is undecided. */
  readonly dropped: DroppedPage['reason'] | null;
  /** The page that it replaced or was to replace; null for any other page. */
  readonly replaces: number | null;
  /** The page in its place, if it was scanned again. */
  readonly replaced_by: number | null;
  /** The edits of a person; see `PageEdit`. */
  readonly left_out: boolean;
  readonly turn: QuarterTurn;
  readonly starts_document: boolean;
  /** On the displayed page: rotated by `turned`, to the nearest quarter, and `turn`. */
  readonly crop: Crop | null;
  /** Where the processor found the paper, on the displayed page. */
  readonly proposed_crop: Crop | null;
}

/** The upload in progress, by the indexes of its document and destination, from 0. */
export interface ViewedUpload {
  readonly document: number;
  readonly destination: number;
  readonly title: string;
}

/** Body of GET /scans/{scan_id}: everything except what the profile alone decides. */
export type ScanDetails = Explained<ShownDetails>;

/** The details without explained warnings. */
export interface ShownDetails extends Omit<ScanView, 'settings'> {
  readonly settings: ShownSettings;
  /** The settings chosen for this scan. */
  readonly asked_settings: ShownSettings;
  readonly recognized_count: number;
  readonly upload: ViewedUpload | null;
  readonly kind: ProfileKind;
  /** In paper order. */
  readonly page_states: readonly PageState[];
  readonly page_facts: readonly ViewedPageFacts[];
  /** Pages that were scanned again and replace no page. */
  readonly unused_pages: readonly UnusedPage[];
  /** Browser address of each destination, in delivery order; null if the profile has none. */
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
    unused_pages: record.spares.map(unusedPage),
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

/** Uploads run one at a time, so there is at most one. */
function uploadUnderWay({ documents, settings }: ScanRecord): ViewedUpload | null {
  const identities = settings.destinations.map(identityOf);
  for (const [document, { uploads, title }] of documents.entries()) {
    const destination = identities.findIndex((identity) => uploads[identity]?.isOpen);
    if (destination !== -1) return { document, destination, title };
  }
  return null;
}
