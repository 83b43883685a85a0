import type { FileHandle } from 'node:fs/promises';
import { errorCode } from '../error-code.ts';
import { readCrossReferences } from './cross-references.ts';
import { resolveDictionary, type OpenPdf } from './open-pdf.ts';

/** The message is a clause: "its end is missing". */
export class BrokenPdf extends Error {}

/** `startxref` is at the end of the file; readers search 1 KB. */
const END_BYTES = 1024;

const BEGIN = '%PDF-';
const END = /startxref\s+(\d{1,12})\s+%%EOF\s*$/;

/** Reads a few KB. Throws BrokenPdf for a truncated file, which libraries repair silently. */
export async function countPages(handle: FileHandle, size: number): Promise<number> {
  const read: OpenPdf['read'] = async (position, bytes) => {
    const length = Math.max(0, Math.min(bytes, size - position));
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  };
  const begin = (await read(0, BEGIN.length)).toString('latin1');
  if (begin !== BEGIN) throw new BrokenPdf('it does not begin as a PDF');
  const end = (await read(Math.max(0, size - END_BYTES), END_BYTES)).toString('latin1');
  const start = END.exec(end)?.[1];
  if (start === undefined) throw new BrokenPdf('its end is missing');
  try {
    return await countFrom({ read, places: new Map() }, Number(start));
  } catch (error) {
    if (!(error instanceof Error) || isOfDisk(error)) throw error;
    throw new BrokenPdf(error.message, { cause: error });
  }
}

async function countFrom(pdf: OpenPdf, start: number): Promise<number> {
  const trailer = await readCrossReferences(pdf, start);
  const catalog = await resolveDictionary(pdf, trailer.get('Root'));
  const tree = await resolveDictionary(pdf, catalog.get('Pages'));
  const count = tree.get('Count');
  if (typeof count === 'number' && Number.isSafeInteger(count) && count > 0) return count;
  throw new Error('it has no pages');
}

/** zlib's errors also have a code, but no system call. */
function isOfDisk(error: Error): boolean {
  return 'syscall' in error && errorCode(error) !== undefined;
}
