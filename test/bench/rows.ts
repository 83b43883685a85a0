import { machineCpuSeconds, ownCpuSeconds, type CpuShares, type PeakMemory } from './machine.ts';
import type { PageMode } from './workbench.ts';
import type { Pace } from './workbench.ts';
import { countWords, foundOnPages, lostOnPages, median } from './statistics.ts';

type Side = 'ours' | 'naive' | 'tesseract';

export interface Measurement {
  readonly side: Side;
  readonly variant: string;
  readonly mode: PageMode;
  readonly pages: number;
  /** Undefined without a scanner. */
  readonly pace: Pace | undefined;
  /** Time since the scanner delivered the last page; undefined without a scanner. */
  readonly afterLastMs: number | undefined;
  readonly totalMs: number;
  readonly cpuSeconds: number;
  /** CPU time by part; undefined for the scripts, whose shell reports only the sum. */
  readonly cpuShares?: CpuShares;
  readonly peakMb: PeakMemory;
  /** Undefined for Tesseract alone, which makes no document. */
  readonly bytes: number | undefined;
  readonly texts: readonly string[];
  /** The pages as the side saw them, to show that all did the same work. */
  readonly work: WorkFacts;
  readonly stagesMs?: Readonly<Record<string, number>>;
  /** CPU-seconds used by the rest of the machine, as a share of what was available. */
  readonly foreignShare: number;
  /** Tesseract alone just before and after; undefined for Tesseract itself. */
  readonly reference?: Reference;
}

export interface WorkFacts {
  readonly rawPages: readonly string[];
  /** Width × height in pixels of the image on each page; empty without a document. */
  readonly imageSizes: readonly string[];
  readonly pdfA: boolean | undefined;
}

export function startClock(cores: number): (cpuSeconds: number) => {
  readonly totalMs: number;
  readonly foreignShare: number;
} {
  const began = performance.now();
  const machineBefore = machineCpuSeconds();
  const ownBefore = ownCpuSeconds();
  return (cpuSeconds) => {
    const totalMs = performance.now() - began;
    const foreign =
      machineCpuSeconds() - machineBefore - (ownCpuSeconds() - ownBefore) - cpuSeconds;
    const available = (cores * totalMs) / 1000;
    return { totalMs, foreignShare: Math.max(0, foreign / available) };
  };
}

/** Tesseract alone on pages of the stack and, if requested, on its last page. */
export interface AloneSample {
  readonly pages: Measurement;
  readonly lastPage: Measurement | undefined;
}

/**
 * Tesseract alone on the same pages: the mean of a sample just before and one just after a run, so
 * that a drift in the machine's speed affects both figures of a ratio.
 */
interface Reference {
  /** Pages per sample: the whole stack, or the pages it repeats. */
  readonly pages: number;
  readonly cpuSecondsPerPage: number;
  readonly totalMs: number;
  readonly lastPageMs: number | undefined;
  readonly texts: readonly string[];
}

export function referenceOf(before: AloneSample, after: AloneSample, pages: number): Reference {
  const sampled = before.pages.pages;
  if (after.pages.pages !== sampled) throw new Error('the two samples have not the same pages');
  const lastPages = [before.lastPage, after.lastPage].filter((one) => one !== undefined);
  return {
    pages: sampled,
    cpuSecondsPerPage: (before.pages.cpuSeconds + after.pages.cpuSeconds) / 2 / sampled,
    totalMs: (before.pages.totalMs + after.pages.totalMs) / 2,
    lastPageMs:
      lastPages.length === 2
        ? lastPages.reduce((total, { totalMs }) => total + totalMs, 0) / 2
        : undefined,
    texts: spreadOver(before.pages, pages).texts,
  };
}

/** Extends a sample to the whole stack, which repeats its pages. */
export function spreadOver(sample: Measurement, pages: number): Measurement {
  if (pages % sample.pages !== 0) {
    throw new Error(`a stack of ${pages} pages is no multiple of a sample of ${sample.pages}`);
  }
  const repeated = <T>(list: readonly T[]): T[] =>
    list.length === 0 ? [] : Array.from({ length: pages / sample.pages }, () => list).flat();
  const { rawPages, imageSizes, pdfA } = sample.work;
  const work = { rawPages: repeated(rawPages), imageSizes: repeated(imageSizes), pdfA };
  return { ...sample, pages, texts: repeated(sample.texts), work };
}

function cpuToTesseract({ cpuSeconds, pages, reference }: Measurement): number | undefined {
  return reference && cpuSeconds / pages / reference.cpuSecondsPerPage;
}

/**
 * A ratio. Undefined for stacks of different lengths, which use the cores differently at the end.
 */
function totalToTesseract({ totalMs, pages, reference }: Measurement): number | undefined {
  return reference?.pages === pages ? totalMs / reference.totalMs : undefined;
}

/** The time after the last sheet, minus recognizing only the last page. */
function beyondLastPageMs({ afterLastMs, reference }: Measurement): number | undefined {
  const lastPageMs = reference?.lastPageMs;
  return afterLastMs === undefined || lastPageMs === undefined
    ? undefined
    : afterLastMs - lastPageMs;
}

/** Printed words that Tesseract alone found but the document lacks. */
function lostOfTesseract(
  { texts, variant, reference }: Measurement,
  printed: readonly string[],
): number | undefined {
  if (variant === 'no_ocr' || reference === undefined) return undefined;
  return lostOnPages(foundOnPages(printed, reference.texts), texts);
}

/** Medians of one side with one stack. Null means not applicable. */
export type Row = ReturnType<typeof rowOf>;

/** One row per side, pace and variant of each stack. `texts` are the printed words. */
export function rowsOf(
  all: readonly Measurement[],
  texts: (measurement: Measurement) => readonly string[],
): Row[] {
  const groups = Map.groupBy(all, ({ mode, pages, side, variant, pace }) =>
    [mode, pages, side, variant, pace].join(),
  );
  return [...groups.values()].flatMap((rounds) => {
    const [first] = rounds;
    return first ? [rowOf(first, rounds, { all, texts: texts(first) })] : [];
  });
}

// oxlint-disable-next-line typescript/explicit-function-return-type -- a row is what is made here
function rowOf(
  first: Measurement,
  rounds: readonly Measurement[],
  { all, texts }: { all: readonly Measurement[]; texts: readonly string[] },
) {
  const { mode, pages, side, variant, pace } = first;
  const naive = all.filter(
    (one) => one.side === 'naive' && one.mode === mode && one.pages === pages,
  );
  const toNaive = (pick: Pick): number | null =>
    side === 'naive' ? null : divide(medianOf(rounds, pick), medianOf(naive, pick));
  const each = (pick: Pick): number[] => rounds.flatMap((one) => pick(one) ?? []);
  const total: Pick = (one) => one.totalMs / 1000;
  const cpu: Pick = (one) => one.cpuSeconds;
  const afterLast: Pick = (one) => seconds(one.afterLastMs);
  const beyondLastPage: Pick = (one) => seconds(beyondLastPageMs(one));
  return {
    mode,
    pages,
    side,
    variant,
    pace: pace ?? null,
    rounds: rounds.length,
    after_last_s: medianOf(rounds, afterLast),
    beyond_last_page_s: medianOf(rounds, beyondLastPage),
    total_s: median(each(total)),
    cpu_s_per_page: median(each(cpu)) / pages,
    reference_cpu_s_per_page: medianOf(rounds, (one) => one.reference?.cpuSecondsPerPage),
    peak_mb: largestPeaks(rounds),
    bytes_per_page: divide(
      medianOf(rounds, (one) => one.bytes),
      pages,
    ),
    words: countWords(texts),
    lost_of_printed:
      variant === 'no_ocr' ? null : median(rounds.map((one) => lostOnPages(texts, one.texts))),
    lost_of_tesseract: medianOf(rounds, (one) => lostOfTesseract(one, texts)),
    // The median of each round's ratio to the naive script and to Tesseract alone.
    ratios: {
      after_last_to_naive: toNaive(afterLast),
      // This ratio exists only at the same pace, since the feeder's time is no merit of either
      // side.
      total_to_naive: naive[0]?.pace === pace ? toNaive(total) : null,
      total_to_tesseract:
        pace === 'unpaced' || side === 'naive' ? medianOf(rounds, totalToTesseract) : null,
      cpu_to_naive: side === 'tesseract' ? null : toNaive(cpuToTesseract),
      cpu_to_tesseract: medianOf(rounds, cpuToTesseract),
      bytes_to_naive: toNaive((one) => one.bytes),
    },
    foreign: median(rounds.map((one) => one.foreignShare)),
    stages_s: medianRecord(rounds, (one) => one.stagesMs, 1000),
    cpu_s_per_page_of: medianRecord(rounds, (one) => one.cpuShares, pages),
    measured: {
      after_last_s: each(afterLast),
      total_s: each(total),
      cpu_s: each(cpu),
      cpu_to_tesseract: each(cpuToTesseract),
      beyond_last_page_s: each(beyondLastPage),
    },
  };
}

type Pick = (one: Measurement) => number | undefined;

function medianOf(rounds: readonly Measurement[], pick: Pick): number | null {
  const values = rounds.map(pick).filter((value) => value !== undefined);
  return values.length === 0 ? null : median(values);
}

function divide(value: number | null, by: number | null): number | null {
  return value === null || by === null ? null : value / by;
}

function seconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1000;
}

function largestPeaks(rounds: readonly Measurement[]): Record<string, number> {
  const peaks: Record<string, number> = {};
  for (const [name, mb] of rounds.flatMap(({ peakMb }) => Object.entries(peakMb))) {
    peaks[name] = Math.round(Math.max(peaks[name] ?? 0, mb));
  }
  return peaks;
}

function medianRecord(
  rounds: readonly Measurement[],
  pick: (one: Measurement) => Readonly<Record<string, number>> | undefined,
  unit: number,
): Record<string, number> | null {
  const records = rounds.map(pick).filter((record) => record !== undefined);
  const names = Object.keys(records[0] ?? {});
  if (names.length === 0) return null;
  return Object.fromEntries(
    names.map((name) => [name, median(records.map((record) => record[name] ?? 0)) / unit]),
  );
}
