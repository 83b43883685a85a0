import type { PageSize } from './ipc/messages.ts';

export const MM_PER_INCH = 25.4;

export const A4 = { width_mm: 210, height_mm: 297 } as const;

/** ISO 216 and ANSI/ASME Y14.1. */
export const PAGE_SIZES: ReadonlyMap<string, PageSize> = new Map([
  ['a3', { width_mm: 297, height_mm: 420 }],
  ['a4', A4],
  ['a5', { width_mm: 148, height_mm: 210 }],
  ['a6', { width_mm: 105, height_mm: 148 }],
  ['b5', { width_mm: 176, height_mm: 250 }],
  ['letter', { width_mm: 215.9, height_mm: 279.4 }],
  ['legal', { width_mm: 215.9, height_mm: 355.6 }],
]);

/** Scanners round page sizes; paper is accurate to half a millimetre. */
const ROUNDING_MM = 0.5;

/** The widest strip that a scan may miss. Margins of print are wider. */
const MOST_CUT_MM = 6;

/** True if at most `MOST_CUT_MM` are cut off, or if the area is unknown. */
export function fitsOn(page: PageSize, largest: PageSize | null | undefined): boolean {
  return !largest || isWithin(page, largest, MOST_CUT_MM);
}

function isWithin(page: PageSize, largest: PageSize, more: number): boolean {
  return page.width_mm <= largest.width_mm + more && page.height_mm <= largest.height_mm + more;
}

export function cutTo(page: PageSize, largest: PageSize): PageSize {
  if (isWithin(page, largest, ROUNDING_MM)) return page;
  return {
    width_mm: Math.min(page.width_mm, largest.width_mm),
    height_mm: Math.min(page.height_mm, largest.height_mm),
  };
}

const LEAST_SHARE = 0.75;

/** The nearest format that fits, or else the part of the page that fits, in whole mm. */
export function nearestPaper(page: PageSize, largest: PageSize): string | PageSize {
  const part = cutTo(page, largest);
  const [format] = [...PAGE_SIZES]
    .filter(([, size]) => isWithin(size, largest, ROUNDING_MM))
    .toSorted(([, one], [, other]) => differenceOf(one, part) - differenceOf(other, part));
  if (format && areaOf(format[1]) >= LEAST_SHARE * areaOf(part)) return format[0];
  return { width_mm: Math.floor(part.width_mm), height_mm: Math.floor(part.height_mm) };
}

function differenceOf(one: PageSize, other: PageSize): number {
  return Math.abs(one.width_mm - other.width_mm) + Math.abs(one.height_mm - other.height_mm);
}

function areaOf({ width_mm, height_mm }: PageSize): number {
  return width_mm * height_mm;
}

export function sizeText({ width_mm, height_mm }: PageSize): string {
  return `${Number(width_mm.toFixed(1))} x ${Number(height_mm.toFixed(1))} mm`;
}

/** In the syntax of profiles. */
export function asSetting(size: string | PageSize): string {
  if (typeof size === 'string') return size;
  return `{width_mm: ${size.width_mm}, height_mm: ${size.height_mm}}`;
}
