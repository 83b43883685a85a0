import path from 'node:path';
import { Failure } from '../../../helpers/failure.ts';
import { warning } from '../../../helpers/warnings.ts';
import { finishedDocuments, type ScanRecord } from '../../archive/scan-record.ts';
import { brokenDocuments } from '../../archive/stored-documents.ts';
import { compareStoredPages } from '../../archive/stored-pages.ts';

export interface Remake {
  /** Indexes of the documents, from 0. */
  readonly documents: readonly number[];
  readonly warnings: readonly string[];
}

/** Throws like `brokenDocuments`, and Failure `scan_not_resumable` if pages are missing. */
export async function planRemake(directory: string, record: ScanRecord): Promise<Remake> {
  const documents = await brokenDocuments(directory, finishedDocuments(record));
  if (documents.length === 0) return { documents, warnings: [] };
  const { lost } = await compareStoredPages(directory, record);
  const warnings: string[] = [];
  for (const index of documents) {
    const { filename = '', pages = [] } = record.documents[index] ?? {};
    const gone = record.pages.find(({ number }) => pages.includes(number) && lost.includes(number));
    if (gone) throw cannotBeMade(path.join(directory, filename), gone.filename);
    warnings.push(warning('remade', { file: filename }));
  }
  return { documents, warnings };
}

function cannotBeMade(file: string, page: string): Failure {
  const { dir, base } = path.parse(file);
  return new Failure(
    'scan_not_resumable',
    `${base} is damaged, and ${page}, of which it was made, is gone or damaged too. Put the original of either back into ${dir}.`,
  );
}
