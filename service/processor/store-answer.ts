import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { BrokenPdf, countPages } from '../../helpers/pdf/count-pages.ts';
import { replaceFile } from '../storage/write-atomically.ts';

export interface StoredPdf {
  readonly bytes: number;
  readonly sha256: string;
  /** According to the PDF's page tree. */
  readonly page_count: number;
}

export class IncompleteAnswer extends Error {}

const PDF_START = '%PDF-';

/** Fewer writes mean fewer changes of thread. */
const BUFFER_BYTES = 512 * 1024;

/**
 * Stores a PDF under its name once it is complete and synced. Rejects with IncompleteAnswer, or an
 * error of the source or the file system, and leaves no file.
 */
export function storeAnswer(
  source: AsyncIterable<Uint8Array>,
  file: string,
  announcedBytes: number,
): Promise<StoredPdf> {
  return replaceFile(file, async (handle) => {
    const written = await copy(source, handle, announcedBytes);
    return { ...written, page_count: await countIn(handle, written.bytes) };
  });
}

/** Throws for half a PDF, even if its Content-Length was right. */
async function countIn(handle: FileHandle, bytes: number): Promise<number> {
  try {
    return await countPages(handle, bytes);
  } catch (error) {
    if (!(error instanceof BrokenPdf)) throw error;
    throw new IncompleteAnswer(`it is no whole PDF: ${error.message}`, { cause: error });
  }
}

/** Reuses one buffer, so that memory does not grow with the file. */
async function copy(
  source: AsyncIterable<Uint8Array>,
  handle: FileHandle,
  announcedBytes: number,
): Promise<Omit<StoredPdf, 'page_count'>> {
  if (Number.isNaN(announcedBytes)) throw new IncompleteAnswer('it has no Content-Length');
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafeSlow(Math.min(BUFFER_BYTES, announcedBytes));
  let [stored, filled] = [0, 0];

  const flush = async (): Promise<void> => {
    const piece = buffer.subarray(0, filled);
    const isPdf = stored > 0 || piece.toString('latin1', 0, PDF_START.length) === PDF_START;
    if (!isPdf) throw new IncompleteAnswer('what came is no PDF');
    hash.update(piece);
    await handle.writeFile(piece);
    stored += filled;
    filled = 0;
  };

  for await (const chunk of source) {
    if (stored + filled + chunk.length > announcedBytes) {
      throw new IncompleteAnswer(`more than ${announcedBytes} bytes came`);
    }
    for (let at = 0; at < chunk.length;) {
      const piece = chunk.subarray(at, at + buffer.length - filled);
      buffer.set(piece, filled);
      filled += piece.length;
      at += piece.length;
      if (filled === buffer.length) await flush();
    }
  }
  if (stored + filled < announcedBytes) {
    throw new IncompleteAnswer(`${stored + filled} of ${announcedBytes} bytes came`);
  }
  if (filled > 0 || stored === 0) await flush();
  return { bytes: stored, sha256: hash.digest('hex') };
}
