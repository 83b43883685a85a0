import type { RecordedPage } from '../archive/scan-record.ts';
import type { Assembly } from '../profiles/profile.ts';
import { beginsCard, cardSheets } from './cards.ts';
import { serialNumberOn } from './code-metadata.ts';
import type { Sheet } from '../archive/sheets.ts';
import { separatorsAmong, type PageGroup } from './separators.ts';

/**
 * Keeps both sides of a sheet together, except with `per_page`, or if a person starts a document
 * with the second side. A separator that a person left out still separates.
 */
export function groupPages(
  sheets: readonly Sheet[],
  assembly: Assembly,
  dropped: ReadonlySet<number>,
): PageGroup[] {
  const isPerPage = assembly.page_grouping === 'per_page';
  const separators = separatorsAmong(sheets, assembly);
  const wholeSheets = cardSheets(sheets);
  const units = isPerPage
    ? sheets.flat().map((page) => [page])
    : sheets.flatMap((sheet) => (separators.has(sheet) ? [sheet] : partsOf(sheet)));
  let current: { separators: RecordedPage[]; pages: RecordedPage[] } = {
    separators: [],
    pages: [],
  };
  const groups = [current];
  for (const unit of units) {
    const separates = separators.has(unit);
    const before = [...current.separators, ...current.pages];
    const begins =
      separates ||
      beginsDocument(unit, before, assembly) ||
      (assembly.page_grouping === 'card' && beginsCard(unit, before, wholeSheets));
    if (begins && current.pages.length > 0) {
      current = { separators: [], pages: [] };
      groups.push(current);
    }
    if (separates) current.separators.push(...unit);
    else current.pages.push(...unit.filter(({ number }) => !dropped.has(number)));
  }
  return groups.filter(({ pages, separators }) => pages.length + separators.length > 0);
}

/** Splits a sheet where a person starts a document. */
function partsOf(sheet: Sheet): Sheet[] {
  const parts: RecordedPage[][] = [];
  for (const page of sheet) {
    const last = parts.at(-1);
    if (last && !page.starts_document) last.push(page);
    else parts.push([page]);
  }
  return parts;
}

function beginsDocument(
  unit: readonly RecordedPage[],
  before: readonly RecordedPage[],
  { page_grouping, barcodes }: Assembly,
): boolean {
  if (page_grouping === 'per_page' || page_grouping === 'per_sheet') return true;
  if (unit.some(({ starts_document }) => starts_document)) return true;
  if (page_grouping !== 'separator' || barcodes === undefined) return false;
  const number = serialNumberOn(
    unit.filter(({ left_out }) => !left_out),
    barcodes,
  );
  // If every sheet has a sticker with the same number, only the first begins a document.
  return number !== undefined && number !== serialNumberOn(before, barcodes);
}
