import type { RecordedPage } from './scan-record.ts';

type PagePlace = Pick<RecordedPage, 'number' | 'sheet' | 'side'>;

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
