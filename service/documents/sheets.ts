import { BLANK_BELOW } from '../../helpers/page-facts.ts';
import { inSheetOrder } from '../archive/page-order.ts';
import type { RecordedPage } from '../archive/scan-record.ts';
import type { Assembly, Barcodes } from '../profiles/profile.ts';

/** The sides of a sheet that became pages: one or two, the front first. */
export type Sheet = readonly RecordedPage[];

/** The sheets of a scan, in the order of the stack. */
export function sheetsOf(pages: readonly RecordedPage[]): Sheet[] {
  return [...Map.groupBy(inSheetOrder(pages), ({ sheet }) => sheet).values()];
}

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
