import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import type { DocumentLikeness } from './likeness.ts';
import { waitForQuiet } from './machine.ts';
import type { Measurement } from './measurement.ts';
import { measurePageCosts, type CostPages, type PageCost } from './page-costs.ts';
import {
  makeBlankPages,
  makeTenPages,
  stackOfPages,
  type PageMode,
  type PageSet,
} from './page-sets.ts';
import type { Plan } from './plan.ts';
import { scanRawPages } from './raw-pages.ts';
import { runStack, type TenPages } from './run-stack.ts';
import { measureService, type ServiceFigures } from './service/service-figures.ts';
import { measureTwoStacks, type TwoStacks } from './two-stacks.ts';
import { measureWatchers, type WatcherCosts } from './watchers.ts';
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
  readonly likeness: readonly DocumentLikeness[];
  readonly service: ServiceFigures;
  readonly pageCosts: readonly PageCost[];
  readonly watchers: WatcherCosts;
  readonly twoStacks: TwoStacks;
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
      prepared.set(mode, await rawPagesOf(bench, mode, makeTenPages));
      options.signal.throwIfAborted();
    }
    const pagesOf = (mode: PageMode): TenPages => {
      const pages = prepared.get(mode);
      if (!pages) throw new Error(`no ${mode} pages were made`);
      return pages;
    };
    const measurements: Measurement[] = [];
    const likeness: DocumentLikeness[] = [];
    const rounds = Math.max(...plan.stacks.map((stack) => stack.rounds));
    for (let round = 0; round < rounds; round += 1) {
      for (const planned of plan.stacks.filter((stack) => stack.rounds > round)) {
        await waitForQuiet(options.cores, plan.quietWaitMs, options.signal);
        const ten = pagesOf(planned.mode);
        const measured = await runStack(ten, { planned, round }, { bench, ...options });
        measurements.push(...measured.measurements);
        likeness.push(...measured.likeness);
      }
    }
    await waitForQuiet(options.cores, plan.quietWaitMs, options.signal);
    const small = await measureSmall(bench, plan, { ...options, pagesOf });
    const texts = ({ mode, pages }: Measurement): readonly string[] =>
      stackOfPages(pagesOf(mode).set, pages).texts;
    return { measurements, texts, likeness, ...small };
  } finally {
    options.signal.removeEventListener('abort', giveUp);
    await bench.close();
  }
}

/** As many pages as say what something costs. */
const COST_PAGES = 5;

type SmallFigures = Pick<AllMeasured, 'service' | 'pageCosts' | 'watchers' | 'twoStacks'>;

/** What is no stack of its own. */
async function measureSmall(
  bench: Workbench,
  { largeDocumentMb, smallRounds: rounds, smallPages }: Plan,
  { cores, signal, pagesOf }: RunOptions & { readonly pagesOf: (mode: PageMode) => TenPages },
): Promise<SmallFigures> {
  const gray = pagesOf('gray').set;
  const small = stackOfPages(gray, smallPages);
  const twoStacks = await measureTwoStacks(bench, small);
  signal.throwIfAborted();
  const watchers = await measureWatchers(bench, small, rounds);
  const costPages: CostPages[] = [];
  for (const mode of ['gray', 'colour', 'lineart'] as const) {
    const blank = await rawPagesOf(bench, mode, makeBlankPages);
    costPages.push({
      mode,
      printed: pagesOf(mode).raw.slice(-Math.min(smallPages, COST_PAGES)),
      blank: blank.raw,
    });
  }
  const pageCosts = await measurePageCosts(bench, costPages, { rounds, signal });
  const service = await measureService(bench, { gray, largeDocumentMb, cores });
  return { twoStacks, watchers, pageCosts, service };
}

async function rawPagesOf(
  bench: Workbench,
  mode: PageMode,
  make: (mode: PageMode, directory: string) => Promise<PageSet>,
): Promise<TenPages> {
  const directory = await mkdtemp(path.join(bench.appliance.directory, `pages-${mode}-`));
  const set = await make(mode, directory);
  const raw = mode === 'lineart' ? set.files : await scanRawPages(bench, set, directory);
  return { set, raw };
}
