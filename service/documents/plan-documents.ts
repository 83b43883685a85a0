import { warning } from '../../helpers/warnings.ts';
import type { DocumentsPlanned } from '../archive/scan-event.ts';
import type { ScanRecord } from '../archive/scan-record.ts';
import type { DocumentMetadata } from '../paperless/destination.ts';
import { codeMetadata } from './code-metadata.ts';
import { titleOf } from '../archive/document-title.ts';
import { serialNumberWarnings } from './document-titles.ts';
import { droppedPages, nearlyBlankWarnings, replacedPages } from './dropped-pages.ts';
import { groupPages } from './group-pages.ts';
import {
  dirtyGlassWarnings,
  lowConfidenceWarnings,
  missedPrintWarnings,
  noTextWarnings,
  uncutPagesWarnings,
} from './page-warnings.ts';
import { sheetsOf } from '../archive/sheets.ts';

export type DocumentPlan = Pick<DocumentsPlanned, 'documents' | 'dropped_pages' | 'warnings'>;

/**
 * Returns no documents if every page is dropped. Throws if a page is neither in a document nor
 * dropped, or is in two: this is a bug, so nothing must be delivered.
 */
export function planDocuments(record: ScanRecord): DocumentPlan {
  const { assembly } = record.settings;
  const sheets = sheetsOf(record.pages.filter(({ replaced }) => replaced === undefined));
  const dropped = [...replacedPages(record.pages), ...droppedPages(sheets, assembly)];
  const groups = groupPages(sheets, assembly, new Set(dropped.map(({ page }) => page)));
  const read = groups.map((group) => ({ ...group, ...codeMetadata(group, assembly.barcodes) }));
  const { documents, warnings } = withoutRepeatedNumbers(
    read
      .filter(({ pages }) => pages.length > 0)
      .map(({ pages, metadata }) => ({ pages: pages.map(({ number }) => number), metadata })),
  );
  const named = documents.map((document, index) => {
    const number = index + 1;
    const place = { ...document, number, count: documents.length };
    const filename = `document-${String(number).padStart(4, '0')}.pdf`;
    return { ...document, filename, title: titleOf(record, place) };
  });
  const plan = {
    documents: named,
    dropped_pages: dropped,
    warnings: [
      ...uncutPagesWarnings(sheets.flat()),
      ...dirtyGlassWarnings(record),
      ...nearlyBlankWarnings(sheets, assembly),
      ...read.flatMap((group) => group.warnings),
      ...warnings,
      ...serialNumberWarnings(record),
      ...lowConfidenceWarnings(record, named),
      ...missedPrintWarnings(record, named),
      ...noTextWarnings(record, named),
    ],
  };
  checkEveryPage(record, plan);
  return plan;
}

interface NumberedDocument {
  readonly pages: readonly number[];
  readonly metadata: DocumentMetadata;
}

/** Keeps a serial number only in the first document, because the system would refuse it later. */
function withoutRepeatedNumbers<Document extends NumberedDocument>(
  documents: readonly Document[],
): { readonly documents: readonly Document[]; readonly warnings: readonly string[] } {
  const seen = new Set<number>();
  const warnings: string[] = [];
  const unique = documents.map((document) => {
    const { archive_serial_number: number, ...metadata } = document.metadata;
    if (number === undefined) return document;
    if (!seen.has(number)) {
      seen.add(number);
      return document;
    }
    warnings.push(warning('repeated_number', { page: document.pages[0] ?? 0, number }));
    return { ...document, metadata };
  });
  return { documents: unique, warnings };
}

function checkEveryPage({ pages }: ScanRecord, { documents, dropped_pages }: DocumentPlan): void {
  const planned = [
    ...documents.flatMap((document) => document.pages),
    ...dropped_pages.map(({ page }) => page),
  ];
  const numbers = [...new Set(pages.map(({ number }) => number))].toSorted((a, b) => a - b);
  if (String(planned.toSorted((a, b) => a - b)) === String(numbers)) return;
  throw new Error(`pages ${String(numbers)} were planned as ${planned.join()}`);
}
