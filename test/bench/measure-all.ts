import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { waitForQuiet } from './machine.ts';
import type { Measurement } from './measurement.ts';
import { makeTenPages, stackOfPages, type PageMode } from './page-sets.ts';
import type { Plan } from './plan.ts';
import { scanRawPages } from './raw-pages.ts';
import { runStack, type TenPages } from './run-stack.ts';
import { measureService, type ServiceFigures } from './service/service-figures.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

export interface RunOptions {
  readonly cores: number;
  readonly signal: AbortSignal;
  readonly report: (measurement: Measurement) => void;
}

export interface AllMeasured {
  readonly measurements: readonly Measurement[];
  /** The printed words on the pages of a measurement. */
  readonly texts: (measurement: Measurement) => readonly string[];
  readonly service: ServiceFigures;
}

/** Carries out a plan, round by round, on one workbench that is gone afterwards. */
export async function measureAll(plan: Plan, options: RunOptions): Promise<AllMeasured> {
  const bench = await openWorkbench();
  // A scan under way would go on for minutes.
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
        await waitForQuiet(options.cores, plan.quietWaitMs, options.signal);
        const ten = pagesOf(planned.mode);
        measurements.push(...(await runStack(ten, { planned, round }, { bench, ...options })));
      }
    }
    await waitForQuiet(options.cores, plan.quietWaitMs, options.signal);
    const service = await measureService(bench, {
      gray: pagesOf('gray').set,
      largeDocumentMb: plan.largeDocumentMb,
      cores: options.cores,
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
