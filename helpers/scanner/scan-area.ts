import type { PageSize } from '../ipc/messages.ts';
import { settable, type ScannerOption } from './option-lines.ts';

/** kodak spells them without a dash (sane-kodak(5)). */
export const PAGE_WIDTH_OPTIONS = ['page-width', 'pagewidth'] as const;
export const PAGE_HEIGHT_OPTIONS = ['page-height', 'pageheight'] as const;

export function millimetreOption(
  options: readonly ScannerOption[],
  names: readonly string[],
): ScannerOption | undefined {
  return names
    .map((name) => settable(options, name))
    .find((option) => option?.unit === 'mm' && option.constraint.kind === 'range');
}

/** Smaller than any page, in mm or pixels. Some drivers list 0..0.0046pel by mistake. */
const LEAST_AREA = 10;

export function isAreaUnusable(options: readonly ScannerOption[]): boolean {
  return ['x', 'y'].some((name) => {
    const constraint = settable(options, name)?.constraint;
    return constraint?.kind === 'range' && constraint.max < LEAST_AREA;
  });
}

/**
 * Undefined if the scanner has no page size. The options for the paper size come first, since they
 * limit -x and -y to the current paper size (sane-fujitsu(5), --page-width).
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
