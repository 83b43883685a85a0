import type { DeviceDescription } from '../../helpers/ipc/messages.ts';
import type { ScannerClient } from '../../service/scanner/scanner-client.ts';
import type { SetUpOptions } from './options.ts';
import type { Questions } from './questions.ts';

/** What a profile says about the scanner. */
export interface ScanSettings {
  readonly source: string | undefined;
  readonly mode: string;
  readonly resolution: number;
  readonly page_size: string;
}

/** Paper that is offered, in mm: what a scanner of documents is used for. */
const PAPER: Readonly<Record<string, readonly [width: number, height: number]>> = {
  a4: [210, 297],
  letter: [215.9, 279.4],
  legal: [215.9, 355.6],
  a5: [148, 210],
};

/** Good for OCR; more takes longer and finds no more words. */
const BEST_DPI = 300;
/** Suggested where the scanner has a range. */
const USUAL_DPI = [200, 300, 400, 600];

/** Scanners report sizes that are rounded to their own units. */
const TOLERANCE_MM = 2;

/** Has source, mode, resolution and paper chosen from what the scanner offers. */
export async function chooseSettings(
  scanner: ScannerClient,
  first: DeviceDescription,
  { questions, options }: { readonly questions: Questions; readonly options: SetUpOptions },
): Promise<ScanSettings> {
  const source = await chooseSource(first, questions, options.source);
  const description =
    source === undefined || source === first.source
      ? first
      : await scanner.describeDevice(first.device, source, new AbortController().signal);
  const { modes } = description;
  const mode = await questions.choice({
    question: 'Mode? Gray is right for letters, Color for pictures',
    choices: modes.length > 0 ? modes : ['Gray'],
    suggestion: modes.includes('Gray') ? 'Gray' : (modes[0] ?? 'Gray'),
    given: options.mode,
    option: '--mode',
  });
  const offered = resolutionsOf(description);
  const resolution = await questions.choice({
    question: 'Resolution in dpi?',
    choices: offered.map(String),
    suggestion: String(nearest(offered, BEST_DPI)),
    given: options.resolution,
    option: '--resolution',
  });
  const sizes = sizesOf(description);
  const page_size = await questions.choice({
    question: 'Paper?',
    choices: sizes,
    suggestion: sizes[0],
    given: options.pageSize,
    option: '--page-size',
  });
  return { source, mode, resolution: Number(resolution), page_size };
}

async function chooseSource(
  { sources, source }: DeviceDescription,
  questions: Questions,
  given: string | undefined,
): Promise<string | undefined> {
  if (sources.length === 0) return undefined;
  return questions.choice({
    question: 'Where is the paper? "Duplex" scans both sides',
    choices: sources,
    suggestion: sources.find((one) => /adf|feed/iu.test(one)) ?? source ?? sources[0],
    given,
    option: '--source',
  });
}

function resolutionsOf({ resolutions }: DeviceDescription): readonly number[] {
  if (!('min' in resolutions)) return resolutions.length > 0 ? resolutions : [BEST_DPI];
  const { min, max } = resolutions;
  const usual = USUAL_DPI.filter((dpi) => dpi >= min && dpi <= max);
  return usual.length > 0 ? usual : [max];
}

function nearest(offered: readonly number[], wanted: number): number {
  return offered.toSorted((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted))[0] ?? wanted;
}

function sizesOf({ max_page: largest }: DeviceDescription): readonly string[] {
  if (largest === undefined) return Object.keys(PAPER);
  const fitting = Object.entries(PAPER).filter(
    ([, [width, height]]) =>
      width <= largest.width_mm + TOLERANCE_MM && height <= largest.height_mm + TOLERANCE_MM,
  );
  return fitting.length > 0 ? fitting.map(([name]) => name) : ['a4'];
}
