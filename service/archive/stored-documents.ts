import { createHash } from 'node:crypto';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Failure } from '../../helpers/failure.ts';
import { openPlainFile } from '../../helpers/plain-file.ts';
import { isNoPlainFile, unreadableFile } from './scan-file.ts';
import type { FinishedDocument } from './scan-record.ts';

/**
 * Checks that the documents on disk are unchanged, so that every destination gets the same bytes.
 * Throws Failure `scan_not_resumable` naming the first missing or changed document, and Failure
 * `insufficient_storage` if one cannot be read.
 */
export async function checkStoredDocuments(
  directory: string,
  documents: readonly FinishedDocument[],
): Promise<void> {
  for (const { filename, file } of documents) {
    const found = await hashOf(path.join(directory, filename)).catch((error: unknown) => {
      if (isNoPlainFile(error)) return undefined;
      const advice = 'nothing was delivered. Check the disk and try again.';
      throw unreadableFile(filename, error, advice);
    });
    if (found === file.sha256) continue;
    const what = found === undefined ? 'cannot be read' : 'was changed since it was made';
    throw new Failure(
      'scan_not_resumable',
      `${filename} ${what}. Put the original back into ${directory}, or file the pages there by hand.`,
    );
  }
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  const { handle } = await openPlainFile(file);
  await pipeline(handle.createReadStream(), hash);
  return hash.digest('hex');
}
