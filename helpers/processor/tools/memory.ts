import os from 'node:os';
import { Failure } from '../../failure.ts';

const MIB = 1024 * 1024;

/**
 * Share of the memory of the container or machine for all programs together. The rest is for this
 * process, idle Python processes, and pages in progress, as /tmp is in memory in the container.
 */
const PROGRAMS_SHARE = 0.6;

/**
 * Address space besides the image: program, libraries, models of a few languages, results. Measured
 * with Tesseract 5.3 (120 MiB with one language) and Python with Pillow, pikepdf and OCRmyPDF (105
 * MiB).
 */
const BASE_BYTES = 256 * MIB;

/** Measured: 3.7 bytes per pixel in Tesseract, 4.1 in Pillow; slightly more for dense pages. */
const BYTES_PER_GRAY_PIXEL = 6;
/** Measured: 10.7 bytes in Tesseract, 9 in Pillow, including conversion to a plain image. */
const BYTES_PER_PIXEL = 14;

/**
 * Memory for assembling a document: 55 MB measured, plus the size of its pages. Enough for 500
 * average pages.
 */
export const DOCUMENT_MEMORY_BYTES = 256 * MIB;
/** Address space includes mapped files, so it is larger. */
const DOCUMENT_ADDRESS_SPACE_BYTES = 512 * MIB;
const ADDRESS_SPACE_PER_BYTE = 4;

/** Memory for all programs together on this machine or in this container, in bytes. */
export function programMemory(): number {
  const limit = process.constrainedMemory();
  return Math.floor(PROGRAMS_SHARE * Math.min(limit > 0 ? limit : Infinity, os.totalmem()));
}

/** Memory per program working on a page, in bytes. One runs at a time. */
export function pageMemory({ pixels, gray }: { pixels: number; gray: boolean }): number {
  return BASE_BYTES + Math.ceil(pixels * (gray ? BYTES_PER_GRAY_PIXEL : BYTES_PER_PIXEL));
}

/** The pixels of any kind that fit into this memory. */
export function pixelsWithin(memoryBytes: number): number {
  return Math.max(0, Math.floor((memoryBytes - BASE_BYTES) / BYTES_PER_PIXEL));
}

/** Address space for assembling files of this total size. */
export function documentAddressSpace(bytes: number): number {
  return DOCUMENT_ADDRESS_SPACE_BYTES + bytes * ADDRESS_SPACE_PER_BYTE;
}

export function pageTooLarge(reason: string): Failure {
  return new Failure(
    'page_too_large',
    `The page does not fit into the memory of the processor. Scan it at a lower resolution, or give the processor more memory (${reason}).`,
  );
}
