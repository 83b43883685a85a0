import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { BrokenPdf, countPages } from '../../helpers/pdf/count-pages.ts';
import { replaceFile } from '../storage/write-atomically.ts';

/** A file that is durable, and what is in it. */
export interface StoredPdf {
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  /** As its page tree says. */
  readonly page_count: number;
}

/** The answer is not the whole PDF that was announced. */
export class IncompleteAnswer extends Error {}

const PDF_START = '%PDF-';

/** Bytes that are hashed and written at once: each write is a turn of another thread. */
const BUFFER_BYTES = 512 * 1024;

/**
 * Writes a PDF as it comes to a temporary file, which gets its name when all of it is on the disk and it is whole. Nobody ever sees
 * a part of it, also after a power cut. Rejects with IncompleteAnswer, the error of the source or that of the file system; nothing
 * is left then.
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

/** A processor may announce and send half a PDF. */
async function countIn(handle: FileHandle, bytes: number): Promise<number> {
  try {
    return await countPages(handle, bytes);
  } catch (error) {
    if (!(error instanceof BrokenPdf)) throw error;
    throw new IncompleteAnswer(`it is no whole PDF: ${error.message}`, { cause: error });
  }
}

/** Through one buffer, so that memory does not grow with the file. */
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
