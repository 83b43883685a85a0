import { warning } from '../../helpers/warnings.ts';
import type { DocumentMetadata } from '../paperless/destination.ts';

interface NumberedDocument {
  readonly pages: readonly number[];
  readonly metadata: DocumentMetadata;
}

/**
 * An archive serial number is unique in the document-management system: the second document of a scan that has it would be
 * refused there, later. It keeps everything but the number, with a warning.
 */
export function withoutRepeatedNumbers<Document extends NumberedDocument>(
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
