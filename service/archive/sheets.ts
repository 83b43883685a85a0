import type { BacksOrder } from '../profiles/profile.ts';
import { placeNumber } from './scan-again.ts';
import type { RecordedPage, ScanRecord } from './scan-record.ts';

type PagePlace = Pick<RecordedPage, 'number' | 'sheet' | 'side' | 'original_number'>;
type Pages = readonly (PagePlace & Pick<RecordedPage, 'replaced'>)[];

/** One or two sides, the front first. */
export type Sheet = readonly RecordedPage[];

/** Sorts by sheet, with fronts before backs. Manual duplex scans in another order. */
export function inSheetOrder<Page extends PagePlace>(pages: readonly Page[]): Page[] {
  return pages.toSorted(compare);
}

function compare(a: PagePlace, b: PagePlace): number {
  const bySide = Number(a.side === 'back') - Number(b.side === 'back');
  return a.sheet - b.sheet || bySide || a.number - b.number;
}

/** Groups pages into sheets. Sides that a person moved apart count as two sheets. */
export function sheetsOf(pages: readonly RecordedPage[]): Sheet[] {
  const sheets: RecordedPage[][] = [];
  for (const page of pages) {
    const last = sheets.at(-1);
    if (last?.[0]?.sheet === page.sheet) last.push(page);
    else sheets.push([page]);
  }
  return sheets;
}

export function nextSheet(pages: readonly Pick<RecordedPage, 'sheet'>[]): number {
  return Math.max(0, ...pages.map(({ sheet }) => sheet)) + 1;
}

/**
 * Returns the sheet number of a back: that of the next front without a back, or a new number.
 * `index` counts the backs of this feeding from 0.
 */
export function sheetOfBack(
  { pages, unmatched }: { readonly pages: Pages; readonly unmatched: boolean },
  order: BacksOrder,
  index: number,
): number {
  const done = unmatched ? [] : backsOf(pages).map(({ sheet }) => sheet);
  const open = frontsOf(pages)
    .map(({ sheet }) => sheet)
    .filter((sheet) => !done.includes(sheet))
    .toSorted((a, b) => (order === 'same' ? a - b : b - a));
  return open[index] ?? nextSheet(pages) + index - open.length;
}

/** True if the scanner scans both sides of a sheet in one pass. */
export function isDuplex({ pages, duplex }: Pick<ScanRecord, 'pages' | 'duplex'>): boolean {
  return duplex ?? pages.some(({ side }) => side === 'back');
}

export interface SideCounts {
  readonly fronts: number;
  readonly backs: number;
}

/** Counts backs and the fronts fed before them. Undefined if they match or are not paired. */
export function unmatchedSides({
  pages,
  duplex,
}: Pick<ScanRecord, 'pages' | 'duplex'>): SideCounts | undefined {
  const backs = backsOf(pages);
  const last = Math.max(0, ...backs.map(placeNumber));
  const fronts = frontsOf(pages).filter((page) => placeNumber(page) < last);
  const isPaired = backs.some(({ sheet }) => fronts.some((front) => front.sheet === sheet));
  if (duplex === true || !isPaired || fronts.length === backs.length) return undefined;
  return { fronts: fronts.length, backs: backs.length };
}

/**
 * Puts each back on a new sheet of its own, in scan order. If a person has arranged the pages, they
 * keep that order.
 */
export function withBacksOnOwnSheets({
  pages,
  arranged,
}: Pick<ScanRecord, 'pages' | 'arranged'>): RecordedPage[] {
  const first = nextSheet(pages);
  const backs = backsOf(pages)
    .toSorted((a, b) => placeNumber(a) - placeNumber(b))
    .map(({ number }) => number);
  const apart = pages.map((page) => {
    const index = backs.indexOf(page.number);
    return index === -1 ? page : { ...page, sheet: first + index };
  });
  return arranged ? apart : inSheetOrder(apart);
}

function frontsOf<Page extends Pages[number]>(pages: readonly Page[]): Page[] {
  return pages.filter(({ side, replaced }) => side === 'front' && replaced === undefined);
}

function backsOf<Page extends Pages[number]>(pages: readonly Page[]): Page[] {
  return pages.filter(({ side, replaced }) => side === 'back' && replaced === undefined);
}
