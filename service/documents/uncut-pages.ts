import type { RecordedPage } from '../archive/scan-record.ts';
import { listed } from './listed-pages.ts';

/** A warning for the pages that were to be cut to their paper and could not be, if there are some. */
export function uncutPagesWarnings(pages: readonly RecordedPage[]): string[] {
  const numbers = pages
    .filter(({ recognized, left_out }) => recognized?.facts.cropped === false && !left_out)
    .map(({ number }) => number);
  if (numbers.length === 0) return [];
  const which =
    numbers.length === 1 ? `Page ${listed(numbers)} was` : `Pages ${listed(numbers)} were`;
  return [
    `${which} not cut to the paper: no dark backing shows where it ends. Set page_size to the size of the paper.`,
  ];
}
