import { BLANK_BELOW } from '../../helpers/page-facts.ts';
import type { RecordedPage } from '../archive/scan-record.ts';
import type { Sheet } from '../archive/sheets.ts';
import type { Assembly, Barcodes } from '../profiles/profile.ts';

/** The pages of a document, and the separators before them. */
export interface PageGroup {
  readonly separators: readonly RecordedPage[];
  readonly pages: readonly RecordedPage[];
}

/** False if the page was not examined, or if a person cropped it and so wants it. */
export function isBlank({ recognized, crop }: RecordedPage): boolean {
  if (crop) return false;
  const score = recognized?.facts.blank?.score;
  return score !== undefined && score < BLANK_BELOW;
}

/**
 * Returns sheets with a separator code on a side or, with `blank_page`, blank on all sides. Sides
 * that a person moved apart count together.
 */
export function separatorsAmong(
  sheets: readonly Sheet[],
  { page_grouping, barcodes }: Assembly,
): ReadonlySet<Sheet> {
  if (page_grouping === 'separator') {
    return new Set(
      sheets.filter((sheet) => sheet.some((page) => hasSeparatorCode(page, barcodes))),
    );
  }
  if (page_grouping !== 'blank_page') return new Set();
  const pages = sheets.flat();
  const used = new Set(pages.filter((page) => !isBlank(page)).map(({ sheet }) => sheet));
  return new Set(sheets.filter((sides) => sides.every(({ sheet }) => !used.has(sheet))));
}

function hasSeparatorCode({ recognized }: RecordedPage, barcodes: Barcodes | undefined): boolean {
  const codes = recognized?.facts.codes ?? [];
  return codes.some(({ text }) => barcodes?.separator.includes(text));
}
