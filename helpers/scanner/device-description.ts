import type { DeviceDescription } from '../ipc/messages.ts';
import type { ScannerOption } from './option-lines.ts';

/** The option of that name, if it is active and can be set; an option that cannot be set is as good as none. */
export function settable(
  options: readonly ScannerOption[],
  name: string,
): ScannerOption | undefined {
  return options.find((option) => option.name === name && option.active && option.settable);
}

/** What a person can choose of a device, from the options it has with one source. */
export function describeDevice(
  device: string,
  options: readonly ScannerOption[],
): DeviceDescription {
  return {
    device,
    sources: wordsOf(settable(options, 'source')),
    source: settable(options, 'source')?.current,
    modes: wordsOf(settable(options, 'mode')),
    resolutions: resolutionsOf(settable(options, 'resolution')),
    max_page: largestPage(options),
    options: options
      .filter((option) => option.active && option.settable)
      .map((option) => option.name),
  };
}

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

/**
 * Largest page in mm. Where the paper's size is an option, its range counts: the range of -x and -y is then the paper
 * size that is set at the moment (sane-fujitsu(5), --page-width).
 */
export function largestPage(options: readonly ScannerOption[]): DeviceDescription['max_page'] {
  const width = maximum(options, [...PAGE_WIDTH_OPTIONS, 'x']);
  const height = maximum(options, [...PAGE_HEIGHT_OPTIONS, 'y']);
  if (width === undefined || height === undefined) return undefined;
  return { width_mm: width, height_mm: height };
}

function maximum(options: readonly ScannerOption[], names: readonly string[]): number | undefined {
  const constraint = millimetreOption(options, names)?.constraint;
  return constraint?.kind === 'range' && constraint.max > 0 ? constraint.max : undefined;
}

function wordsOf(option: ScannerOption | undefined): readonly string[] {
  if (option?.constraint.kind === 'words') return option.constraint.values;
  if (option?.constraint.kind === 'numbers') return option.constraint.values.map(String);
  return [];
}

/** With more than these, a range is easier to read than a list. */
const MOST_RESOLUTIONS = 50;

function resolutionsOf(option: ScannerOption | undefined): DeviceDescription['resolutions'] {
  if (option?.constraint.kind === 'numbers') return option.constraint.values;
  if (option?.constraint.kind !== 'range') return [];
  const { min, max, step } = option.constraint;
  // A resolution between two steps does not exist.
  const count = step > 1 ? Math.floor((max - min) / step) + 1 : Infinity;
  if (count > MOST_RESOLUTIONS) return { min, max };
  return Array.from({ length: count }, (_, index) => min + index * step);
}
