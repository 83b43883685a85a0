import { readFile, stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import { programEnvironment, startProgram } from '../../helpers/child-process.ts';
import { DMS_TOKEN } from '../support/appliance/appliance.ts';
import { type Measurement, startClock } from './measurement.ts';
import type { PageMode, PageSet } from './page-sets.ts';
import { readPdf } from './pdf-facts.ts';
import { type PeakMemory, watchTree } from './process-tree.ts';
import { hashesOf, rawPagesIn } from './raw-pages.ts';
import type { Pace, Workbench } from './workbench.ts';

/** Fifty colour pages take the naive script seven minutes on two cores; a Raspberry Pi is five times slower. */
const SCRIPT_MS = 40 * 60_000;

export interface ScriptRun {
  readonly totalMs: number;
  readonly cpuSeconds: number;
  readonly foreignShare: number;
  readonly peakMb: PeakMemory;
}

export interface ScriptOptions {
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

export interface TesseractRun {
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

export interface NaiveRun {
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
export async function linkPages(files: readonly string[], directory: string): Promise<void> {
  for (const [index, file] of files.entries()) {
    const name = `page-${String(index + 1).padStart(4, '0')}.tif`;
    await symlink(file, path.join(directory, name));
  }
}
