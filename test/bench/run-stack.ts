import path from 'node:path';
import { compareDocuments, type DocumentLikeness } from './likeness.ts';
import type { Measurement } from './measurement.ts';
import { measureNaive, measureTesseract } from './script-sides.ts';
import { measureOurs } from './our-side.ts';
import { stackOfPages, type PageSet } from './page-sets.ts';
import { type PlannedStack, type Step, asksLastPage, stepsOf } from './plan.ts';
import { measureProcessor } from './processor-side.ts';
import { referenceOf, spreadOver, type AloneSample } from './reference.ts';
import { checkSameWork } from './same-work.ts';
import type { Workbench } from './workbench.ts';

/** The ten pages of a mode, and what scanimage makes of them. */
export interface TenPages {
  readonly set: PageSet;
  /** Raw TIFF files; for line art those of the set. */
  readonly raw: readonly string[];
}

export interface StackRun {
  readonly bench: Workbench;
  readonly cores: number;
  readonly signal: AbortSignal;
  /** Told of every measurement as it comes. */
  readonly report: (measurement: Measurement) => void;
}

export interface StackMeasured {
  readonly measurements: readonly Measurement[];
  /** How like the raw pages the documents are: where the naive script made one too. */
  readonly likeness: readonly DocumentLikeness[];
}

/**
 * One round of one stack: every side does it, one after the other, and Tesseract alone before, between and after them, so
 * that each run has its own reference from directly before and after it. Documents are looked at when all have run. Throws
 * when the sides did not do the same work.
 */
export async function runStack(
  ten: TenPages,
  { planned, round }: { planned: PlannedStack; round: number },
  run: StackRun,
): Promise<StackMeasured> {
  const { pages } = planned;
  const set = stackOfPages(ten.set, pages);
  const steps = stepsOf(planned, round);
  return run.bench.inDirectory('documents', async (directory) => {
    const done: Measurement[] = [];
    const documents = new Map<string, string>();
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
      const keepAs = isPlain(step) ? path.join(directory, `${step.side}.pdf`) : undefined;
      const measured = await measureStep(step, set, { ...run, keepAs });
      if (keepAs !== undefined) documents.set(step.side, keepAs);
      const after = await sample(step, steps[index + 1]);
      add({ ...measured, reference: referenceOf(before, after, pages) });
      before = after;
    }
    const sides = done.filter(
      ({ side, variant }) => side !== 'tesseract' && !variant.includes('deskew'),
    );
    checkSameWork(set, [alone, ...sides]);
    // The documents of later rounds are the same, and those of fifty pages hold the ten again and again.
    const likeness =
      round === 0 && documents.size === 2 && pages <= ten.set.files.length
        ? await compareDocuments({
            set,
            raw: stackOfPages({ ...ten.set, files: ten.raw }, pages).files,
            documents,
            directory,
          })
        : [];
    return { measurements: done, likeness };
  });
}

/** Whether the pages are left as they were: a page that was turned or straightened is not like the raw one. */
function isPlain(step: Step): boolean {
  return step.side === 'naive' || (step.side === 'ours' && step.variant === 'plain');
}

function measureAlone(
  { set, raw }: TenPages,
  pages: number,
  { bench, cores, signal }: StackRun,
): Promise<Measurement> {
  const rawPages = stackOfPages({ ...set, files: raw }, pages).files;
  return measureTesseract(bench, { mode: set.mode, rawPages, cores, signal });
}

function measureStep(
  step: Step,
  set: PageSet,
  { bench, cores, signal, keepAs }: StackRun & { keepAs: string | undefined },
): Promise<Measurement> {
  const { mode } = set;
  const { pace } = step;
  if (step.side === 'naive') {
    const scanned = mode === 'lineart' ? undefined : pace;
    return measureNaive(bench, { set, pace: scanned, cores, signal, keepAs });
  }
  return mode === 'lineart'
    ? measureProcessor(bench, { set, pace, cores, signal, keepAs })
    : measureOurs(bench, { set, pace, variant: step.variant, cores, keepAs });
}
