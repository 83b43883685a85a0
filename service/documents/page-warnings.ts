import { PAGE_AREAS, type PageArea } from '../../helpers/page-facts.ts';
import { warning } from '../../helpers/warnings.ts';
import type { RecordedDocument, RecordedPage, ScanRecord } from '../archive/scan-record.ts';
import { isDuplex } from '../archive/sheets.ts';

const MAX_PAGES = 20;

/** Joins the first items: "1, 2, 5", or "1, 2, 5, …" if there are more. */
function listed(items: readonly (string | number)[], most: number): string {
  return `${items.slice(0, most).join(', ')}${items.length > most ? ', …' : ''}`;
}

/** Sorts pages and joins three or more in a row: "1-10, 12". */
function inOrder(pages: readonly number[]): string {
  const runs: { readonly first: number; last: number }[] = [];
  for (const page of pages.toSorted((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run?.last === page - 1) run.last = page;
    else runs.push({ first: page, last: page });
  }
  const items = runs.flatMap(({ first, last }): readonly (string | number)[] => {
    if (last - first > 1) return [`${first}-${last}`];
    return first === last ? [first] : [first, last];
  });
  return listed(items, MAX_PAGES);
}

function aboutPages(key: 'uncut' | 'no_text', pages: readonly RecordedPage[]): string[] {
  if (pages.length === 0) return [];
  const numbers = inOrder(pages.map(({ number }) => number));
  return [warning(pages.length === 1 ? key : `${key}/many`, { pages: numbers })];
}

export function uncutPagesWarnings(pages: readonly RecordedPage[]): string[] {
  const uncut = pages.filter(
    ({ recognized, left_out }) => recognized?.facts.cropped === false && !left_out,
  );
  return aboutPages('uncut', uncut);
}

/** Warns about pages without text that are not blank, unless `low_confidence` is 0. */
export function noTextWarnings(
  { pages, settings }: Pick<ScanRecord, 'pages' | 'settings'>,
  documents: readonly Pick<RecordedDocument, 'pages'>[],
): string[] {
  if (settings.processing.low_confidence === 0) return [];
  const filed = new Set(documents.flatMap((document) => document.pages));
  const unread = pages.filter(
    ({ number, recognized }) => filed.has(number) && recognized?.facts.unread,
  );
  return aboutPages('no_text', unread);
}

const AREAS: Readonly<Record<PageArea, string>> = {
  top: 'at the top',
  bottom: 'at the bottom',
  left: 'at the left edge',
  right: 'at the right edge',
  middle: 'in the middle',
  several: 'in several places',
};

/** Warns about print that was not read, by its place on the page, unless `low_confidence` is 0. */
export function missedPrintWarnings(
  { pages, settings }: Pick<ScanRecord, 'pages' | 'settings'>,
  documents: readonly Pick<RecordedDocument, 'pages'>[],
): string[] {
  if (settings.processing.low_confidence === 0) return [];
  const filed = new Set(documents.flatMap((document) => document.pages));
  return PAGE_AREAS.flatMap((area) => {
    const missed = pages.filter(
      ({ number, recognized }) => filed.has(number) && recognized?.facts.missed?.where === area,
    );
    if (missed.length === 0) return [];
    const facts = { pages: inOrder(missed.map(({ number }) => number)), where: AREAS[area] };
    return [warning(missed.length === 1 ? 'print_not_read' : 'print_not_read/many', facts)];
  });
}

/** Below this resolution, the warning advises scanning again at 300 dpi. */
const LOW_DPI = 250;

/** Warns about each document with pages recognized below the confidence of the profile. */
export function lowConfidenceWarnings(
  { pages, settings }: Pick<ScanRecord, 'pages' | 'settings'>,
  documents: readonly Pick<RecordedDocument, 'filename' | 'pages'>[],
): string[] {
  const { low_confidence: threshold } = settings.processing;
  const { resolution: dpi } = settings;
  return documents.flatMap(({ filename, pages: own }) => {
    const low = own.flatMap((number) => {
      const page = pages.find((other) => other.number === number);
      const confidence = page?.recognized?.facts.confidence ?? threshold;
      return confidence < threshold ? [`${number} (${Math.floor(confidence)} %)`] : [];
    });
    if (low.length === 0) return [];
    const facts = { document: filename, percent: threshold, pages: listed(low, MAX_PAGES) };
    return dpi < LOW_DPI
      ? [warning('low_confidence/resolution', { ...facts, dpi })]
      : [warning('low_confidence', facts)];
  });
}

/** Streaks this close together come from the same dust, since paper slides a little. */
const SAME_PLACE_MM = 1;
const MAX_PLACES = 5;

interface Streak {
  readonly page: number;
  readonly mm: number;
}

const GLASSES = { front: 'dirty_front_glass', back: 'dirty_back_glass' } as const;

/** Warns that a glass is dirty if several pages have a streak at the same place. */
export function dirtyGlassWarnings(record: Pick<ScanRecord, 'pages' | 'duplex'>): string[] {
  // In manual duplex, fronts and backs pass the same glass.
  const glasses = isDuplex(record) ? (['front', 'back'] as const) : [undefined];
  return glasses.flatMap((side) => {
    const own = record.pages.filter((page) => side === undefined || page.side === side);
    const dirty = repeated(streaksOf(own));
    if (dirty.length === 0) return [];
    const middles = dirty.map((streaks) =>
      Math.round(streaks[Math.floor(streaks.length / 2)]?.mm ?? 0),
    );
    const places = listed(middles, MAX_PLACES);
    const pages = new Set(dirty.flatMap((streaks) => streaks.map(({ page }) => page)));
    const key = side === undefined ? 'dirty_glass' : GLASSES[side];
    return [warning(key, { pages: inOrder([...pages]), places })];
  });
}

function streaksOf(pages: readonly RecordedPage[]): Streak[] {
  return pages.flatMap(({ number: page, recognized }) =>
    (recognized?.facts.streaks ?? []).map((mm) => ({ page, mm })),
  );
}

/** Groups streaks at the same place, if they are on several pages. */
function repeated(streaks: readonly Streak[]): Streak[][] {
  const places: Streak[][] = [];
  for (const streak of streaks.toSorted((a, b) => a.mm - b.mm)) {
    const last = places.at(-1);
    if (last?.[0] && streak.mm - last[0].mm <= SAME_PLACE_MM) last.push(streak);
    else places.push([streak]);
  }
  return places.filter((place) => new Set(place.map(({ page }) => page)).size > 1);
}
