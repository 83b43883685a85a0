import type { Measurement } from './measurement.ts';
import {
  beyondLastPageMs,
  cpuToTesseract,
  lostOfTesseract,
  totalToTesseract,
} from './reference.ts';
import { countWords, lostOnPages, median, spread } from './statistics.ts';

/** The medians of one side doing one stack. */
export interface Row {
  readonly mode: string;
  readonly pages: number;
  readonly side: string;
  readonly variant: string;
  readonly pace: number | string | null;
  readonly rounds: number;
  readonly after_last_s: number | null;
  /** Of that, what is beyond the last page's own recognition by Tesseract alone directly before and after. */
  readonly beyond_last_page_s: number | null;
  readonly total_s: number;
  readonly cpu_s_per_page: number;
  /** What Tesseract alone took for the same pages directly before and after each round. */
  readonly reference_cpu_s_per_page: number | null;
  /** The largest process of each kind, in MB. */
  readonly peak_mb: Readonly<Record<string, number>>;
  readonly bytes_per_page: number | null;
  /** Printed words, those of them that are not found, and those that Tesseract alone found on the raw pages and are not. */
  readonly words: number;
  /** Null where no text was to be recognised. */
  readonly lost_of_printed: number | null;
  readonly lost_of_tesseract: number | null;
  /** To the naive script on the same stack, and to Tesseract alone directly before and after: round by round, then the median. */
  readonly ratios: {
    readonly after_last_to_naive: number | null;
    readonly total_to_naive: number | null;
    readonly total_to_tesseract: number | null;
    readonly cpu_to_naive: number | null;
    readonly cpu_to_tesseract: number | null;
    readonly bytes_to_naive: number | null;
  };
  /** (largest − smallest) / median of the total and of the CPU time, and what the rest of the machine used meanwhile. */
  readonly noise: { readonly total: number; readonly cpu: number; readonly foreign: number };
  readonly stages_s: Readonly<Record<string, number>> | null;
  /** CPU-seconds a page of each of our parts and of the programs that it started. */
  readonly cpu_s_per_page_of: Readonly<Record<string, number>> | null;
  /** Each round, in order. */
  readonly measured: {
    readonly after_last_s: readonly number[];
    readonly total_s: readonly number[];
    readonly cpu_s: readonly number[];
    readonly cpu_to_tesseract: readonly number[];
    readonly beyond_last_page_s: readonly number[];
  };
}

/** Medians over the rounds, a row for each side, pace and variant of each stack. `texts` are the printed words of a stack. */
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

function rowOf(
  first: Measurement,
  rounds: readonly Measurement[],
  { all, texts }: { all: readonly Measurement[]; texts: readonly string[] },
): Row {
  const { mode, pages, side, variant, pace } = first;
  const naive = all.filter(
    (one) => one.side === 'naive' && one.mode === mode && one.pages === pages,
  );
  const toNaive = (pick: (one: Measurement) => number | undefined): number | null =>
    side === 'naive' ? null : divide(medianOf(rounds, pick), medianOf(naive, pick));
  const total = (one: Measurement): number => one.totalMs;
  return {
    mode,
    pages,
    side,
    variant,
    pace: pace ?? null,
    rounds: rounds.length,
    after_last_s: seconds(medianOf(rounds, (one) => one.afterLastMs)),
    beyond_last_page_s: seconds(medianOf(rounds, beyondLastPageMs)),
    total_s: median(rounds.map(total)) / 1000,
    cpu_s_per_page: median(rounds.map((one) => one.cpuSeconds)) / pages,
    reference_cpu_s_per_page: medianOf(rounds, (one) => one.reference?.cpuSecondsPerPage),
    peak_mb: largestPeaks(rounds),
    bytes_per_page: divide(
      medianOf(rounds, (one) => one.bytes),
      pages,
    ),
    words: countWords(texts),
    lost_of_printed:
      variant === 'no_ocr' ? null : median(rounds.map((one) => lostOnPages(texts, one.texts))),
    lost_of_tesseract: medianOf(rounds, lostOfTesseract),
    ratios: {
      after_last_to_naive: toNaive((one) => one.afterLastMs),
      // What the feeder takes is no merit of either side.
      total_to_naive: naive[0]?.pace === pace ? toNaive(total) : null,
      total_to_tesseract:
        pace === 'unpaced' || side === 'naive' ? medianOf(rounds, totalToTesseract) : null,
      cpu_to_naive: side === 'tesseract' ? null : toNaive(cpuToTesseract),
      cpu_to_tesseract: medianOf(rounds, cpuToTesseract),
      bytes_to_naive: toNaive((one) => one.bytes),
    },
    noise: {
      total: spread(rounds.map(total)),
      cpu: spread(rounds.map((one) => one.cpuSeconds)),
      foreign: median(rounds.map((one) => one.foreignShare)),
    },
    stages_s: medianRecord(rounds, (one) => one.stagesMs, 1000),
    cpu_s_per_page_of: medianRecord(rounds, (one) => one.cpuShares, pages),
    measured: {
      after_last_s: rounds.flatMap((one) => seconds(one.afterLastMs ?? null) ?? []),
      total_s: rounds.map((one) => total(one) / 1000),
      cpu_s: rounds.map((one) => one.cpuSeconds),
      cpu_to_tesseract: rounds.flatMap((one) => cpuToTesseract(one) ?? []),
      beyond_last_page_s: rounds.flatMap((one) => seconds(beyondLastPageMs(one) ?? null) ?? []),
    },
  };
}

function medianOf(
  rounds: readonly Measurement[],
  pick: (one: Measurement) => number | undefined,
): number | null {
  const values = rounds.map(pick).filter((value) => value !== undefined);
  return values.length === 0 ? null : median(values);
}

function divide(value: number | null, by: number | null): number | null {
  return value === null || by === null ? null : value / by;
}

function seconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1000;
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
