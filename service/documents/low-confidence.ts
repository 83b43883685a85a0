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
      return confidence < threshold ? [`page ${number} (${Math.floor(confidence)} %)`] : [];
    });
    if (low.length === 0) return [];
    const few =
      low.length <= MAX_LISTED
        ? low
        : [...low.slice(0, MAX_LISTED), `${low.length - MAX_LISTED} more`];
    return [
      `low_confidence: the text of ${list(few)} in ${filename} was recognised with a confidence below ${threshold} %. ` +
        'Check the text, or scan the paper again with more contrast or resolution.',
    ];
  });
}

/** Pages that one warning names. */
const MAX_LISTED = 20;

function list(items: readonly string[]): string {
  return items.length < 2 ? items.join() : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}
