import type { DeviceDescription } from '../ipc/messages.ts';
import { sidesOf } from './both-sides.ts';
import { settable, type ScannerOption } from './option-lines.ts';
import { isAreaUnusable, largestPage } from './scan-area.ts';
import { sourceInUse } from './sources.ts';

export function describeDevice(
  device: string,
  options: readonly ScannerOption[],
  isSheetFed = false,
): DeviceDescription {
  const source = sourceInUse({ scanner_options: {} }, options, isSheetFed);
  return {
    device,
    sources: wordsOf(settable(options, 'source')),
    source: settable(options, 'source')?.current,
    feeder: source.feeder,
    sides: sidesOf(source, options),
    modes: wordsOf(settable(options, 'mode')),
    resolutions: resolutionsOf(settable(options, 'resolution')),
    max_page: largestPage(options),
    ...(isAreaUnusable(options) && { area_unusable: true }),
    options: options
      .filter((option) => option.active && option.settable)
      .map((option) => option.name),
  };
}

function wordsOf(option: ScannerOption | undefined): readonly string[] {
  if (option?.constraint.kind === 'words') return option.constraint.values;
  if (option?.constraint.kind === 'numbers') return option.constraint.values.map(String);
  return [];
}

/** Longer lists are described as a range. */
const MOST_RESOLUTIONS = 50;

function resolutionsOf(option: ScannerOption | undefined): DeviceDescription['resolutions'] {
  if (option?.constraint.kind === 'numbers') return option.constraint.values;
  if (option?.constraint.kind !== 'range') return [];
  const { min, max, step } = option.constraint;
  const count = step > 1 ? Math.floor((max - min) / step) + 1 : Infinity;
  if (count > MOST_RESOLUTIONS) return { min, max };
  return Array.from({ length: count }, (_, index) => min + index * step);
}
