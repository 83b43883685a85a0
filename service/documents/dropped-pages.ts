import type { DroppedPage } from '../archive/scan-event.ts';
import type { RecordedPage } from '../archive/scan-record.ts';
import type { Assembly } from '../profiles/profile.ts';
import type { Sheet } from '../archive/sheets.ts';
import { warning } from '../../helpers/warnings.ts';
import { isBlank, separatorsAmong } from './separators.ts';

/** Pages up to this score are reported as nearly dropped. */
const NEARLY_BLANK_SCORE = 1.3;

/** Returns pages that a person left out, both sides of separators, and unwanted blank pages. */
export function droppedPages(sheets: readonly Sheet[], assembly: Assembly): DroppedPage[] {
  const separators = separatorsAmong(sheets, assembly);
  return sheets.flatMap((sheet): DroppedPage[] => {
    const separates = separators.has(sheet);
    return sheet.flatMap((page): DroppedPage[] => {
      const { number, left_out, recognized } = page;
      if (left_out) return [{ page: number, reason: 'person' }];
      if (separates && assembly.page_grouping === 'separator') {
        return [{ page: number, reason: 'separator' }];
      }
      if (!isBlank(page) || !(separates || removesBlank(assembly, page))) return [];
      return [{ page: number, reason: 'blank', score: recognized?.facts.blank?.score }];
    });
  });
}

/** Returns pages that were scanned again, and backs that were fed again. */
export function replacedPages(pages: readonly RecordedPage[]): DroppedPage[] {
  return pages
    .filter(({ replaced }) => replaced === true)
    .map(({ number }) => ({ page: number, reason: 'replaced' }));
}

/** True if blank pages of this side are removed. Without duplex, every side is a front. */
export function removesBlank(
  { remove_blank_pages: removed }: Pick<Assembly, 'remove_blank_pages'>,
  { side }: Pick<RecordedPage, 'side'>,
): boolean {
  return removed === 'all' || (removed === 'backs' && side === 'back');
}

export function nearlyBlankWarnings(sheets: readonly Sheet[], assembly: Assembly): string[] {
  return sheets.flat().flatMap((page) => {
    if (page.left_out || page.crop) return [];
    const score = page.recognized?.facts.blank?.score ?? 0;
    const isNear = score <= NEARLY_BLANK_SCORE && score > 0 && !isBlank(page);
    const matters = assembly.page_grouping === 'blank_page' || removesBlank(assembly, page);
    if (!isNear || !matters) return [];
    return [warning('nearly_blank', { page: page.number, score })];
  });
}
