import type { DeviceDescription, Sides } from '../../helpers/ipc/messages.ts';
import type { ScannerClient } from '../../service/scanner/scanner-client.ts';
import { fieldsOf, textIn, type Fields } from '../../service/set-up/fields.ts';
import {
  modeChoice,
  paperChoice,
  resolutionChoice,
  sidesChoice,
  sourceChoice,
  FALLBACK_OFFER,
  type Offer,
  type ScanSettings,
} from '../../service/set-up/scan-settings.ts';
import type { SetUpOptions } from './options.ts';
import type { Questions } from './questions.ts';

export type { ScanSettings };

export interface SettingsContext {
  readonly questions: Questions;
  readonly options: SetUpOptions;
  /** The current profile. Its settings are suggested if the scanner supports them. */
  readonly earlier: Fields | undefined;
}

/** Asks for source, mode, resolution and paper. `first` is undefined without a scanner. */
export async function chooseSettings(
  scanner: Pick<ScannerClient, 'describeDevice'>,
  first: DeviceDescription | undefined,
  { questions, options, earlier }: SettingsContext,
): Promise<ScanSettings> {
  const source = await chooseSource(first, { questions, options, earlier });
  const offer =
    first === undefined || source === undefined || source === first.source
      ? (first ?? FALLBACK_OFFER)
      : await scanner.describeDevice(first.device, source, new AbortController().signal);
  const sides = await chooseSides(offer, { questions, options, earlier });
  const mode = await questions.choice({
    question: 'Mode? Gray is right for letters, Color for pictures',
    ...modeChoice(offer, earlier),
    given: options.mode,
    option: '--mode',
  });
  const resolution = await questions.choice({
    question: 'Resolution in dpi?',
    ...resolutionChoice(offer, earlier),
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
  const offer = first ?? FALLBACK_OFFER;
  // The scanner has no choice of sources. If it was not seen, keeps the profile's source.
  if (offer.sources.length === 0)
    return first === undefined ? (options.source ?? textIn(earlier, 'source')) : undefined;
  return questions.choice({
    question: 'Where is the paper? ADF is the feeder, "Duplex" scans both sides',
    ...sourceChoice(offer, earlier),
    given: options.source,
    option: '--source',
  });
}

/** Asks only if the source supports one and both sides. */
async function chooseSides(
  offer: Offer,
  { questions, options, earlier }: SettingsContext,
): Promise<Sides | undefined> {
  const sides = sidesChoice(offer, earlier);
  if (sides.kind === 'none') return options.sides ?? sides.kept;
  const chosen = await questions.choice({
    question: 'One side of each sheet, or both?',
    choices: sides.choices,
    suggestion: sides.suggestion,
    given: options.sides,
    option: '--sides',
  });
  return chosen === 'both' ? 'both' : 'one';
}

async function choosePaper(
  offer: Offer,
  { questions, options, earlier }: SettingsContext,
): Promise<ScanSettings['page_size']> {
  const own = fieldsOf(earlier?.['page_size']);
  if (own !== undefined && options.pageSize === undefined) {
    questions.say('The paper stays as the profile has it, in millimetres.');
    return own;
  }
  const { choices, suggestion, sizes } = paperChoice(offer, earlier);
  const chosen = await questions.choice({
    question: 'Paper?',
    choices,
    suggestion,
    given: options.pageSize,
    option: '--page-size',
  });
  return sizes.get(chosen) ?? chosen;
}
