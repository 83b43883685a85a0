import { wordsOf } from '../support/pages.ts';

/** How many words of `expected` are not in `found`, each counted as often as it is there, wherever on the page it stands. */
export function lostWords(expected: string, found: string): number {
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
