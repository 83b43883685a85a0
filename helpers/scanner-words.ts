import type { DeviceDescription } from './ipc/messages.ts';

/**
 * What the words of scanner drivers mean: SANE has no other way to tell. Sources seen: Flatbed, FlatBed, Normal, Transparency
 * Unit, Document Table, ADF, ADF Front, ADF Duplex, Card Front, Automatic Document Feeder(left aligned,Duplex), adf, fb, Auto.
 */
const FEEDER = /adf|feed|duplex|card|sheet/iu;
const FLATBED = /flat|^fb$|normal|table|transparen|tpu|film|slide|negative/iu;
const DUPLEX = /duplex/iu;

/** Drivers add words of their own: True Gray, 24bit Color. Gray[Error Diffusion] is black and white. */
const GRAY = /^(?:true )?gr[ae]y(?:scale)?$/iu;
const COLOUR = /colou?r/iu;
const BLACK_AND_WHITE = /^(?:lineart|binary|black ?(?:&|and) ?white|monochrome|threshold)$/iu;

/** What most people scan with: good for OCR; more takes longer and finds no more words. */
const USUAL_DPI = 300;
const USUAL_MODE = 'Gray';

/** Of a driver that lists a scanning area that no page fits into: nothing tells it how large a page is. */
export const AREA_UNUSABLE = {
  what: 'The driver of the scanner lists a scanning area that no page fits into.',
  remedy:
    'Use the scanner by eSCL (AirPrint) instead: set device to airscan:escl:NAME:http://ADDRESS/eSCL.',
} as const;

/** Whether a source of that name takes sheet after sheet. All others scan the same glass again and again: they get one page. */
export function namesFeeder(source: string): boolean {
  return FEEDER.test(source);
}

/** Whether a source of that name scans both sides of a sheet. */
export function namesDuplex(source: string): boolean {
  return DUPLEX.test(source);
}

/** Whether a name says neither feeder nor flatbed: one page is scanned, with a warning. */
export function isUnknownSource(source: string): boolean {
  return !FEEDER.test(source) && !FLATBED.test(source);
}

/** The mode that black and white can be made from: gray, or else colour. */
export function grayMode(modes: readonly string[]): string | undefined {
  return modes.find((mode) => GRAY.test(mode)) ?? modes.find((mode) => COLOUR.test(mode));
}

export type ModeKind = 'color' | 'gray' | 'black_and_white';

/** What a person calls a mode; undefined for those that are none of the three, such as halftones. */
export function modeKind(mode: string): ModeKind | undefined {
  if (COLOUR.test(mode)) return 'color';
  if (GRAY.test(mode)) return 'gray';
  return BLACK_AND_WHITE.test(mode) ? 'black_and_white' : undefined;
}

/** The source to suggest: both sides from the feeder, or else the feeder, or else the first. */
export function usualSource(sources: readonly string[]): string | undefined {
  return sources.find(namesDuplex) ?? sources.find(namesFeeder) ?? sources[0];
}

/** The mode to suggest: gray, whatever the driver calls it, or else colour, or else the first. */
export function usualMode(modes: readonly string[]): string {
  return grayMode(modes) ?? modes[0] ?? USUAL_MODE;
}

/** The resolution to suggest: the offered one that is nearest to 300 dpi. */
export function usualResolution(offered: DeviceDescription['resolutions']): number {
  if ('min' in offered) return Math.min(Math.max(USUAL_DPI, offered.min), offered.max);
  const nearest = offered.toSorted((a, b) => Math.abs(a - USUAL_DPI) - Math.abs(b - USUAL_DPI));
  return nearest[0] ?? USUAL_DPI;
}
