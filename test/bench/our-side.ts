import { copyFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { startClock, type Measurement } from './measurement.ts';
import type { PageSet } from './page-sets.ts';
import { readPdf } from './pdf-facts.ts';
import { watchTree } from './process-tree.ts';
import { hashesOf, rawPagesIn } from './raw-pages.ts';
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

export interface OurRun {
  readonly set: PageSet & { readonly mode: 'gray' | 'colour' };
  readonly pace: Pace;
  readonly variant: Variant;
  readonly cores: number;
  /** Where a copy of the document is put, to be looked at later. */
  readonly keepAs?: string | undefined;
}

/** This system, end to end: one POST /scan, from the request to the answer. Throws when anything of it went wrong. */
export async function measureOurs(
  bench: Workbench,
  { set, pace, variant, cores, keepAs }: OurRun,
): Promise<Measurement> {
  const { appliance } = bench;
  const scanner = bench.scanners[pace];
  scanner.load(set.files);
  let lastPageAt = 0;
  const onPage = ({ at }: { at: number }): void => void (lastPageAt = at);
  scanner.events.on('page', onPage);
  const watch = watchTree(bench.partIds());
  const stopClock = startClock(cores);
  const answer = await appliance.scan({ profile: profileName(pace, set.mode, variant) });
  const answeredAt = performance.now();
  const { cpuSeconds, cpuShares, peakMb } = watch.stop();
  const clock = stopClock(cpuSeconds);
  scanner.events.off('page', onPage);
  if (answer.status !== 200) throw new Error(`POST /scan: ${answer.status} ${answer.text}`);
  const result = answer.json as unknown as Answer;
  const [document] = result.documents;
  if (document?.destinations[0]?.status !== 'submitted') {
    throw new Error(`the document was not delivered: ${answer.text}`);
  }
  if (result.warnings.length > 0) throw new Error(`warnings: ${result.warnings.join('; ')}`);
  const directory = path.join(appliance.scansDir, result.scan_id);
  const file = path.join(directory, document.filename);
  if (keepAs !== undefined) await copyFile(file, keepAs);
  const { texts, imageSizes, pdfA } = await readPdf(file);
  const rawPages = await hashesOf(await rawPagesIn(directory));
  await rm(directory, { recursive: true });
  return {
    ...clock,
    side: 'ours',
    variant,
    mode: set.mode,
    pages: result.page_count,
    pace,
    afterLastMs: answeredAt - lastPageAt,
    cpuSeconds,
    cpuShares,
    peakMb,
    bytes: document.bytes,
    texts,
    work: { rawPages, imageSizes, pdfA },
    stagesMs: result.timings_ms,
  };
}
