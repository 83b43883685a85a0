import { BLANK_BELOW } from '../../helpers/page-facts.ts';
import type { RecordedPage } from '../archive/scan-record.ts';
import type { Sheet } from '../archive/sheets.ts';
import type { Assembly, Barcodes } from '../profiles/profile.ts';

/** A page that was not examined, or could not be, is not blank. */
export function isBlank({ recognized }: RecordedPage): boolean {
  const score = recognized?.facts.blank?.score;
  return score !== undefined && score < BLANK_BELOW;
}

/** Whether a sheet separates documents: by a code on either side or, with `blank_page`, because nothing is on any side. */
export function isSeparator(sheet: Sheet, { page_grouping, barcodes }: Assembly): boolean {
  if (page_grouping === 'blank_page') return sheet.every(isBlank);
  return page_grouping === 'separator' && sheet.some((page) => hasSeparatorCode(page, barcodes));
}

function hasSeparatorCode({ recognized }: RecordedPage, barcodes: Barcodes | undefined): boolean {
  const codes = recognized?.facts.codes ?? [];
  return codes.some(({ text }) => barcodes?.separator.includes(text));
}
