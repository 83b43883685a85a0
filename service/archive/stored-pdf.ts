import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { isMissing } from '../../helpers/error-code.ts';
import { BrokenPdf, countPages } from '../../helpers/pdf/count-pages.ts';
import { openPlainFile, type PlainFile } from '../../helpers/plain-file.ts';
import { isNoPlainFile } from './scan-file.ts';
import type { Assembled } from './scan-event.ts';

export interface MadePdf {
  /** Not set by older versions. */
  readonly file?: Pick<Assembled, 'bytes' | 'sha256'> | undefined;
  readonly page_count: number;
}

/**
 * The state of a PDF on disk:
 *   as_made  the recorded bytes; without a record, only the number of pages counts
 *   broken   missing, damaged, or with another number of pages: it must be made again
 *   changed  another PDF with as many pages, or not a plain file
 */
export type PdfState = 'as_made' | 'broken' | 'changed';

export async function comparePdf(path: string, made: MadePdf): Promise<PdfState> {
  try {
    const { handle, bytes } = await openPlainFile(path);
    try {
      return await compareOpen({ handle, bytes }, made);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isMissing(error)) return 'broken';
    if (isNoPlainFile(error)) return 'changed';
    throw error;
  }
}

async function compareOpen(
  { handle, bytes }: PlainFile,
  { file, page_count }: MadePdf,
): Promise<PdfState> {
  if (file?.bytes === bytes && (await sha256Of(handle)) === file.sha256) return 'as_made';
  const count = await countPages(handle, bytes).catch((error: unknown) => {
    if (error instanceof BrokenPdf) return undefined;
    throw error;
  });
  if (count !== page_count) return 'broken';
  return file === undefined ? 'as_made' : 'changed';
}

const READ_BYTES = 512 * 1024;

async function sha256Of(handle: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  for (let at = 0, read = 1; read > 0; at += read) {
    ({ bytesRead: read } = await handle.read(buffer, 0, buffer.length, at));
    hash.update(buffer.subarray(0, read));
  }
  return hash.digest('hex');
}
