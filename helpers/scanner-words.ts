import type { DeviceDescription } from './ipc/messages.ts';

/**
 * SANE drivers describe a source only by its name. Seen in practice: Flatbed, FlatBed, Normal,
 * Transparency Unit, Document Table, ADF, ADF Front, ADF Duplex, Card Front, Automatic Document
 * Feeder(left aligned,Duplex), adf, fb, Auto.
 */
const FEEDER = /adf|feed|duplex|card|sheet/iu;
const FLATBED = /flat|^fb$|normal|table|transparen|tpu|film|slide|negative/iu;
const DUPLEX = /duplex/iu;

/** Some drivers add words: True Gray, 24bit Color. Gray[Error Diffusion] is black and white. */
const GRAY = /^(?:true )?gr[ae]y(?:scale)?$/iu;
const COLOUR = /colou?r/iu;
const BLACK_AND_WHITE = /^(?:lineart|binary|black ?(?:&|and) ?white|monochrome|threshold)$/iu;

/** Suits OCR: higher resolutions take longer and find no more words. */
const USUAL_DPI = 300;
const USUAL_MODE = 'Gray';

/** The real page size is unknown if the driver reports a useless scan area. */
export const AREA_UNUSABLE = {
  what: 'The driver of the scanner lists a scanning area that no page fits into.',
  remedy:
    'Use the scanner by eSCL (AirPrint) instead: set device to airscan:escl:NAME:http://ADDRESS/eSCL.',
} as const;

/** True for sources that feed sheets. All others scan a single page. */
export function namesFeeder(source: string): boolean {
  return FEEDER.test(source);
}

export function namesDuplex(source: string): boolean {
  return DUPLEX.test(source);
}

/** True if the name indicates neither feeder nor flatbed. Such a source scans a single page. */
export function isUnknownSource(source: string): boolean {
  return !FEEDER.test(source) && !FLATBED.test(source);
}

/** The mode from which black and white is derived: gray if offered, otherwise colour. */
export function grayMode(modes: readonly string[]): string | undefined {
  return modes.find((mode) => GRAY.test(mode)) ?? modes.find((mode) => COLOUR.test(mode));
}

export type ModeKind = 'color' | 'gray' | 'black_and_white';

/** Undefined for other modes, such as halftones. */
export function modeKind(mode: string): ModeKind | undefined {
  if (COLOUR.test(mode)) return 'color';
  if (GRAY.test(mode)) return 'gray';
  return BLACK_AND_WHITE.test(mode) ? 'black_and_white' : undefined;
}

/** Suggests a duplex feeder, else a feeder, else the first source. */
export function usualSource(sources: readonly string[]): string | undefined {
  return sources.find(namesDuplex) ?? sources.find(namesFeeder) ?? sources[0];
}

/** Suggests gray, else colour, else the first mode. */
export function usualMode(modes: readonly string[]): string {
  return grayMode(modes) ?? modes[0] ?? USUAL_MODE;
}

/** Suggests the supported resolution nearest to 300 dpi. */
export function usualResolution(offered: DeviceDescription['resolutions']): number {
  if ('min' in offered) return Math.min(Math.max(USUAL_DPI, offered.min), offered.max);
  const nearest = offered.toSorted((a, b) => Math.abs(a - USUAL_DPI) - Math.abs(b - USUAL_DPI));
  return nearest[0] ?? USUAL_DPI;
}
