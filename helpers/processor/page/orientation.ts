import type { WordFacts } from './word-facts.ts';

/**
 * Finds out from the recognized text which way up a page is. Tesseract also reads text that was
 * rotated clockwise by a quarter turn. Upside-down text has low confidence: 26 to 38 %, against 86
 * to 97 % upright and 57 % for a table of figures (simulators/pages and sparse pages). A rotation
 * is kept only if the page then reads better.
 */

/** Quarter turns, clockwise. */
export type Quarters = 1 | 2 | 3;

/** For a page with vertical lines: from this confidence on, only three quarter turns are tried. */
const DOUBTFUL_CONFIDENCE = 65;
/** Confidence of 14 real coarse receipts and forms: 60 to 93 upright, 18 to 33 upside down. */
const UPSIDE_DOWN_CONFIDENCE = 50;
/** Minimum gain in confidence for one or two quarter turns. */
const CLEARLY_BETTER = 15;
/** Allowed loss for three quarter turns, since Tesseract already reads that direction well. */
const AS_GOOD = 5;
/** Below this confidence, the text may be a misread pattern, which has no orientation. */
const CREDIBLE_CONFIDENCE = 50;
/** Minimum share of the characters that must still be found. */
const KEPT_SHARE = 0.5;

/** False if a page reads clearly better unturned than turned like the scan's other pages. */
export function readsAsWellTurned(before: WordFacts, after: WordFacts): boolean {
  return before.noise || before.confidence <= after.confidence + CLEARLY_BETTER;
}

/** The rotations, most likely first. Empty if the page reads well. */
export function turnsToTry(facts: WordFacts, languages: readonly string[]): readonly Quarters[] {
  if (facts.noise || facts.characters === 0) return [];
  if (!facts.sideways) return facts.confidence < UPSIDE_DOWN_CONFIDENCE ? [2] : [];
  // Vertical Chinese and Japanese have their own Tesseract languages.
  if (languages.some((language) => language.endsWith('_vert'))) return [];
  return facts.confidence < DOUBTFUL_CONFIDENCE ? [1, 3] : [3];
}

export function readsBetter(before: WordFacts, after: WordFacts, quarters: Quarters): boolean {
  if (after.sideways || after.characters < before.characters * KEPT_SHARE) return false;
  const gain = quarters === 3 ? -AS_GOOD : CLEARLY_BETTER;
  return after.confidence >= Math.max(CREDIBLE_CONFIDENCE, before.confidence + gain);
}
