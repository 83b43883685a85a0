import os from 'node:os';
import { Failure } from '../../failure.ts';

const MIB = 1024 * 1024;

/**
 * Share of the container's or machine's memory for all programs. The rest is for this process, idle
 * Python processes, and pages: /tmp is in memory in the container.
 */
const PROGRAMS_SHARE = 0.6;

/**
 * Memory of a program without the page: code, libraries, models, results. Measured: Tesseract 5.3
 * with one language 120 MiB, ONNX Runtime with its model 65 MiB more, Python with Pillow, pikepdf
 * and OCRmyPDF 105 MiB.
 */
const BASE_BYTES = 256 * MIB;

/** Measured: Tesseract 3.7 bytes, Pillow 4.1, slightly more on dense pages. */
const BYTES_PER_GRAY_PIXEL = 6;
/** Measured: Tesseract 10.7 bytes; Pillow 9, including conversion to a plain image. */
const BYTES_PER_PIXEL = 14;

/** Enough for a document of 500 average pages: measured 55 MB, plus the size of the pages. */
export const DOCUMENT_MEMORY_BYTES = 256 * MIB;
/** Address space is larger than memory, since it includes mapped files. */
const DOCUMENT_ADDRESS_SPACE_BYTES = 512 * MIB;
const ADDRESS_SPACE_PER_BYTE = 4;

export function programMemory(): number {
  const limit = process.constrainedMemory();
  return Math.floor(PROGRAMS_SHARE * Math.min(limit > 0 ? limit : Infinity, os.totalmem()));
}

/** For each program that works on the page, in bytes. Only one runs at a time. */
export function pageMemory({ pixels, gray }: { pixels: number; gray: boolean }): number {
  return BASE_BYTES + Math.ceil(pixels * (gray ? BYTES_PER_GRAY_PIXEL : BYTES_PER_PIXEL));
}

export function pixelsWithin(memoryBytes: number): number {
  return Math.max(0, Math.floor((memoryBytes - BASE_BYTES) / BYTES_PER_PIXEL));
}

export function documentAddressSpace(bytes: number): number {
  return DOCUMENT_ADDRESS_SPACE_BYTES + bytes * ADDRESS_SPACE_PER_BYTE;
}

export function pageTooLarge(reason: string): Failure {
  return new Failure(
    'page_too_large',
    `The page does not fit into the memory of the processor. Scan it at a lower resolution, or give the processor more memory (${reason}).`,
  );
}
