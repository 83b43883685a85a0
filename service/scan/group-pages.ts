import type { Assembly } from '../profiles/profile.ts';

/**
 * Which pages make which document, as lists of page numbers in order; every page is in exactly one. `per_sheet` takes the
 * two sides of a sheet together, where the source is a duplex one.
 */
export function groupPages(
  pages: readonly number[],
  grouping: Assembly['page_grouping'],
  source: string | undefined,
): number[][] {
  switch (grouping) {
    case 'combined':
      return [[...pages]];
    case 'per_page':
      return pages.map((page) => [page]);
    case 'per_sheet':
      return isDuplex(source) ? sheets(pages) : pages.map((page) => [page]);
  }
}

/** Whether a source scans both sides of a sheet; every SANE backend says "Duplex" in its name (sane-backends 1.2.1). */
export function isDuplex(source: string | undefined): boolean {
  return source !== undefined && /duplex/i.test(source);
}

/** Fronts have odd numbers. A side may be missing where the feeder stopped in the middle of a sheet. */
function sheets(pages: readonly number[]): number[][] {
  const sheetOf = (page: number): number => Math.ceil(page / 2);
  return [...Map.groupBy(pages, sheetOf).values()];
}
