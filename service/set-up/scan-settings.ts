import type { DeviceDescription, Sides } from '../../helpers/ipc/messages.ts';
import { A4, fitsOn, nearestPaper, PAGE_SIZES, sizeText } from '../../helpers/paper.ts';
import {
  namesDuplex,
  usualMode,
  usualResolution,
  usualSource,
} from '../../helpers/scanner-words.ts';
import { textIn, type Fields } from './fields.ts';

export interface ScanSettings {
  readonly source: string | undefined;
  readonly sides: Sides | undefined;
  readonly mode: string;
  readonly resolution: number;
  /** A name, or width and height from an existing profile. */
  readonly page_size: string | Fields;
}

export type Offer = Pick<
  DeviceDescription,
  'sources' | 'feeder' | 'sides' | 'modes' | 'resolutions' | 'max_page'
>;

export interface Choice<Suggestion = string> {
  readonly choices: readonly string[];
  readonly suggestion: Suggestion;
}

const PAPER = ['a4', 'letter', 'legal', 'a5'];

const SIDES = ['one', 'both'] as const;

/** Offered if the scanner accepts a range of resolutions. */
const USUAL_DPI = [200, 300, 400, 600];

/** Offered for a scanner that does not answer. Nearly every scanner has these. */
export const FALLBACK_OFFER: Offer = {
  sources: [],
  feeder: true,
  sides: [],
  modes: ['Gray', 'Color'],
  resolutions: USUAL_DPI,
};

/** Suggests what the profile had (`earlier`), if the scanner offers it. */
export function sourceChoice(
  { sources }: Pick<Offer, 'sources'>,
  earlier: Fields | undefined,
): Choice<string | undefined> {
  const suggestion = keptOr(usualSource(sources), sources, earlier?.['source']);
  return { choices: sources, suggestion };
}

/**
 * Offers a choice if the source can scan one side or both. Otherwise, the profile keeps its sides
 * if the scanner has a duplex source or does not answer.
 */
export function sidesChoice(
  { sources, feeder, sides }: Offer,
  earlier: Fields | undefined,
):
  | ({ readonly kind: 'choice' } & Choice<Sides>)
  | { readonly kind: 'none'; readonly kept: Sides | undefined } {
  const before = SIDES.find((one) => one === earlier?.['sides']);
  if (sides.length >= 2) return { kind: 'choice', choices: SIDES, suggestion: before ?? 'both' };
  const isKept = sides.length === 0 || (feeder && sources.some(namesDuplex));
  return { kind: 'none', kept: isKept ? before : undefined };
}

export function modeChoice({ modes: offered }: Offer, earlier: Fields | undefined): Choice {
  const modes = offered.length > 0 ? offered : [usualMode(offered)];
  return { choices: modes, suggestion: keptOr(usualMode(modes), modes, earlier?.['mode']) };
}

export function resolutionChoice(offer: Offer, earlier: Fields | undefined): Choice {
  const offered = resolutionsOf(offer);
  const choices = offered.map(String);
  const usual = String(usualResolution(offered));
  return { choices, suggestion: keptOr(usual, choices, earlier?.['resolution']) };
}

export function paperChoice(
  offer: Offer,
  earlier: Fields | undefined,
): Choice<string | undefined> & {
  readonly sizes: ReadonlyMap<string, ScanSettings['page_size']>;
} {
  const before = textIn(earlier, 'page_size');
  const sizes = sizesOf(offer);
  if (before !== undefined) {
    const format = PAGE_SIZES.get(before);
    if (format === undefined || fitsOn(format, offer.max_page)) sizes.set(before, before);
  }
  const choices = [...sizes.keys()];
  return { choices, sizes, suggestion: keptOr(choices[0], choices, before) };
}

/** Suggests the earlier choice if it is still offered. */
function keptOr<Usual extends string | undefined>(
  usual: Usual,
  choices: readonly string[],
  before: unknown,
): string | Usual {
  return choices.find((choice) => choice === String(before)) ?? usual;
}

function resolutionsOf({ resolutions }: Offer): readonly number[] {
  if (!('min' in resolutions)) return resolutions.length > 0 ? resolutions : USUAL_DPI;
  const { min, max } = resolutions;
  const usual = USUAL_DPI.filter((dpi) => dpi >= min && dpi <= max);
  return usual.length > 0 ? usual : [max];
}

/** Returns the sizes that fit, or else as much of A4 as fits. */
function sizesOf({ max_page: largest }: Offer): Map<string, ScanSettings['page_size']> {
  const fitting = PAPER.filter((name) => fitsOn(PAGE_SIZES.get(name) ?? A4, largest));
  if (fitting.length > 0) return new Map(fitting.map((name) => [name, name]));
  const nearest = largest ? nearestPaper(A4, largest) : 'a4';
  if (typeof nearest === 'string') return new Map([[nearest, nearest]]);
  return new Map([[sizeText(nearest), { ...nearest }]]);
}
