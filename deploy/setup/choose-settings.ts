import type { DeviceDescription } from '../../helpers/ipc/messages.ts';
import { fitsOn, PAGE_SIZES } from '../../helpers/paper.ts';
import { usualMode, usualResolution, usualSource } from '../../helpers/scanner-words.ts';
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

/** Paper that is offered: what a scanner of documents is used for. */
const PAPER = ['a4', 'letter', 'legal', 'a5'];

/** Offered where the scanner has a range. */
const USUAL_DPI = [200, 300, 400, 600];

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
    choices: modes.length > 0 ? modes : [usualMode(modes)],
    suggestion: usualMode(modes),
    given: options.mode,
    option: '--mode',
  });
  const offered = resolutionsOf(description);
  const resolution = await questions.choice({
    question: 'Resolution in dpi?',
    choices: offered.map(String),
    suggestion: String(usualResolution(offered)),
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
  { sources }: DeviceDescription,
  questions: Questions,
  given: string | undefined,
): Promise<string | undefined> {
  if (sources.length === 0) return undefined;
  return questions.choice({
    question: 'Where is the paper? "Duplex" scans both sides',
    choices: sources,
    suggestion: usualSource(sources),
    given,
    option: '--source',
  });
}

function resolutionsOf({ resolutions }: DeviceDescription): readonly number[] {
  if (!('min' in resolutions)) return resolutions.length > 0 ? resolutions : USUAL_DPI;
  const { min, max } = resolutions;
  const usual = USUAL_DPI.filter((dpi) => dpi >= min && dpi <= max);
  return usual.length > 0 ? usual : [max];
}

function sizesOf({ max_page: largest }: DeviceDescription): readonly string[] {
  const fitting = PAPER.filter((name) => {
    const size = PAGE_SIZES.get(name);
    return size !== undefined && fitsOn(size, largest);
  });
  return fitting.length > 0 ? fitting : ['a4'];
}
