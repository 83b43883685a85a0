import { namesFeeder } from '../../helpers/scanner-words.ts';
import type { RecordedPage, ScanRecord } from '../archive/scan-record.ts';
import type { Sheet } from '../archive/sheets.ts';
import type { Profile } from '../profiles/profile.ts';

/** Returns the sheets with both sides. Each of them is a card. */
export function cardSheets(sheets: readonly Sheet[]): ReadonlySet<number> {
  return new Set(
    sheets.filter((sides) => sides.length > 1).flatMap((sides) => sides.map(({ sheet }) => sheet)),
  );
}

/** True if these pages begin another card. Single sides are paired in scan order. */
export function beginsCard(
  unit: readonly RecordedPage[],
  before: readonly RecordedPage[],
  wholeSheets: ReadonlySet<number>,
): boolean {
  const isWhole = ({ sheet }: RecordedPage): boolean => wholeSheets.has(sheet);
  return before.length !== 1 || before.some(isWhole) || unit.some(isWhole);
}

/**
 * The default of `hold` for the next side. On the glass, the front of a card waits for its back, so
 * this is true if the next side is a front. A feeder delivers all sides in one call.
 */
export function waitsForBack(
  { assembly, source }: Pick<Profile, 'assembly' | 'source'>,
  pages: ScanRecord['pages'] = [],
): boolean {
  const isGlass = source !== undefined && !namesFeeder(source);
  if (assembly.page_grouping !== 'card' || !isGlass) return false;
  return pages.filter(({ replaced, left_out }) => !replaced && !left_out).length % 2 === 0;
}
