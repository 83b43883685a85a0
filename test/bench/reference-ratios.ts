import type { Measurement } from './measurement.ts';
import { lostOnPages } from './words.ts';

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
export function lostOfTesseract({ texts, reference }: Measurement): number | undefined {
  return reference && lostOnPages(reference.texts, texts);
}
