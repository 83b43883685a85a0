import { rm } from 'node:fs/promises';
import { createParser } from 'eventsource-parser';
import { runScan } from './our-side.ts';
import type { PageSet } from './page-sets.ts';
import { watchTree } from './process-tree.ts';
import { median, sum } from './statistics.ts';
import type { Workbench } from './workbench.ts';

/** CPU-seconds of the service for a page, while so many watch its scan. */
export interface WatcherCosts {
  readonly watchers: number;
  readonly alone_cpu_s_per_page: number;
  readonly events_cpu_s_per_page: number;
  readonly previews_cpu_s_per_page: number;
}

const WATCHERS = 10;

/**
 * Scans the same pages unwatched, with watchers that read the events, and with watchers that also fetch the preview of every
 * page. Only the CPU time of the service is counted, and nothing is recognised: what watching costs would be lost in the noise of OCR.
 */
export async function measureWatchers(
  bench: Workbench,
  set: PageSet,
  rounds: number,
): Promise<WatcherCosts> {
  const kinds = { alone: [], events: [], previews: [] } as Record<string, number[]>;
  for (let round = 0; round < rounds; round += 1) {
    kinds['alone']?.push(await cpuPerPage(bench, set, { watchers: 0, previews: false }));
    kinds['events']?.push(await cpuPerPage(bench, set, { watchers: WATCHERS, previews: false }));
    kinds['previews']?.push(await cpuPerPage(bench, set, { watchers: WATCHERS, previews: true }));
  }
  return {
    watchers: WATCHERS,
    alone_cpu_s_per_page: median(kinds['alone'] ?? []),
    events_cpu_s_per_page: median(kinds['events'] ?? []),
    previews_cpu_s_per_page: median(kinds['previews'] ?? []),
  };
}

async function cpuPerPage(
  bench: Workbench,
  set: PageSet,
  { watchers, previews }: { readonly watchers: number; readonly previews: boolean },
): Promise<number> {
  const { appliance, scanners } = bench;
  const pid = appliance.service.pid();
  const before = new Set(await appliance.files());
  const begun = Promise.withResolvers<void>();
  scanners.unpaced.events.once('job', () => begun.resolve());
  const watch = watchTree({ service: pid });
  const scan = runScan(bench, { set, pace: 'unpaced', variant: 'no_ocr' });
  const watched = begun.promise.then(async () => {
    const id = (await appliance.files()).find((name) => !before.has(name));
    const base = `http://127.0.0.1:${appliance.service.port()}/scans/${id}`;
    return Promise.all(Array.from({ length: watchers }, () => watchScan(base, previews)));
  });
  const [{ directory, result }, seen] = await Promise.all([scan, watched]);
  const cpu = sum(Object.values(watch.stop().cpuShares));
  await rm(directory, { recursive: true });
  if (seen.some((pages) => pages !== result.page_count)) {
    throw new Error(`watchers saw ${seen.join(', ')} of ${result.page_count} pages`);
  }
  return cpu / result.page_count;
}

/** Reads the events of a scan to their end, and the previews of its pages if asked for; gives the number of pages seen. */
async function watchScan(base: string, previews: boolean): Promise<number> {
  const pages = new Map<number, Promise<void>>();
  const see = (number: number): void => {
    if (!pages.has(number))
      pages.set(number, previews ? fetchPreview(base, number) : Promise.resolve());
  };
  const parser = createParser({
    onEvent: ({ event, data }) => {
      const facts = JSON.parse(data) as { number?: number; pages?: { number: number }[] };
      if (event === 'page' && facts.number !== undefined) see(facts.number);
      if (event === 'snapshot') for (const { number } of facts.pages ?? []) see(number);
    },
  });
  const { body } = await fetch(`${base}/events`);
  const decoder = new TextDecoder();
  for await (const chunk of body ?? []) parser.feed(decoder.decode(chunk, { stream: true }));
  await Promise.all(pages.values());
  return pages.size;
}

async function fetchPreview(base: string, number: number): Promise<void> {
  const answer = await fetch(`${base}/pages/${number}/preview`);
  if (!answer.ok) throw new Error(`preview ${number}: ${answer.status}`);
  await answer.arrayBuffer();
}
