import { commonWords, wordsOf } from '../support/pages.ts';

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** The interpolated value that `percent` of the values do not exceed. Throws for an empty list. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const place = ((sorted.length - 1) * percent) / 100;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) throw new Error('no values');
  return below + (above - below) * (place - Math.floor(place));
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export function foundOnPages(expected: readonly string[], found: readonly string[]): string[] {
  return expected.map((text, page) => commonWords(text, found[page] ?? '').join(' '));
}

/** Lost words, counted per page, so that words gained on one page do not hide losses on another. */
export function lostOnPages(expected: readonly string[], found: readonly string[]): number {
  return countWords(expected) - countWords(foundOnPages(expected, found));
}

export function countWords(texts: readonly string[]): number {
  return texts.reduce((total, text) => total + wordsOf(text).length, 0);
}
