import type { RecordedPage } from '../archive/scan-record.ts';
import { warning } from '../../helpers/warnings.ts';
import { listed } from './listed-pages.ts';

/** A warning for the pages that were to be cut to their paper and could not be, if there are some. */
export function uncutPagesWarnings(pages: readonly RecordedPage[]): string[] {
  const numbers = pages
    .filter(({ recognized, left_out }) => recognized?.facts.cropped === false && !left_out)
    .map(({ number }) => number);
  if (numbers.length === 0) return [];
  return [warning(numbers.length === 1 ? 'uncut' : 'uncut/many', { pages: listed(numbers) })];
}
