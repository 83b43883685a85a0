import type { PageMode } from './page-sets.ts';
import { machineCpuSeconds, ownCpuSeconds } from './machine.ts';
import type { CpuShares, PeakMemory } from './process-tree.ts';
import type { Reference } from './reference.ts';
import type { Pace } from './workbench.ts';

export type Side = 'ours' | 'naive' | 'tesseract';

/** One side doing one stack once. */
export interface Measurement {
  readonly side: Side;
  /** What is special about it, beside its side. */
  readonly variant: string;
  readonly mode: PageMode;
  readonly pages: number;
  /** Undefined where no scanner takes part. */
  readonly pace: Pace | undefined;
  /** From the moment that the last page was handed over by the scanner; undefined where no scanner takes part. */
  readonly afterLastMs: number | undefined;
  readonly totalMs: number;
  /** Of all its processes. */
  readonly cpuSeconds: number;
  /** The same by part; undefined for the scripts, whose shell tells the sum only. */
  readonly cpuShares?: CpuShares;
  readonly peakMb: PeakMemory;
  /** Size of the document; undefined for Tesseract alone, which makes none. */
  readonly bytes: number | undefined;
  /** The text found on each page. */
  readonly texts: readonly string[];
  /** What the pages looked like to it, to be held against the other sides; see same-work.ts. */
  readonly work: WorkFacts;
  /** Stages of our own service, in ms. */
  readonly stagesMs?: Readonly<Record<string, number>>;
  /** CPU-seconds that the rest of the machine spent meanwhile, as a share of what there was. */
  readonly foreignShare: number;
  /** Tesseract alone directly before and after it; undefined for Tesseract itself. */
  readonly reference?: Reference;
}

/** What a side worked on and made of it. */
export interface WorkFacts {
  /** SHA-256 of each raw page. */
  readonly rawPages: readonly string[];
  /** Width × height in pixels of the image on each page of the document, empty where there is no document. */
  readonly imageSizes: readonly string[];
  readonly pdfA: boolean | undefined;
}

/** Starts a clock that also sees what the rest of the machine does. */
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
