import path from 'node:path';
import { errorCode } from '../../helpers/error-code.ts';
import { Failure } from '../../helpers/failure.ts';
import { openPlainFile, type PlainFile } from '../../helpers/plain-file.ts';
import { storageFailure } from '../storage/storage-failure.ts';
import { DOCUMENT_NAME, PAGE_NAME } from './file-names.ts';

/** An open file of a scan. The caller closes it, by reading its stream or by `handle.close()`. */
export interface ScanFile extends PlainFile {
  readonly type: 'image/tiff' | 'application/pdf';
}

/**
 * Opens a page or document of a scan directory. Accepts only names of pages and documents, and only
 * plain files; throws Failure `not_found` for anything else, and `insufficient_storage` if the disk
 * fails.
 */
export async function openScanFile(directory: string, name: string): Promise<ScanFile> {
  const type = typeOf(name);
  if (type === undefined) throw notThere();
  const found = await openPlainFile(path.join(directory, name)).catch((error: unknown) => {
    throw isNoPlainFile(error) ? notThere(error) : (storageFailure(error) ?? error);
  });
  return { ...found, type };
}

/** Error codes for nothing, a link, a socket, a directory, a pipe or a device. */
const NO_FILE = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EISDIR', 'EFTYPE'];

/** True if the error means that no such plain file exists. */
export function isNoPlainFile(error: unknown): boolean {
  const code = errorCode(error);
  return code === undefined || NO_FILE.includes(code);
}

/**
 * The failure for an unreadable file. `advice` completes the sentence: what was not done, and what
 * to do.
 */
export function unreadableFile(file: string, cause: unknown, advice: string): Failure {
  const message = `${path.basename(file)} of the scan cannot be read (${errorCode(cause)}), and ${advice}`;
  return new Failure('insufficient_storage', message, { cause });
}

function typeOf(name: string): ScanFile['type'] | undefined {
  if (PAGE_NAME.test(name)) return 'image/tiff';
  return DOCUMENT_NAME.test(name) ? 'application/pdf' : undefined;
}

function notThere(cause?: unknown): Failure {
  const message = 'the scan has no page or document of that name: see GET /scans/{scan_id}';
  return new Failure('not_found', message, { cause });
}
