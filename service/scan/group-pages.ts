import type { RecordedPage } from '../archive/scan-record.ts';
import type { Assembly } from '../profiles/profile.ts';

/**
 * Which pages make which document, as lists of page numbers in order; every page is in exactly one. `per_sheet` takes the
 * two sides of a sheet together; a side may be missing where the feeder stopped in the middle of a sheet.
 */
export function groupPages(
  pages: readonly Pick<RecordedPage, 'number' | 'sheet'>[],
  grouping: Assembly['page_grouping'],
): number[][] {
  switch (grouping) {
    case 'combined':
      return [pages.map(({ number }) => number)];
    case 'per_page':
      return pages.map(({ number }) => [number]);
    case 'per_sheet':
      return [...Map.groupBy(pages, ({ sheet }) => sheet).values()].map((sides) =>
        sides.map(({ number }) => number),
      );
  }
}
