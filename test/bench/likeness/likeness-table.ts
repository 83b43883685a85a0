import { DPI } from '../page-sets.ts';
import { sum } from '../statistics.ts';
import type { Table } from '../tables.ts';
import { type DocumentLikeness, FEATURES, type Feature } from './document-likeness.ts';

/** One feature of all pages of a document at one resolution. */
export interface FeatureSummary {
  readonly mean: number;
  /** The page that is least like its raw page. */
  readonly worst: number;
}

/** Mean and worst page of a feature; undefined where no page has it. */
export function summaryOf(
  { likeness }: DocumentLikeness,
  dpi: number,
  feature: Feature,
): FeatureSummary | undefined {
  const values = likeness
    .filter((page) => page.dpi === dpi)
    .flatMap((page) => page.features[feature] ?? []);
  return values.length === 0
    ? undefined
    : { mean: sum(values) / values.length, worst: Math.min(...values) };
}

/** The resolutions that a document was looked at. */
export function resolutionsOf({ likeness }: DocumentLikeness): number[] {
  return [...new Set(likeness.map(({ dpi }) => dpi))];
}

/**
 * By how much the page of a document that comes off worst against the same page of another document is less like its raw
 * page, over all resolutions, for each feature that both have; negative where every page is more like it.
 */
export function shortfalls(
  document: DocumentLikeness,
  other: DocumentLikeness,
): { readonly feature: Feature; readonly shortfall: number }[] {
  return FEATURES.flatMap((feature) => {
    const differences = document.likeness.flatMap(({ features }, index) => {
      const one = features[feature];
      const two = other.likeness[index]?.features[feature];
      return one === undefined || two === undefined ? [] : [two - one];
    });
    return differences.length === 0 ? [] : [{ feature, shortfall: Math.max(...differences) }];
  });
}

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
