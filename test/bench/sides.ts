import { mkdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { programEnvironment, startProgram } from '../../helpers/child-process.ts';
import { createLog } from '../../helpers/log.ts';
import { pageName } from '../../helpers/page-names.ts';
import type { ScanResult } from '../../service/archive/scan-view.ts';
import { createProcessorClient } from '../../service/processor/processor-client.ts';
import { pagesAtOnce } from '../../service/scan/stages/recognize.ts';
import { withTaskGroup } from '../../service/scan/stages/task-group.ts';
import { DMS_TOKEN } from '../support/appliance/appliance.ts';
import { hashesOf, rawPagesIn, readPdf, type PageSet } from './page-sets.ts';
import { watchTree, type PeakMemory } from './machine.ts';
import { startClock, type Measurement } from './rows.ts';
import { profileName, type Pace, type Variant, type Workbench } from './workbench.ts';

export interface Run {
  readonly set: PageSet;
  readonly cores: number;
  readonly signal: AbortSignal;
}

/** One POST /scan, from request to answer. Throws if anything went wrong. */
export async function measureOurs(
  { appliance, partIds, scanners }: Workbench,
  { set, cores, pace, variant }: Run & { readonly pace: Pace; readonly variant: Variant },
): Promise<Measurement> {
  const watch = watchTree(partIds());
  const stopClock = startClock(cores);
  scanners[pace].load(set.files);
  const lastPage = lastPageOf(scanners[pace]);
  const answer = await appliance.scan({ profile: profileName(pace, set.mode, variant) });
  const afterLastMs = performance.now() - lastPage.at();
  const used = watch.stop();
  const clock = stopClock(used.cpuSeconds);
  if (answer.status !== 200) throw new Error(`POST /scan: ${answer.status} ${answer.text}`);
  const { documents, warnings, ...result } = answer.json as unknown as ScanResult;
  if (documents.some(({ destinations: [entry] }) => entry?.status !== 'submitted')) {
    throw new Error(`a document was not delivered: ${answer.text}`);
  }
  if (warnings.length > 0) throw new Error(`warnings: ${warnings.join('; ')}`);
  const directory = path.join(appliance.scansDir, result.scan_id);
  const files = documents.map(({ filename }) => path.join(directory, filename));
  const made = await madeOf(files, await rawPagesIn(directory));
  await rm(directory, { recursive: true });
  return {
    side: 'ours',
    variant,
    mode: set.mode,
    pages: result.page_count,
    pace,
    afterLastMs,
    ...clock,
    ...used,
    ...made,
    stagesMs: result.timings_ms,
  };
}

/** When the last page arrived, by this process's clock; the current time without a scanner. */
function lastPageOf(scanner: Workbench['scanners'][Pace] | undefined): { at: () => number } {
  let lastPageAt = performance.now();
  const onPage = ({ at }: { at: number }): void => void (lastPageAt = at);
  scanner?.events.on('page', onPage);
  return {
    at: () => {
      scanner?.events.off('page', onPage);
      return lastPageAt;
    },
  };
}

async function madeOf(
  documents: readonly string[],
  rawPages: readonly string[],
): Promise<Pick<Measurement, 'bytes' | 'texts' | 'work'>> {
  const pdfs = await Promise.all(documents.map(readPdf));
  const sizes = await Promise.all(documents.map(async (file) => (await stat(file)).size));
  return {
    bytes: sizes.reduce((all, size) => all + size, 0),
    texts: pdfs.flatMap(({ texts }) => texts),
    work: {
      rawPages: await hashesOf(rawPages),
      imageSizes: pdfs.flatMap(({ imageSizes }) => imageSizes),
      pdfA: pdfs.every(({ pdfA }) => pdfA),
    },
  };
}

/**
 * Measures line art, which network scanners do not support: the service's client sends raw pages at
 * the pace of a feeder and gets one document. No scanner runtime and no delivery.
 */
export async function measureProcessor(
  bench: Workbench,
  run: Run & { readonly pace: Pace },
): Promise<Measurement> {
  return bench.inDirectory('processor', async (directory) => {
    await linkPages(run.set.files, directory);
    const files = await rawPagesIn(directory);
    const watch = watchTree({ processor: bench.appliance.processor.pid() });
    const stopClock = startClock(run.cores);
    const { document, afterLastMs } = await makeDocument(bench, run, { directory, files });
    const used = watch.stop();
    const clock = stopClock(used.cpuSeconds);
    const made = await madeOf([document], files);
    const { mode } = run.set;
    return {
      side: 'ours',
      variant: 'processor alone',
      mode,
      pages: made.texts.length,
      pace: run.pace,
      afterLastMs,
      ...clock,
      ...used,
      ...made,
    };
  });
}

async function makeDocument(
  bench: Workbench,
  { pace, signal }: { readonly pace: Pace; readonly signal: AbortSignal },
  { directory, files }: { directory: string; files: readonly string[] },
): Promise<{ document: string; afterLastMs: number }> {
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
  await processor.assembleDocument({
    pdfs: pageFiles,
    pageCount: pageFiles.length,
    outFile: document,
    options: { ...options, output_type: 'pdfa', title: 'Line art' },
    signal,
  });
  return { document, afterLastMs: performance.now() - lastPageAt };
}

/** Time limit of a script: fifty colour pages take 7 minutes on two cores, 35 on a Raspberry Pi. */
const SCRIPT_MS = 40 * 60_000;

interface ScriptRun {
  readonly totalMs: number;
  readonly cpuSeconds: number;
  readonly foreignShare: number;
  readonly peakMb: PeakMemory;
}

async function runScript(
  name: string,
  directory: string,
  { cores, signal }: Run,
  environment: Readonly<Record<string, string>> = {},
): Promise<ScriptRun> {
  const script = {
    file: '/bin/sh',
    args: [path.join(import.meta.dirname, name)],
    cwd: directory,
    env: programEnvironment({ HOME: directory, ...environment }),
  };
  const stopClock = startClock(cores);
  const program = startProgram(script, { timeoutMs: SCRIPT_MS, signal });
  const watch = watchTree({ sh: program.pid ?? 0 });
  const ended = await program.ended;
  const { peakMb } = watch.stop();
  signal.throwIfAborted();
  if (ended.exitCode !== 0) {
    throw new Error(`${name} failed (${ended.exitCode}):\n${ended.stdout}\n${ended.stderr}`);
  }
  const cpuSeconds = cpuTimesOf(ended.stdout);
  return { ...stopClock(cpuSeconds), cpuSeconds, peakMb };
}

/** Sums the output of `times`: user and system time of the shell and its children. */
function cpuTimesOf(output: string): number {
  const lines = output.trim().split('\n').slice(-2).join(' ');
  const times = [...lines.matchAll(/(?<minutes>\d+)m(?<seconds>[\d.]+)s/g)];
  if (times.length !== 4) throw new Error(`no CPU times in: ${lines}`);
  return times.reduce(
    (total, { groups }) => total + Number(groups?.['minutes']) * 60 + Number(groups?.['seconds']),
    0,
  );
}

/** Tesseract alone on all cores (tesseract-alone.sh): the minimum cost of recognition. */
export function measureTesseract(bench: Workbench, run: Run): Promise<Measurement> {
  return bench.inDirectory('tesseract', async (directory) => {
    const { mode, files: pages } = run.set;
    await linkPages(pages, directory);
    const script = await runScript('tesseract-alone.sh', directory, run);
    const files = await rawPagesIn(directory);
    const texts = await Promise.all(files.map((file) => readFile(`${file}.txt`, 'utf8')));
    const work = { rawPages: await hashesOf(files), imageSizes: [], pdfA: undefined };
    return {
      side: 'tesseract',
      variant: 'plain',
      mode,
      pages: texts.length,
      pace: undefined,
      ...script,
      afterLastMs: undefined,
      bytes: undefined,
      texts,
      work,
    };
  });
}

/**
 * The naive script (naive.sh), up to the answer of the upload. Without a pace, as for line art, it
 * starts from raw pages.
 */
export function measureNaive(
  bench: Workbench,
  run: Run & { readonly pace: Pace | undefined },
): Promise<Measurement> {
  return bench.inDirectory('naive', async (directory) => {
    const { set, pace } = run;
    const scanner = pace === undefined ? undefined : bench.scanners[pace];
    if (scanner) scanner.load(set.files);
    else await linkPages(set.files, directory);
    const lastPage = lastPageOf(scanner);
    const script = await runScript('naive.sh', directory, run, {
      DMS_URL: bench.appliance.dms.url,
      DMS_TOKEN,
      SANE_CONFIG_DIR: bench.saneConfig,
      MODE: set.mode === 'colour' ? 'Color' : 'Gray',
      ...(pace !== undefined && { DEVICE: bench.deviceName(pace) }),
    });
    const afterLastMs = bench.lastUpload().ended_ms - lastPage.at();
    const document = path.join(directory, 'document.pdf');
    const made = await madeOf([document], await rawPagesIn(directory));
    return {
      side: 'naive',
      variant: 'plain',
      mode: set.mode,
      pages: made.texts.length,
      pace,
      afterLastMs,
      ...script,
      ...made,
    };
  });
}

async function linkPages(files: readonly string[], directory: string): Promise<void> {
  for (const [index, file] of files.entries()) {
    await symlink(file, path.join(directory, pageName(index + 1)));
  }
}
