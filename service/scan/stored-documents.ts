import { createHash } from 'node:crypto';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Failure } from '../../helpers/failure.ts';
import { openPlainFile } from '../archive/scan-file.ts';
import type { ScannedDocument } from './scan-record.ts';

/**
 * Makes sure that the documents on disk are those that the record tells of: every destination gets the same bytes. Throws
 * Failure `scan_not_resumable` that names the first one that is not.
 */
export async function checkStoredDocuments(
  directory: string,
  documents: readonly ScannedDocument[],
): Promise<void> {
  for (const { filename, sha256 } of documents) {
    const found = await hashOf(path.join(directory, filename)).catch(() => undefined);
    if (found === sha256) continue;
    const what = found === undefined ? 'cannot be read' : 'was changed since it was made';
    throw new Failure(
      'scan_not_resumable',
      `${filename} ${what}: put the original back into ${directory}, or file the pages there by hand`,
    );
  }
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  const { handle } = await openPlainFile(file);
  await pipeline(handle.createReadStream(), hash);
  return hash.digest('hex');
}
