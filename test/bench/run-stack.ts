import type { Measurement } from './measurement.ts';
import { measureNaive } from './naive-side.ts';
import { measureOurs } from './our-side.ts';
import { stackOfPages, type PageSet } from './page-sets.ts';
import type { PlannedStack } from './plan.ts';
import { measureProcessor } from './processor-side.ts';
import { checkSameWork } from './same-work.ts';
import { measureTesseract } from './tesseract-side.ts';
import type { Pace, Variant, Workbench } from './workbench.ts';

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
 * One round of one stack: every side does it, one after the other, the slow ones between ours, so that a disturbance of
 * the machine meets all of them. Throws when they did not do the same work.
 */
export async function runStack(
  { set: tenPages, raw }: TenPages,
  planned: PlannedStack,
  run: StackRun,
): Promise<Measurement[]> {
  const { bench, cores, signal } = run;
  const set = stackOfPages(tenPages, planned.pages);
  const rawPages = stackOfPages({ ...tenPages, files: raw }, planned.pages).files;
  const done: Measurement[] = [];
  const add = async (measuring: Promise<Measurement>): Promise<void> => {
    const measurement = await measuring;
    signal.throwIfAborted();
    run.report(measurement);
    done.push(measurement);
  };
  const ours = (pace: Pace, variant: Variant): Promise<Measurement> => {
    const { mode, files, texts } = set;
    return mode === 'lineart'
      ? measureProcessor(bench, { set, pace, cores, signal })
      : measureOurs(bench, { set: { mode, files, texts }, pace, variant, cores });
  };

  await add(measureTesseract(bench, { mode: set.mode, rawPages, cores, signal }));
  const [firstPace, ...otherPaces] = planned.paces;
  if (firstPace !== undefined) await add(ours(firstPace, 'plain'));
  if (planned.naive !== undefined) {
    const pace = set.mode === 'lineart' ? undefined : planned.naive;
    await add(measureNaive(bench, { set, pace, cores, signal }));
  }
  for (const pace of otherPaces) await add(ours(pace, 'plain'));
  for (const variant of planned.variants) await add(ours('unpaced', variant));
  checkSameWork(
    set,
    done.filter(({ variant }) => !variant.includes('deskew')),
  );
  return done;
}
