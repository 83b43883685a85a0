import os from 'node:os';
import { Failure } from '../../failure.ts';

const MIB = 1024 * 1024;

/**
 * Share of the memory of the container, or of the machine, that all programs may use together. The rest is for this process,
 * for idle Python processes, and for the pages at work, as /tmp is memory in the container.
 */
const PROGRAMS_SHARE = 0.6;

/**
 * Address space that a program needs besides its image: program, libraries, models of a few languages, results. Measured
 * with Tesseract 5.3 (120 MiB with one language) and Python with Pillow, pikepdf and OCRmyPDF (105 MiB).
 */
const BASE_BYTES = 256 * MIB;

/** Measured: 3.7 bytes for each pixel in Tesseract, 4.1 in Pillow; of a dense page somewhat more. */
const BYTES_PER_GRAY_PIXEL = 6;
/** Measured: 10.7 bytes in Tesseract, 9 in Pillow, which also makes odd images plain. */
const BYTES_PER_PIXEL = 14;

/** Memory for assembling a document: 55 MB measured, and the size of its pages; enough for 500 usual ones. */
export const DOCUMENT_MEMORY_BYTES = 256 * MIB;
/** Address space takes more: the files that are mapped. */
const DOCUMENT_ADDRESS_SPACE_BYTES = 512 * MIB;
const ADDRESS_SPACE_PER_BYTE = 4;

/** Bytes that all programs may use together, on this machine or in this container. */
export function programMemory(): number {
  const limit = process.constrainedMemory();
  return Math.floor(PROGRAMS_SHARE * Math.min(limit > 0 ? limit : Infinity, os.totalmem()));
}

/** Bytes that each program that works on a page may use; one runs at a time. */
export function pageMemory({ pixels, gray }: { pixels: number; gray: boolean }): number {
  return BASE_BYTES + Math.ceil(pixels * (gray ? BYTES_PER_GRAY_PIXEL : BYTES_PER_PIXEL));
}

/** Pixels of any kind that fit into so many bytes. */
export function pixelsWithin(memoryBytes: number): number {
  return Math.max(0, Math.floor((memoryBytes - BASE_BYTES) / BYTES_PER_PIXEL));
}

/** Address space for assembling files of so many bytes. */
export function documentAddressSpace(bytes: number): number {
  return DOCUMENT_ADDRESS_SPACE_BYTES + bytes * ADDRESS_SPACE_PER_BYTE;
}

/** The failure of a page that needs more memory than there is. */
export function pageTooLarge(reason: string): Failure {
  return new Failure(
    'page_too_large',
    `The page does not fit into the memory of the processor. Scan it at a lower resolution, or give the processor more memory (${reason}).`,
  );
}
