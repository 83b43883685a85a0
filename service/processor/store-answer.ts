import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { syncDirectory } from '../storage/write-atomically.ts';

/** A file that is durable, and what is in it. */
export interface StoredFile {
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** What came is not the PDF that was announced. */
export class IncompleteAnswer extends Error {}

const PDF_START = '%PDF-';

/**
 * Writes a PDF as it comes to a temporary file, which gets its name when all of it is on the disk. Nobody ever sees a part
 * of it, also after a power cut. Rejects with IncompleteAnswer, the error of the source or that of the file system;
 * nothing is left then.
 */
export async function storeAnswer(
  source: AsyncIterable<Uint8Array>,
  file: string,
  announcedBytes: number,
): Promise<StoredFile> {
  const temporary = `${file}.tmp`;
  try {
    const stored = await write(source, temporary, announcedBytes);
    await rename(temporary, file);
    await syncDirectory(path.dirname(file));
    return stored;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function write(
  source: AsyncIterable<Uint8Array>,
  file: string,
  announcedBytes: number,
): Promise<StoredFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  let start = '';
  const handle = await open(file, 'w');
  try {
    for await (const chunk of source) {
      if (start.length < PDF_START.length) start += Buffer.from(chunk).toString('latin1', 0, 8);
      hash.update(chunk);
      bytes += chunk.length;
      await handle.writeFile(chunk);
    }
    if (bytes !== announcedBytes) {
      throw new IncompleteAnswer(`${bytes} of ${announcedBytes} bytes came`);
    }
    if (!start.startsWith(PDF_START)) throw new IncompleteAnswer('what came is no PDF');
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { bytes, sha256: hash.digest('hex') };
}
