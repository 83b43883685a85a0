import path from 'node:path';
import { createLog } from '../../helpers/log.ts';
import type { PageOptions } from '../../helpers/processor-contract.ts';
import {
  createProcessorClient,
  type ProcessorClient,
} from '../../service/processor/processor-client.ts';
import { pagesAtOnce } from '../../service/scan/stages/recognize.ts';
import { withTaskGroup } from '../../service/scan/stages/task-group.ts';
import type { PageMode } from './page-sets.ts';
import { watchTree } from './process-tree.ts';
import { median, sum } from './statistics.ts';
import type { Workbench } from './workbench.ts';

/** CPU-seconds that something adds to a page, by mode. */
export interface PageCost {
  readonly what: string;
  readonly cpu_s_per_page: Readonly<Record<string, number>>;
}

/** Raw pages of a mode: with print on them, and blank backs. */
export interface CostPages {
  readonly mode: PageMode;
  readonly printed: readonly string[];
  readonly blank: readonly string[];
}

const PLAIN = { languages: ['eng'], deskew: false, rotate_pages: false, optimize: 1 } as const;

/** What is measured without recognition, which would hide it in its noise: its cost is that beyond a page with only an image. */
const ADDED: Readonly<Record<string, Partial<PageOptions>>> = {
  'blank score and skew': { examine: true },
  codes: { codes: true },
  'blank score, skew and codes': { examine: true, codes: true },
  'a back turned by 180°': { rotate: 180 },
  'black and white made from gray': { lineart: true },
  'layers (optimize 3)': { optimize: 3 },
  'all but black and white': { examine: true, codes: true, rotate: 180, optimize: 3 },
};

export interface CostRun {
  readonly rounds: number;
  readonly signal: AbortSignal;
}

/** What each feature adds to a page in the processor, and what a blank page that is left out saves. */
export async function measurePageCosts(
  bench: Workbench,
  sets: readonly CostPages[],
  { rounds, signal }: CostRun,
): Promise<PageCost[]> {
  const measure = (files: readonly string[], options: Partial<PageOptions>): Promise<number> =>
    cpuPerPage(bench, files, { options: { ...PLAIN, ...options }, signal });
  const costs = new Map<string, Record<string, number>>();
  for (const { mode, printed, blank } of sets) {
    const found = new Map<string, number[]>();
    const note = (what: string, cpu: number): void =>
      void found.set(what, [...(found.get(what) ?? []), cpu]);
    for (let round = 0; round < rounds; round += 1) {
      const image = await measure(printed, { ocr: false });
      note('a page of which only the image is kept', image);
      for (const [what, options] of Object.entries(ADDED)) {
        note(`+ ${what}`, (await measure(printed, { ocr: false, ...options })) - image);
      }
      const leftOut = await measure(blank, { examine: true, drop_blank: true });
      note('− a blank page that is left out', leftOut - (await measure(blank, {})));
    }
    for (const [what, values] of found) {
      costs.set(what, { ...costs.get(what), [mode]: median(values) });
    }
  }
  return [...costs].map(([what, cpu_s_per_page]) => ({ what, cpu_s_per_page }));
}

async function cpuPerPage(
  bench: Workbench,
  files: readonly string[],
  { options, signal }: { options: PageOptions; signal: AbortSignal },
): Promise<number> {
  return bench.inDirectory('page-costs', async (directory) => {
    const { appliance } = bench;
    const processor = benchProcessor(appliance.processor.port());
    const { workers } = await processor.health(signal);
    const watch = watchTree({ processor: appliance.processor.pid() });
    const log = createLog('bench', 'silent');
    await withTaskGroup(signal, pagesAtOnce(workers), async (group) => {
      for (const [index, pageFile] of files.entries()) {
        const outFile = path.join(directory, `${index}.pdf`);
        const page = { pageFile, outFile, options, signal: group.signal, log };
        group.run(async () => void (await processor.recognizePage(page)));
      }
    });
    return sum(Object.values(watch.stop().cpuShares)) / files.length;
  });
}

/** The client of the service, for the processor of the benchmark. */
export function benchProcessor(port: number): ProcessorClient {
  return createProcessorClient({
    baseUrl: `http://127.0.0.1:${port}`,
    log: createLog('bench', 'silent'),
  });
}
