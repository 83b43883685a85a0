import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { runScan, type ScanRun } from './our-side.ts';
import type { PageSet } from './page-sets.ts';
import type { Workbench } from './workbench.ts';

/** Two stacks from two scanners, the second fed while the first one is recognised. */
export interface TwoStacks {
  readonly pages: number;
  /** Seconds after the last sheet of each: alone, and beside the other. */
  readonly first: { readonly alone_s: number; readonly beside_s: number };
  readonly second: { readonly alone_s: number; readonly beside_s: number };
  /** The stack of each page, in the order in which both were recognised. */
  readonly order: string;
}

interface RecognizedScan {
  readonly afterLastMs: number;
  /** Times at which its pages were recognised, in ms. */
  readonly recognizedAt: readonly number[];
}

/** The first stack comes as fast as the scanner is asked, the second at 50 sheets per minute as soon as the first is fed. */
export async function measureTwoStacks(bench: Workbench, set: PageSet): Promise<TwoStacks> {
  const first: ScanRun = { set, pace: 'unpaced', variant: 'plain' };
  const second: ScanRun = { set, pace: 50, variant: 'plain' };
  const alone = [await scanOf(bench, first), await scanOf(bench, second)];
  const fed = once(bench.scanners.unpaced.events, 'closed');
  const [one, other] = await Promise.all([
    scanOf(bench, first),
    fed.then(() => scanOf(bench, second)),
  ]);
  const times = [
    ...one.recognizedAt.map((at) => ({ at, stack: '1' })),
    ...other.recognizedAt.map((at) => ({ at, stack: '2' })),
  ];
  const seconds = (scan: RecognizedScan | undefined): number => (scan?.afterLastMs ?? 0) / 1000;
  return {
    pages: set.files.length,
    first: { alone_s: seconds(alone[0]), beside_s: seconds(one) },
    second: { alone_s: seconds(alone[1]), beside_s: seconds(other) },
    order: times
      .toSorted((a, b) => a.at - b.at)
      .map(({ stack }) => stack)
      .join(''),
  };
}

async function scanOf(bench: Workbench, run: ScanRun): Promise<RecognizedScan> {
  const { directory, afterLastMs } = await runScan(bench, run);
  const lines = (await readFile(path.join(directory, 'events.jsonl'), 'utf8')).trim().split('\n');
  const events = lines.map((line) => JSON.parse(line) as { type?: string; at?: string });
  await rm(directory, { recursive: true });
  const recognized = events.filter(({ type }) => type === 'recognized');
  return { afterLastMs, recognizedAt: recognized.map(({ at = '' }) => Date.parse(at)) };
}
