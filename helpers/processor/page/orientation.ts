import type { WordFacts } from './word-facts.ts';

/**
 * Which way up a page is, from what recognition finds on it. Tesseract reads a page that was turned clockwise by a quarter as well as
 * an upright one, and reads upside down what stands on its head, without being sure of it: words of 26 to 38 % confidence
 * where upright pages have 86 to 97 %, a table of figures 57 % (measured on the pages in simulators/pages and on sparse ones).
 * A turn is taken only when the turned page reads better, so that a page is never turned the wrong way: the worst that
 * can happen is a recognition for nothing.
 */

/** Quarters of a circle, clockwise. */
export type Quarters = 1 | 2 | 3;

/** Upright text is read with more confidence than this, mostly. */
const DOUBTFUL_CONFIDENCE = 65;
/** A page that was upside down is read with at least this much more confidence. */
const CLEARLY_BETTER = 15;
/** A page that was read sideways is read as well when it is upright; recognition is not that exact. */
const AS_GOOD = 5;
/** Below this, what was read is as likely a pattern as text, and says nothing of how the page lies. */
const CREDIBLE_CONFIDENCE = 50;
/** The turned page must have kept its text. */
const KEPT_SHARE = 0.5;

/**
 * Whether a page that says little may be turned as the other pages of its scan were: unless it reads clearly better as it is.
 */
export function mayFollow(before: WordFacts, after: WordFacts): boolean {
  return before.noise || before.confidence <= after.confidence + CLEARLY_BETTER;
}

/** Turns that are worth trying, the most likely first; none for a page that reads well as it is. */
export function turnsToTry(facts: WordFacts, languages: readonly string[]): readonly Quarters[] {
  if (facts.noise || facts.characters === 0) return [];
  const doubtful = facts.confidence < DOUBTFUL_CONFIDENCE;
  if (!facts.sideways) return doubtful ? [2] : [];
  // Chinese and Japanese are written downwards; Tesseract has languages of their own for that.
  if (languages.some((language) => language.endsWith('_vert'))) return [];
  return doubtful ? [1, 3] : [3];
}

/** Whether the page reads better after the turn than before it. */
export function readsBetter(before: WordFacts, after: WordFacts, quarters: Quarters): boolean {
  if (after.sideways || after.characters < before.characters * KEPT_SHARE) return false;
  const gain = quarters === 3 ? -AS_GOOD : CLEARLY_BETTER;
  return after.confidence >= Math.max(CREDIBLE_CONFIDENCE, before.confidence + gain);
}
