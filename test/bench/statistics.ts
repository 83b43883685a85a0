import { wordsOf } from '../support/pages.ts';

/** The middle value, or the mean of the two middle ones. Throws for an empty list. */
export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** The value that `percent` of the values are not above, interpolated between the two nearest. Throws for an empty list. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const place = ((sorted.length - 1) * percent) / 100;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) throw new Error('no values');
  return below + (above - below) * (place - Math.floor(place));
}

/** How far apart repeated measurements lie: (largest − smallest) / median. */
export function spread(values: readonly number[]): number {
  const middle = median(values);
  return middle === 0 ? 0 : (Math.max(...values) - Math.min(...values)) / middle;
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** How many words of `expected` are not in `found`, each counted as often as it is there, wherever on the page it stands. */
function lostWords(expected: string, found: string): number {
  const left = new Map<string, number>();
  for (const word of wordsOf(found)) left.set(word, (left.get(word) ?? 0) + 1);
  let lost = 0;
  for (const word of wordsOf(expected)) {
    const count = left.get(word) ?? 0;
    if (count === 0) lost += 1;
    else left.set(word, count - 1);
  }
  return lost;
}

/** Words lost over pages: page by page, so that no page makes up for another. */
export function lostOnPages(expected: readonly string[], found: readonly string[]): number {
  return expected.reduce((total, text, page) => total + lostWords(text, found[page] ?? ''), 0);
}

export function countWords(texts: readonly string[]): number {
  return texts.reduce((total, text) => total + wordsOf(text).length, 0);
}
