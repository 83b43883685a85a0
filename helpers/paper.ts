import type { PageSize } from './ipc/messages.ts';

export const MM_PER_INCH = 25.4;

/** Paper sizes by name, in mm (ISO 216 and ANSI/ASME Y14.1). */
export const PAGE_SIZES: ReadonlyMap<string, PageSize> = new Map([
  ['a3', { width_mm: 297, height_mm: 420 }],
  ['a4', { width_mm: 210, height_mm: 297 }],
  ['a5', { width_mm: 148, height_mm: 210 }],
  ['a6', { width_mm: 105, height_mm: 148 }],
  ['b5', { width_mm: 176, height_mm: 250 }],
  ['letter', { width_mm: 215.9, height_mm: 279.4 }],
  ['legal', { width_mm: 215.9, height_mm: 355.6 }],
]);

/** Scanners round page sizes to their own steps, and paper formats are known to half a millimetre. */
const ROUNDING_MM = 0.5;

/** Whether a page can be scanned where `largest` is the largest one; a scanner that names none takes them all. */
export function fitsOn(page: PageSize, largest: PageSize | null | undefined): boolean {
  return (
    !largest ||
    (page.width_mm <= largest.width_mm + ROUNDING_MM &&
      page.height_mm <= largest.height_mm + ROUNDING_MM)
  );
}
