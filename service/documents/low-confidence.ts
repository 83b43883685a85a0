import { warning } from '../../helpers/warnings.ts';
import type { RecordedDocument, RecordedPage } from '../archive/scan-record.ts';

/** A warning for each document that has pages whose words were recognised with less than that confidence, in percent. */
export function lowConfidenceWarnings(
  pages: readonly RecordedPage[],
  documents: readonly Pick<RecordedDocument, 'filename' | 'pages'>[],
  threshold: number,
): string[] {
  return documents.flatMap(({ filename, pages: own }) => {
    const low = own.flatMap((number) => {
      const page = pages.find((other) => other.number === number);
      const confidence = page?.recognized?.facts.confidence ?? threshold;
      return confidence < threshold ? [`${number} (${Math.floor(confidence)} %)`] : [];
    });
    if (low.length === 0) return [];
    const listed = `${low.slice(0, MAX_LISTED).join(', ')}${low.length > MAX_LISTED ? ', …' : ''}`;
    return [warning('low_confidence', { document: filename, percent: threshold, pages: listed })];
  });
}

/** Pages that one warning names. */
const MAX_LISTED = 20;
