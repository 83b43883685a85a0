import { DPI } from '../page-sets.ts';
import { sum } from '../statistics.ts';
import type { Table } from '../tables.ts';
import type { DocumentLikeness } from './document-likeness.ts';
import { resolutionsOf, summaryOf } from './likeness-summary.ts';
import { FEATURES } from './page-likeness.ts';

/** How like the raw pages the documents are: structural similarity, the mean of all pages and the worst page. */
export function likenessTable(documents: readonly DocumentLikeness[]): Table {
  const headings = ['mode', 'pages', 'side', 'dpi', ...FEATURES, 'pixels that differ'];
  const cells = documents.flatMap((document) => {
    const { mode, pages, side, differing_pixels } = document;
    const who = [mode, String(pages), side];
    if (differing_pixels) {
      return [[...who, String(DPI), ...FEATURES.map(() => '–'), String(sum(differing_pixels))]];
    }
    return resolutionsOf(document).map((dpi) => [
      ...who,
      String(dpi),
      ...FEATURES.map((feature) => {
        const found = summaryOf(document, dpi, feature);
        return found ? `${found.mean.toFixed(4)}, worst ${found.worst.toFixed(4)}` : '–';
      }),
      '–',
    ]);
  });
  return [headings, ...cells];
}
