import type { RecordedPage } from '../archive/scan-record.ts';

/** Pages that the warning names. */
const MAX_LISTED = 20;

/** A warning for the pages that were to be cut to their paper and could not be, if there are some. */
export function uncutPagesWarnings(pages: readonly RecordedPage[]): string[] {
  const numbers = pages
    .filter(({ recognized, left_out }) => recognized?.facts.cropped === false && !left_out)
    .map(({ number }) => number);
  if (numbers.length === 0) return [];
  const listed = numbers.slice(0, MAX_LISTED).join(', ');
  const more = numbers.length > MAX_LISTED ? ` and ${numbers.length - MAX_LISTED} more` : '';
  const which = numbers.length === 1 ? `Page ${listed} was` : `Pages ${listed}${more} were`;
  return [
    `${which} not cut to the paper: no dark backing shows where it ends. Set page_size to the size of the paper.`,
  ];
}
