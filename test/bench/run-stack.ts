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

/**
 * One round of one stack: every side does it, one after the other, and Tesseract alone before, between and after them, so
 * that each run has its own reference from directly before and after it. Throws when
 * the sides did not do the same work.
 */
export async function runStack(
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
  const sides = done.filter(
    ({ side, variant }) => side !== 'tesseract' && !variant.includes('deskew'),
  );
  checkSameWork(set, [alone, ...sides]);
  return done;
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
  { bench, cores, signal }: StackRun,
): Promise<Measurement> {
  const { mode } = set;
  const { pace } = step;
  if (step.side === 'naive') {
    const scanned = mode === 'lineart' ? undefined : pace;
    return measureNaive(bench, { set, pace: scanned, cores, signal });
  }
  return mode === 'lineart'
    ? measureProcessor(bench, { set, pace, cores, signal })
    : measureOurs(bench, { set, pace, variant: step.variant, cores });
}
