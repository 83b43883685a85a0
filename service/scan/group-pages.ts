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
      return chunk(pages, 1);
    case 'per_sheet':
      return chunk(pages, isDuplex(source) ? 2 : 1);
  }
}

/** Whether a source scans both sides of a sheet; every SANE backend says "Duplex" in its name (sane-backends 1.2.1). */
function isDuplex(source: string | undefined): boolean {
  return source !== undefined && /duplex/i.test(source);
}

function chunk(pages: readonly number[], size: number): number[][] {
  const count = Math.ceil(pages.length / size);
  return Array.from({ length: count }, (_, index) => pages.slice(index * size, (index + 1) * size));
}
