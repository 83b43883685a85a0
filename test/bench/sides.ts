import { mkdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { programEnvironment, startProgram } from '../../helpers/child-process.ts';
import { createLog } from '../../helpers/log.ts';
import { createProcessorClient } from '../../service/processor/processor-client.ts';
import { pagesAtOnce } from '../../service/scan/stages/recognize.ts';
import { withTaskGroup } from '../../service/scan/stages/task-group.ts';
import { DMS_TOKEN } from '../support/appliance/appliance.ts';
import { hashesOf, rawPagesIn, readPdf, type PageMode, type PageSet } from './page-sets.ts';
import { watchTree, type PeakMemory } from './machine.ts';
import { startClock, type Measurement } from './rows.ts';
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

interface ScanRun {
  readonly set: PageSet;
  readonly pace: Pace;
  readonly variant: Variant;
}

interface OurRun extends ScanRun {
  readonly cores: number;
}

/** A scan that went well. */
interface FinishedScan {
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

interface ProcessorRun {
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

/** Fifty colour pages take the naive script seven minutes on two cores; a Raspberry Pi is five times slower. */
const SCRIPT_MS = 40 * 60_000;

interface ScriptRun {
  readonly totalMs: number;
  readonly cpuSeconds: number;
  readonly foreignShare: number;
  readonly peakMb: PeakMemory;
}

interface ScriptOptions {
  readonly directory: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly cores: number;
  readonly signal: AbortSignal;
}

/** Runs one of the shell scripts of this folder; throws with its output when it fails. */
async function runScript(name: string, options: ScriptOptions): Promise<ScriptRun> {
  const { directory, environment = {}, cores, signal } = options;
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

/** The sum of what the shell's `times` printed last: its own user and system time, and those of what it ran. */
function cpuTimesOf(output: string): number {
  const lines = output.trim().split('\n').slice(-2).join(' ');
  const times = [...lines.matchAll(/(?<minutes>\d+)m(?<seconds>[\d.]+)s/g)];
  if (times.length !== 4) throw new Error(`no CPU times in: ${lines}`);
  return times.reduce(
    (total, { groups }) => total + Number(groups?.['minutes']) * 60 + Number(groups?.['seconds']),
    0,
  );
}

interface TesseractRun {
  readonly mode: PageMode;
  /** Raw TIFF files. */
  readonly rawPages: readonly string[];
  readonly cores: number;
  readonly signal: AbortSignal;
}

/** Tesseract alone on the raw pages, on all cores (tesseract-alone.sh): what the recognition costs in any case. */
export function measureTesseract(
  bench: Workbench,
  { mode, rawPages, cores, signal }: TesseractRun,
): Promise<Measurement> {
  return bench.inDirectory('tesseract', async (directory) => {
    await linkPages(rawPages, directory);
    const run = await runScript('tesseract-alone.sh', { directory, cores, signal });
    const files = await rawPagesIn(directory);
    const texts = await Promise.all(files.map((file) => readFile(`${file}.txt`, 'utf8')));
    return {
      ...run,
      side: 'tesseract',
      variant: 'plain',
      mode,
      pages: texts.length,
      pace: undefined,
      afterLastMs: undefined,
      bytes: undefined,
      texts,
      work: { rawPages: await hashesOf(files), imageSizes: [], pdfA: undefined },
    };
  });
}

interface NaiveRun {
  readonly set: PageSet;
  /** Undefined for line art, which no network scanner gives: the script then begins with the raw pages. */
  readonly pace: Pace | undefined;
  readonly cores: number;
  readonly signal: AbortSignal;
}

/** The pipeline as people write it (naive.sh), from the scanner to the answer of the upload. */
export function measureNaive(
  bench: Workbench,
  { set, pace, cores, signal }: NaiveRun,
): Promise<Measurement> {
  return bench.inDirectory('naive', async (directory) => {
    let lastPageAt = performance.now();
    const onPage = ({ at }: { at: number }): void => void (lastPageAt = at);
    if (pace === undefined) await linkPages(set.files, directory);
    else bench.scanners[pace].load(set.files);
    const events = pace === undefined ? undefined : bench.scanners[pace].events;
    events?.on('page', onPage);
    const began = performance.now();
    const run = await runScript('naive.sh', {
      directory,
      environment: {
        DMS_URL: bench.appliance.dms.url,
        DMS_TOKEN,
        SANE_CONFIG_DIR: bench.saneConfig,
        MODE: set.mode === 'colour' ? 'Color' : 'Gray',
        ...(pace !== undefined && { DEVICE: bench.deviceName(pace) }),
      },
      cores,
      signal,
    });
    events?.off('page', onPage);
    const document = path.join(directory, 'document.pdf');
    const { texts, imageSizes, pdfA } = await readPdf(document);
    return {
      ...run,
      side: 'naive',
      variant: 'plain',
      mode: set.mode,
      pages: texts.length,
      pace,
      afterLastMs: bench.lastUpload().ended_ms - (pace === undefined ? began : lastPageAt),
      bytes: (await stat(document)).size,
      texts,
      work: { rawPages: await hashesOf(await rawPagesIn(directory)), imageSizes, pdfA },
    };
  });
}

/** Puts raw pages into a directory under the names that scanimage would give them. */
async function linkPages(files: readonly string[], directory: string): Promise<void> {
  for (const [index, file] of files.entries()) {
    const name = `page-${String(index + 1).padStart(4, '0')}.tif`;
    await symlink(file, path.join(directory, name));
  }
}
