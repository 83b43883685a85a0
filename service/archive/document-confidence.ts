import type { RecordedDocument, RecordedPage } from './scan-record.ts';

/** How well the text of a document was recognised. */
export interface DocumentConfidence {
  /** Mean confidence of the words, weighted by their length, 0 to 100; null for a document without words. */
  readonly confidence: number | null;
  /** Numbers of the pages without words: they have no confidence. */
  readonly no_text: readonly number[];
}

/** The confidence of a document, from the pages of its scan. A page that is not recognised yet counts for nothing. */
export function confidenceOf(
  pages: readonly RecordedPage[],
  document: Pick<RecordedDocument, 'pages'>,
): DocumentConfidence {
  const read = document.pages.flatMap((number) => {
    const facts = pages.find((page) => page.number === number)?.recognized?.facts;
    return facts === undefined ? [] : [{ number, ...facts }];
  });
  const characters = read.reduce((sum, page) => sum + page.characters, 0);
  const weighted = read.reduce((sum, page) => sum + page.characters * (page.confidence ?? 0), 0);
  return {
    confidence: characters === 0 ? null : Math.round(weighted / characters),
    no_text: read.filter(({ confidence }) => confidence === null).map(({ number }) => number),
  };
}
