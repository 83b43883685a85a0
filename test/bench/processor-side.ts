import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createLog } from '../../helpers/log.ts';
import { createProcessorClient } from '../../service/processor/processor-client.ts';
import { pagesAtOnce } from '../../service/scan/stages/recognize.ts';
import { withTaskGroup } from '../../service/scan/stages/task-group.ts';
import { startClock, type Measurement } from './measurement.ts';
import { linkPages } from './script-sides.ts';
import type { PageSet } from './page-sets.ts';
import { readPdf } from './pdf-facts.ts';
import { watchTree } from './process-tree.ts';
import { hashesOf, rawPagesIn } from './raw-pages.ts';
import type { Pace, Workbench } from './workbench.ts';

export interface ProcessorRun {
  /** Raw pages. */
  readonly set: PageSet;
  readonly pace: Pace;
  readonly cores: number;
  readonly signal: AbortSignal;
}

/**
 * The processor alone, for line art, which no network scanner gives: raw pages go to it at the pace of a feeder, by the
 * code that the service does it with, and become one document. No scanner runtime and no delivery.
 */
export async function measureProcessor(bench: Workbench, run: ProcessorRun): Promise<Measurement> {
  return bench.inDirectory('processor', async (directory) => {
    await linkPages(run.set.files, directory);
    const files = await rawPagesIn(directory);
    const watch = watchTree({ processor: bench.appliance.processor.pid() });
    const stopClock = startClock(run.cores);
    const made = await makeDocument(bench, run, { directory, files });
    const { cpuSeconds, cpuShares, peakMb } = watch.stop();
    const clock = stopClock(cpuSeconds);
    const { texts, imageSizes, pdfA } = await readPdf(made.document);
    return {
      ...clock,
      side: 'ours',
      variant: 'processor alone',
      mode: run.set.mode,
      pages: texts.length,
      pace: run.pace,
      afterLastMs: made.afterLastMs,
      cpuSeconds,
      cpuShares,
      peakMb,
      bytes: made.bytes,
      texts,
      work: { rawPages: await hashesOf(files), imageSizes, pdfA },
    };
  });
}

async function makeDocument(
  bench: Workbench,
  { pace, signal }: ProcessorRun,
  { directory, files }: { directory: string; files: readonly string[] },
): Promise<{ document: string; bytes: number; afterLastMs: number }> {
  const log = createLog('bench', 'silent');
  const baseUrl = `http://127.0.0.1:${bench.appliance.processor.port()}`;
  const processor = createProcessorClient({ baseUrl, log });
  const { workers } = await processor.health(signal);
  const options = { languages: ['eng'], deskew: false, rotate_pages: false, optimize: 1 };
  const sheetMs = pace === 'unpaced' ? 0 : 60_000 / pace;
  const pageFiles = files.map((file) => file.replace(/\.tif$/, '.pdf'));
  let lastPageAt = 0;
  await withTaskGroup(signal, pagesAtOnce(workers), async (group) => {
    for (const [index, pageFile] of files.entries()) {
      await wait(sheetMs);
      const outFile = pageFiles[index] ?? '';
      const page = { pageFile, outFile, options, signal: group.signal, log };
      group.run(async () => void (await processor.recognizePage(page)));
    }
    lastPageAt = performance.now();
  });
  const out = path.join(directory, 'out');
  await mkdir(out);
  const document = path.join(out, 'document.pdf');
  const { bytes } = await processor.assembleDocument({
    pdfs: pageFiles,
    pageCount: pageFiles.length,
    outFile: document,
    options: { ...options, output_type: 'pdfa', title: 'Line art' },
    signal,
  });
  const afterLastMs = performance.now() - lastPageAt;
  await Promise.all(pageFiles.map((file) => rm(file)));
  return { document, bytes, afterLastMs };
}
