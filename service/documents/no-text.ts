import type { RecordedDocument, ScanRecord } from '../archive/scan-record.ts';
import { warning } from '../../helpers/warnings.ts';
import { listed } from './listed-pages.ts';

/**
 * A warning for the pages of documents that are not blank and on which no text was found, if there are some. None where
 * `low_confidence: 0` says that the text does not matter.
 */
export function noTextWarnings(
  { pages, settings }: Pick<ScanRecord, 'pages' | 'settings'>,
  documents: readonly Pick<RecordedDocument, 'pages'>[],
): string[] {
  if (settings.processing.low_confidence === 0) return [];
  const filed = new Set(documents.flatMap((document) => document.pages));
  const numbers = pages
    .filter(({ number, recognized }) => filed.has(number) && recognized?.facts.unread)
    .map(({ number }) => number);
  if (numbers.length === 0) return [];
  return [warning(numbers.length === 1 ? 'no_text' : 'no_text/many', { pages: listed(numbers) })];
}
