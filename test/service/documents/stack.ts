import type { PageFacts } from '../../../helpers/page-facts.ts';
import type { ScanRecord } from '../../../service/archive/scan-record.ts';
import { planDocuments, type DocumentPlan } from '../../../service/documents/plan-documents.ts';
import { PAGE_FACTS } from '../../support/page-facts.ts';
import { begun, page, recognized, recordOf } from '../../support/stored-scan.ts';

/** How the facts differ from those of a page of text. */
export type Side = Partial<PageFacts>;

export const TEXT: Side = { blank: { score: 12, mark: null } };
export const BLANK: Side = {
  blank: { score: 0.02, mark: null },
  words: 0,
  characters: 0,
  confidence: null,
};
export const SEPARATOR: Side = { ...codes('PATCHT'), left_out: 'separator' };

export function codes(...texts: readonly string[]): Side {
  const place = { x_mm: 10, y_mm: 10, width_mm: 30, height_mm: 30 };
  return { ...TEXT, codes: texts.map((text) => ({ type: 'qr', text, ...place })) };
}

export function stack(
  profile: object,
  sheets: readonly (readonly Side[])[],
  request: object = {},
): ScanRecord {
  const sides = sheets.flatMap((sheet, index) =>
    sheet.map(
      (facts, side) => ({ facts, sheet: index + 1, side: side === 0 ? 'front' : 'back' }) as const,
    ),
  );
  return recordOf([
    begun(profile, { request }),
    ...sides.map(({ sheet, side }, index) => page(index + 1, { sheet, side })),
    ...sides.map(({ facts }, index) =>
      recognized(index + 1, { facts: { ...PAGE_FACTS, ...facts } }),
    ),
  ]);
}

export function planOf(assembly: object, sheets: readonly (readonly Side[])[]): DocumentPlan {
  return planDocuments(stack({ assembly }, sheets));
}

export function pagesOf<Pages>(of: { documents: readonly { pages: Pages }[] }): Pages[] {
  return of.documents.map(({ pages }) => pages);
}

export function inShort(documents: readonly (readonly number[])[]): string {
  return documents.map((pages) => pages.join(' ')).join(' | ');
}

export function droppedOf({ dropped_pages }: DocumentPlan): string {
  return dropped_pages.map(({ page: number, reason }) => `${number} ${reason}`).join(', ');
}
