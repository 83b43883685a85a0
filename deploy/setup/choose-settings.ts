import type { DeviceDescription, Sides } from '../../helpers/ipc/messages.ts';
import { A4, fitsOn, nearestPaper, PAGE_SIZES, sizeText } from '../../helpers/paper.ts';
import {
  namesDuplex,
  usualMode,
  usualResolution,
  usualSource,
} from '../../helpers/scanner-words.ts';
import type { ScannerClient } from '../../service/scanner/scanner-client.ts';
import { fieldsOf, textIn, type Fields } from './earlier.ts';
import type { SetUpOptions } from './options.ts';
import type { Questions } from './questions.ts';

/** What a profile says about the scanner. */
export interface ScanSettings {
  readonly source: string | undefined;
  /** Undefined where the source leaves no choice. */
  readonly sides: Sides | undefined;
  readonly mode: string;
  readonly resolution: number;
  /** A name, or width and height as a profile already has them. */
  readonly page_size: string | Fields;
}

type Offer = Pick<
  DeviceDescription,
  'sources' | 'feeder' | 'sides' | 'modes' | 'resolutions' | 'max_page'
>;

/** Paper that is offered: what a scanner of documents is used for. */
const PAPER = ['a4', 'letter', 'legal', 'a5'];

const SIDES = ['one', 'both'] as const;

/** Offered where the scanner has a range. */
const USUAL_DPI = [200, 300, 400, 600];

/** A scanner that was not there to be asked: its own source, and what nearly all have. */
const UNSEEN: Offer = {
  sources: [],
  feeder: true,
  sides: [],
  modes: ['Gray', 'Color'],
  resolutions: USUAL_DPI,
};

export interface SettingsContext {
  readonly questions: Questions;
  readonly options: SetUpOptions;
  /** The profile as it is; its settings are suggested where the scanner has them. */
  readonly earlier: Fields | undefined;
}

/** Has source, mode, resolution and paper chosen from what the scanner offers; `first` is undefined if it was not at hand. */
export async function chooseSettings(
  scanner: Pick<ScannerClient, 'describeDevice'>,
  first: DeviceDescription | undefined,
  { questions, options, earlier }: SettingsContext,
): Promise<ScanSettings> {
  const source = await chooseSource(first, { questions, options, earlier });
  const offer =
    first === undefined || source === undefined || source === first.source
      ? (first ?? UNSEEN)
      : await scanner.describeDevice(first.device, source, new AbortController().signal);
  const sides = await chooseSides(offer, { questions, options, earlier });
  const modes = offer.modes.length > 0 ? offer.modes : [usualMode(offer.modes)];
  const mode = await questions.choice({
    question: 'Mode? Gray is right for letters, Color for pictures',
    choices: modes,
    suggestion: keptOr(usualMode(modes), modes, earlier?.['mode']),
    given: options.mode,
    option: '--mode',
  });
  const offered = resolutionsOf(offer);
  const resolutions = offered.map(String);
  const resolution = await questions.choice({
    question: 'Resolution in dpi?',
    choices: resolutions,
    suggestion: keptOr(String(usualResolution(offered)), resolutions, earlier?.['resolution']),
    given: options.resolution,
    option: '--resolution',
  });
  const page_size = await choosePaper(offer, { questions, options, earlier });
  return { source, sides, mode, resolution: Number(resolution), page_size };
}

async function chooseSource(
  first: DeviceDescription | undefined,
  { questions, options, earlier }: SettingsContext,
): Promise<string | undefined> {
  const { sources } = first ?? UNSEEN;
  // Where the scanner has no choice there is none to name; where it was not seen, what was chosen before stays.
  if (sources.length === 0)
    return first === undefined ? (options.source ?? textIn(earlier, 'source')) : undefined;
  return questions.choice({
    question: 'Where is the paper? ADF is the feeder, "Duplex" scans both sides',
    choices: sources,
    suggestion: keptOr(usualSource(sources), sources, earlier?.['source']),
    given: options.source,
    option: '--source',
  });
}

/** Asks if the source can do either. Otherwise keeps the setting of the profile if the scanner has a duplex source, or was not seen. */
async function chooseSides(
  { sources, feeder, sides }: Offer,
  { questions, options, earlier }: SettingsContext,
): Promise<Sides | undefined> {
  const before = SIDES.find((one) => one === earlier?.['sides']);
  if (sides.length < 2) {
    const isKept = sides.length === 0 || (feeder && sources.some(namesDuplex));
    return options.sides ?? (isKept ? before : undefined);
  }
  const chosen = await questions.choice({
    question: 'One side of each sheet, or both?',
    choices: SIDES,
    suggestion: before ?? 'both',
    given: options.sides,
    option: '--sides',
  });
  return chosen === 'both' ? 'both' : 'one';
}

async function choosePaper(
  offer: Offer,
  { questions, options, earlier }: SettingsContext,
): Promise<ScanSettings['page_size']> {
  const before = earlier?.['page_size'];
  const own = fieldsOf(before);
  if (own !== undefined && options.pageSize === undefined) {
    questions.say('The paper stays as the profile has it, in millimetres.');
    return own;
  }
  const sizes = sizesOf(offer);
  if (typeof before === 'string') {
    const format = PAGE_SIZES.get(before);
    if (format === undefined || fitsOn(format, offer.max_page)) sizes.set(before, before);
  }
  const names = [...sizes.keys()];
  const chosen = await questions.choice({
    question: 'Paper?',
    choices: names,
    suggestion: keptOr(names[0], names, before),
    given: options.pageSize,
    option: '--page-size',
  });
  return sizes.get(chosen) ?? chosen;
}

/** What was chosen before, if there is such a choice. */
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

/** By the names that are offered: formats, or else as much of A4 as the scanner has. */
function sizesOf({ max_page: largest }: Offer): Map<string, ScanSettings['page_size']> {
  const fitting = PAPER.filter((name) => fitsOn(PAGE_SIZES.get(name) ?? A4, largest));
  if (fitting.length > 0) return new Map(fitting.map((name) => [name, name]));
  const nearest = largest ? nearestPaper(A4, largest) : 'a4';
  if (typeof nearest === 'string') return new Map([[nearest, nearest]]);
  return new Map([[sizeText(nearest), { ...nearest }]]);
}
