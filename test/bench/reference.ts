import type { Measurement } from './measurement.ts';
import { lostOnPages } from './statistics.ts';

/** Tesseract alone at one moment: on pages of the stack, and on its last page where that is asked for. */
export interface AloneSample {
  readonly pages: Measurement;
  readonly lastPage: Measurement | undefined;
}

/**
 * What Tesseract alone took for the same pages directly before and directly after a run: the mean of the two, so that a
 * machine whose speed drifts changes both sides of a ratio alike.
 */
export interface Reference {
  /** Pages of each of the two samples: the whole stack, or as many as it repeats again and again. */
  readonly pages: number;
  readonly cpuSecondsPerPage: number;
  readonly totalMs: number;
  /** The last page's own recognition, alone on the machine; undefined where it was not asked for. */
  readonly lastPageMs: number | undefined;
  /** The text that Tesseract found on each page of the stack. */
  readonly texts: readonly string[];
}

/** The reference of a run of `pages` pages between two samples. Throws where the stack does not repeat the pages sampled. */
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

/** A sample as if it had been the whole stack, for what does not change with the moment: its pages and their texts. */
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

/** CPU as a multiple of Tesseract alone directly before and after; undefined where there is no such reference. */
export function cpuToTesseract({ cpuSeconds, pages, reference }: Measurement): number | undefined {
  return reference && cpuSeconds / pages / reference.cpuSecondsPerPage;
}

/**
 * The time as a multiple of Tesseract alone. Stacks of two lengths keep the cores busy to their ends in two ways: they have
 * no such ratio.
 */
export function totalToTesseract({ totalMs, pages, reference }: Measurement): number | undefined {
  return reference?.pages === pages ? totalMs / reference.totalMs : undefined;
}

/** What is left of the time after the last sheet when the last page's own recognition is taken from it. */
export function beyondLastPageMs({ afterLastMs, reference }: Measurement): number | undefined {
  const lastPageMs = reference?.lastPageMs;
  return afterLastMs === undefined || lastPageMs === undefined
    ? undefined
    : afterLastMs - lastPageMs;
}

/** Words that Tesseract alone found on the raw pages and that are not in the document. */
export function lostOfTesseract({ texts, variant, reference }: Measurement): number | undefined {
  return variant === 'no_ocr' ? undefined : reference && lostOnPages(reference.texts, texts);
}
