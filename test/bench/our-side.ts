import { rm } from 'node:fs/promises';
import path from 'node:path';
import { startClock, type Measurement } from './measurement.ts';
import type { PageSet } from './page-sets.ts';
import { readPdf } from './pdf-facts.ts';
import { watchTree } from './process-tree.ts';
import { hashesOf, rawPagesIn } from './raw-pages.ts';
import { sum } from './statistics.ts';
import { profileName, type Pace, type Variant, type Workbench } from './workbench.ts';

/** The parts of a scan result that are looked at. */
interface Answer {
  readonly scan_id: string;
  readonly page_count: number;
  readonly timings_ms: Readonly<Record<string, number>>;
  readonly warnings: readonly string[];
  readonly documents: readonly {
    readonly filename: string;
    readonly bytes: number;
    readonly destinations: readonly { readonly status: string }[];
  }[];
}

export interface ScanRun {
  readonly set: PageSet;
  readonly pace: Pace;
  readonly variant: Variant;
}

export interface OurRun extends ScanRun {
  readonly cores: number;
}

/** A scan that went well. */
export interface FinishedScan {
  readonly result: Answer;
  /** The caller removes it. */
  readonly directory: string;
  /** From the moment that the scanner had handed over the last page to the answer. */
  readonly afterLastMs: number;
}

/** One POST /scan, from the request to the answer. Throws when anything of it went wrong. */
async function runScan(
  { appliance, scanners }: Workbench,
  { set, pace, variant }: ScanRun,
): Promise<FinishedScan> {
  const scanner = scanners[pace];
  scanner.load(set.files);
  let lastPageAt = 0;
  const onPage = ({ at }: { at: number }): void => void (lastPageAt = at);
  scanner.events.on('page', onPage);
  const answer = await appliance.scan({ profile: profileName(pace, set.mode, variant) });
  const afterLastMs = performance.now() - lastPageAt;
  scanner.events.off('page', onPage);
  if (answer.status !== 200) throw new Error(`POST /scan: ${answer.status} ${answer.text}`);
  const result = answer.json as unknown as Answer;
  if (result.documents.some(({ destinations: [entry] }) => entry?.status !== 'submitted')) {
    throw new Error(`a document was not delivered: ${answer.text}`);
  }
  if (result.warnings.length > 0) throw new Error(`warnings: ${result.warnings.join('; ')}`);
  return { result, directory: path.join(appliance.scansDir, result.scan_id), afterLastMs };
}

/** This system, end to end: see runScan. */
export async function measureOurs(bench: Workbench, run: OurRun): Promise<Measurement> {
  const { set, pace, variant, cores } = run;
  const watch = watchTree(bench.partIds());
  const stopClock = startClock(cores);
  const { result, directory, afterLastMs } = await runScan(bench, run);
  const { cpuSeconds, cpuShares, peakMb } = watch.stop();
  const clock = stopClock(cpuSeconds);
  const files = result.documents.map(({ filename }) => path.join(directory, filename));
  const pdfs = await Promise.all(files.map(readPdf));
  const rawPages = await hashesOf(await rawPagesIn(directory));
  await rm(directory, { recursive: true });
  return {
    ...clock,
    side: 'ours',
    variant,
    mode: set.mode,
    pages: result.page_count,
    pace,
    afterLastMs,
    cpuSeconds,
    cpuShares,
    peakMb,
    bytes: sum(result.documents.map(({ bytes }) => bytes)),
    texts: pdfs.flatMap(({ texts }) => texts),
    work: {
      rawPages,
      imageSizes: pdfs.flatMap(({ imageSizes }) => imageSizes),
      pdfA: pdfs.every(({ pdfA }) => pdfA),
    },
    stagesMs: result.timings_ms,
  };
}
