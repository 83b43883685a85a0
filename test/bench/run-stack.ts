import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { measureNaive, measureOurs, measureProcessor, measureTesseract } from './sides.ts';
import { makeTenPages, scanRawPages, stackOfPages, type PageSet } from './page-sets.ts';
import { asksLastPage, stepsOf, type Plan, type PlannedStack, type Step } from './plan.ts';
import { referenceOf, spreadOver, type AloneSample, type Measurement } from './rows.ts';
import { countWords, lostOnPages } from './statistics.ts';
import { measureService, type ServiceFigures } from './service/service-figures.ts';
import { openWorkbench, type PageMode, type Workbench } from './workbench.ts';

interface RunOptions {
  readonly cores: number;
  readonly signal: AbortSignal;
  readonly report: (measurement: Measurement) => void;
}

export interface AllMeasured {
  readonly measurements: readonly Measurement[];
  readonly texts: (measurement: Measurement) => readonly string[];
  readonly service: ServiceFigures;
}

export async function measureAll(plan: Plan, options: RunOptions): Promise<AllMeasured> {
  const bench = await openWorkbench();
  // Without this, an interrupted scan would continue for minutes.
  const giveUp = (): void => void bench.appliance.service.stop('SIGKILL');
  options.signal.addEventListener('abort', giveUp);
  try {
    const prepared = new Map<PageMode, TenPages>();
    for (const mode of new Set<PageMode>(['gray', ...plan.stacks.map((stack) => stack.mode)])) {
      prepared.set(mode, await rawPagesOf(bench, mode));
      options.signal.throwIfAborted();
    }
    const pagesOf = (mode: PageMode): TenPages => {
      const pages = prepared.get(mode);
      if (!pages) throw new Error(`no ${mode} pages were made`);
      return pages;
    };
    const measurements: Measurement[] = [];
    const rounds = Math.max(...plan.stacks.map((stack) => stack.rounds));
    for (let round = 0; round < rounds; round += 1) {
      for (const planned of plan.stacks.filter((stack) => stack.rounds > round)) {
        const ten = pagesOf(planned.mode);
        measurements.push(...(await runStack(ten, { planned, round }, { bench, ...options })));
      }
    }
    const service = await measureService(bench, {
      ...options,
      set: pagesOf('gray').set,
      largeDocumentMb: plan.largeDocumentMb,
    });
    const texts = ({ mode, pages }: Measurement): readonly string[] =>
      stackOfPages(pagesOf(mode).set, pages).texts;
    return { measurements, texts, service };
  } finally {
    options.signal.removeEventListener('abort', giveUp);
    await bench.close();
  }
}

async function rawPagesOf(bench: Workbench, mode: PageMode): Promise<TenPages> {
  const directory = await mkdtemp(path.join(bench.appliance.directory, `pages-${mode}-`));
  const set = await makeTenPages(mode, directory);
  const raw = mode === 'lineart' ? set.files : await scanRawPages(bench, set, directory);
  return { set, raw };
}

interface TenPages {
  readonly set: PageSet;
  /** Raw TIFF files; for line art, the files of the set. */
  readonly raw: readonly string[];
}

type StackRun = RunOptions & { readonly bench: Workbench };

/** Throws if the sides did not do the same work. */
async function runStack(
  ten: TenPages,
  { planned, round }: { planned: PlannedStack; round: number },
  run: StackRun,
): Promise<readonly Measurement[]> {
  const { pages } = planned;
  const set = stackOfPages(ten.set, pages);
  const steps = stepsOf(planned, round);
  const done: Measurement[] = [];
  const add = (measurement: Measurement): Measurement => {
    run.signal.throwIfAborted();
    run.report(measurement);
    done.push(measurement);
    return measurement;
  };
  const sample = async (...neighbours: (Step | undefined)[]): Promise<AloneSample> => {
    const alone = async (count: number): Promise<Measurement> =>
      add(await measureAlone(ten, count, run));
    const wanted = neighbours.some((step) => asksLastPage(step, planned));
    return {
      pages: await alone(planned.alonePages),
      lastPage: wanted ? await alone(1) : undefined,
    };
  };

  let before = await sample(steps[0]);
  const alone = spreadOver(before.pages, pages);
  for (const [index, step] of steps.entries()) {
    const measured = await measureStep(step, set, run);
    const after = await sample(step, steps[index + 1]);
    add({ ...measured, reference: referenceOf(before, after, pages) });
    before = after;
  }
  checkSameWork(set, [alone, ...done.filter(({ side }) => side !== 'tesseract')]);
  return done;
}

function measureAlone(
  { set, raw }: TenPages,
  pages: number,
  { bench, ...run }: StackRun,
): Promise<Measurement> {
  return measureTesseract(bench, { ...run, set: stackOfPages({ ...set, files: raw }, pages) });
}

function measureStep(step: Step, set: PageSet, { bench, ...run }: StackRun): Promise<Measurement> {
  const isLineArt = set.mode === 'lineart';
  if (step.side === 'naive')
    return measureNaive(bench, { ...run, set, pace: isLineArt ? undefined : step.pace });
  return isLineArt
    ? measureProcessor(bench, { ...run, set, pace: step.pace })
    : measureOurs(bench, { ...run, set, ...step });
}

/** Share of printed words that may be missing. Without OCR, or in the wrong language, more are. */
const MAX_LOST = 0.05;

/** Share that may be missing beyond what Tesseract alone misses. */
const MAX_LOST_BEYOND = 0.02;

/** Reports all differences: raw pages, number of pages, image sizes, PDF/A, missing words. */
function checkSameWork(set: PageSet, sides: readonly Measurement[]): void {
  const problems = sides.flatMap((side) => problemsOf(set, side));
  const [first] = sides;
  for (const side of sides) {
    if (first && side.work.rawPages.join() !== first.work.rawPages.join()) {
      problems.push(`${nameOf(side)} and ${nameOf(first)} had other raw pages`);
    }
  }
  const withDocument = sides.filter(({ work }) => work.imageSizes.length > 0);
  const sizes = new Map(withDocument.map((side) => [side.work.imageSizes.join(' '), nameOf(side)]));
  if (sizes.size > 1) {
    const list = [...sizes].map(([size, name]) => `${name} ${size}`);
    problems.push(`images differ: ${list.join(', ')}`);
  }
  const read = sides.filter(hasText);
  const lostOf = (side: Measurement): number => lostShare(set, side);
  const alone = Math.max(...read.filter(({ side }) => side === 'tesseract').map(lostOf));
  for (const side of read.filter((other) => lostOf(other) > alone + MAX_LOST_BEYOND)) {
    const shares = `${percent(lostOf(side))}, Tesseract alone ${percent(alone)}`;
    problems.push(`${nameOf(side)} misses more of the printed words: ${shares}`);
  }
  if (problems.length > 0) {
    throw new Error(`The sides did not do the same work:\n  ${problems.join('\n  ')}`);
  }
}

function problemsOf(set: PageSet, side: Measurement): string[] {
  const { length } = set.files;
  const { pages, texts, work } = side;
  const lost = lostShare(set, side);
  const isWrong: readonly (readonly [string, boolean])[] = [
    [`${pages} pages with ${texts.length} texts`, pages !== length || texts.length !== length],
    [`${work.rawPages.length} raw pages`, work.rawPages.length !== length],
    ['the document does not say that it is PDF/A', work.pdfA === false],
    [`${percent(lost)} of the printed words are missing`, hasText(side) && lost > MAX_LOST],
  ];
  return isWrong.flatMap(([problem, is]) => (is ? `${nameOf(side)}: ${problem}` : []));
}

function hasText({ variant }: Measurement): boolean {
  return variant !== 'no_ocr';
}

function lostShare(set: PageSet, side: Measurement): number {
  return lostOnPages(set.texts, side.texts) / countWords(set.texts);
}

function nameOf({ side, mode, pages, pace, variant }: Measurement): string {
  return `${side} (${mode}, ${pages} pages, ${pace ?? 'no scanner'}, ${variant})`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
