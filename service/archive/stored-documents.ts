import path from 'node:path';
import { Failure } from '../../helpers/failure.ts';
import { unreadableFile } from './scan-file.ts';
import type { FinishedDocument } from './scan-record.ts';
import { comparePdf } from './stored-pdf.ts';

/**
 * Compares the documents on disk with the record. Returns the indexes of broken ones. Throws
 * Failure `scan_not_resumable` for a document that somebody changed, and `insufficient_storage` for
 * an unreadable document.
 */
export async function brokenDocuments(
  directory: string,
  documents: readonly FinishedDocument[],
): Promise<number[]> {
  const broken: number[] = [];
  for (const [index, { filename, file, pages }] of documents.entries()) {
    const made = { file, page_count: file.page_count ?? pages.length };
    const state = await comparePdf(path.join(directory, filename), made).catch((error: unknown) => {
      const advice = 'nothing was delivered. Check the disk and try again.';
      throw unreadableFile(filename, error, advice);
    });
    if (state === 'broken') broken.push(index);
    if (state === 'changed') throw changedFile(directory, filename);
  }
  return broken;
}

function changedFile(directory: string, filename: string): Failure {
  return new Failure(
    'scan_not_resumable',
    `${filename} was changed since it was made. Put the original back into ${directory}, or remove the file and resume again: it is then made from its pages.`,
  );
}
