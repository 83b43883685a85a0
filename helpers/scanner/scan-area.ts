import type { PageSize } from '../ipc/messages.ts';
import { settable, type ScannerOption } from './option-lines.ts';

/** Names of a device's options that say how large the paper is; kodak spells them without a dash (sane-kodak(5)). */
export const PAGE_WIDTH_OPTIONS = ['page-width', 'pagewidth'] as const;
export const PAGE_HEIGHT_OPTIONS = ['page-height', 'pageheight'] as const;

/** The first of `names` that the device has in millimetres. */
export function millimetreOption(
  options: readonly ScannerOption[],
  names: readonly string[],
): ScannerOption | undefined {
  return names
    .map((name) => settable(options, name))
    .find((option) => option?.unit === 'mm' && option.constraint.kind === 'range');
}

/** A range of -x or -y that ends before this holds no page, in millimetres or pixels: drivers list 0..0.0046pel by mistake. */
const LEAST_AREA = 10;

/** Whether the driver lists an area that no page fits into. */
export function isAreaUnusable(options: readonly ScannerOption[]): boolean {
  return ['x', 'y'].some((name) => {
    const constraint = settable(options, name)?.constraint;
    return constraint?.kind === 'range' && constraint.max < LEAST_AREA;
  });
}

/**
 * Largest page in mm; undefined where the scanner takes no page size. Where the paper's size is an option, its range counts: the
 * range of -x and -y is then the paper size that is set at the moment (sane-fujitsu(5), --page-width).
 */
export function largestPage(options: readonly ScannerOption[]): PageSize | undefined {
  if (isAreaUnusable(options)) return undefined;
  const width = maximum(options, [...PAGE_WIDTH_OPTIONS, 'x']);
  const height = maximum(options, [...PAGE_HEIGHT_OPTIONS, 'y']);
  if (width === undefined || height === undefined) return undefined;
  return { width_mm: width, height_mm: height };
}

function maximum(options: readonly ScannerOption[], names: readonly string[]): number | undefined {
  const constraint = millimetreOption(options, names)?.constraint;
  return constraint?.kind === 'range' && constraint.max > 0 ? constraint.max : undefined;
}
