import path from 'node:path';
import { errorCode } from '../../helpers/error-code.ts';
import { Failure } from '../../helpers/failure.ts';
import { openPlainFile, type PlainFile } from '../../helpers/plain-file.ts';
import { storageFailure } from '../storage/storage-failure.ts';
import { DOCUMENT_NAME, PAGE_NAME } from './file-names.ts';

/** The caller must read its stream or close its handle. */
export interface ScanFile extends PlainFile {
  readonly type: 'image/tiff' | 'application/pdf';
}

/**
 * Throws Failure `not_found` unless `name` is a page or document and a plain file, and
 * `insufficient_storage` if the disk fails.
 */
export async function openScanFile(directory: string, name: string): Promise<ScanFile> {
  const type = typeOf(name);
  if (type === undefined) throw notThere();
  const found = await openPlainFile(path.join(directory, name)).catch((error: unknown) => {
    throw isNoPlainFile(error) ? notThere(error) : (storageFailure(error) ?? error);
  });
  return { ...found, type };
}

/** Error codes for a missing file, and for a link, socket, directory, pipe or device. */
const NO_FILE = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EISDIR', 'EFTYPE'];

export function isNoPlainFile(error: unknown): boolean {
  const code = errorCode(error);
  return code === undefined || NO_FILE.includes(code);
}

/** `advice` completes the message with what was not done, and what to do. */
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
