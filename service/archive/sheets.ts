import type { BacksOrder } from '../profiles/profile.ts';
import type { RecordedPage, ScanRecord } from './scan-record.ts';

type PagePlace = Pick<RecordedPage, 'number' | 'sheet' | 'side'>;
type Pages = readonly (PagePlace & Pick<RecordedPage, 'replaced'>)[];

/** The sides of a sheet that became pages: one or two, the front first. */
export type Sheet = readonly RecordedPage[];

/**
 * The pages in the order of the paper: by sheet, the front before the back. Where the second sides were fed after the first
 * ones (manual duplex), that is not the order in which they were scanned.
 */
export function inSheetOrder<Page extends PagePlace>(pages: readonly Page[]): Page[] {
  return pages.toSorted(compare);
}

function compare(a: PagePlace, b: PagePlace): number {
  const bySide = Number(a.side === 'back') - Number(b.side === 'back');
  return a.sheet - b.sheet || bySide || a.number - b.number;
}

/** The sheets of a scan, in the order of its pages. The sides of a sheet that a person parted are sheets of their own. */
export function sheetsOf(pages: readonly RecordedPage[]): Sheet[] {
  const sheets: RecordedPage[][] = [];
  for (const page of pages) {
    const last = sheets.at(-1);
    if (last?.[0]?.sheet === page.sheet) last.push(page);
    else sheets.push([page]);
  }
  return sheets;
}

/** The sheet after the last one of a scan. */
export function nextSheet(pages: readonly Pick<RecordedPage, 'sheet'>[]): number {
  return Math.max(0, ...pages.map(({ sheet }) => sheet)) + 1;
}

/**
 * The sheet of the second side that is fed `index` places (from 0) after the recorded pages: that of a front that has no back
 * yet, or a sheet of its own where none is left.
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

/** Whether the scanner is known to scan both sides of a sheet at once. */
export function isDuplex({ pages, duplex }: Pick<ScanRecord, 'pages' | 'duplex'>): boolean {
  return duplex ?? pages.some(({ side }) => side === 'back');
}

/** How many fronts and backs there are. */
export interface SideCounts {
  readonly fronts: number;
  readonly backs: number;
}

/**
 * The number of backs that were fed after their fronts, and of the fronts that were there by then, if the two differ. Undefined
 * if they match, and where none of them is on the sheet of another.
 */
export function unmatchedSides({
  pages,
  duplex,
}: Pick<ScanRecord, 'pages' | 'duplex'>): SideCounts | undefined {
  const backs = backsOf(pages);
  const last = Math.max(0, ...backs.map(({ number }) => number));
  const fronts = frontsOf(pages).filter(({ number }) => number < last);
  const isPaired = backs.some(({ sheet }) => fronts.some((front) => front.sheet === sheet));
  if (duplex === true || !isPaired || fronts.length === backs.length) return undefined;
  return { fronts: fronts.length, backs: backs.length };
}

/**
 * The pages with each back on a sheet of its own, after the others, in the order of their scanning; where a person arranged them, they
 * stay in their places.
 */
export function withBacksApart({
  pages,
  arranged,
}: Pick<ScanRecord, 'pages' | 'arranged'>): RecordedPage[] {
  const first = nextSheet(pages);
  const backs = backsOf(pages)
    .map(({ number }) => number)
    .toSorted((a, b) => a - b);
  const apart = pages.map((page) => {
    const index = backs.indexOf(page.number);
    return index === -1 ? page : { ...page, sheet: first + index };
  });
  return arranged ? apart : inSheetOrder(apart);
}

function frontsOf<Page extends Pages[number]>(pages: readonly Page[]): Page[] {
  return pages.filter(({ side }) => side === 'front');
}

/** Without those that were fed again. */
function backsOf<Page extends Pages[number]>(pages: readonly Page[]): Page[] {
  return pages.filter(({ side, replaced }) => side === 'back' && replaced === undefined);
}
