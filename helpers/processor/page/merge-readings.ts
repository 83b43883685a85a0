import { back, inTurn, moved, type Motion, type Place } from './motion.ts';
import type { Reading } from './reading.ts';
import {
  isConvincing,
  wordFactsOf,
  type FoundLine,
  type FoundWord,
  type WordFacts,
} from './word-facts.ts';

/**
 * Merges two readings of a page by place: the second adds words where the first read none. It replaces only words that the first is unsure of,
 * and no digits. Only where the second has far more text is it the one that stays, and the first adds to it.
 */

/** The second reading has found another page: pictures, rules or patterns hid the text from the first. */
const ANOTHER_PAGE = 1.3;
/** A word is added if Tesseract is this sure of it. */
const SURE = 75;
/** A word is replaced only if Tesseract was less sure of it. */
const UNSURE = 60;
/** Words of both readings share a place if so much of the smaller one lies on the other. */
const SHARED = 0.2;
/** A run of the same sign is a rule or a row of dots or asterisks; so is a word without a letter or digit. */
const ROW_OF_SIGNS = /^(?:[^\p{L}\p{N}]*|.*(?<sign>.)\k<sign>{3}.*)$/u;

export interface ReadLines {
  readonly reading: Reading;
  readonly lines: readonly FoundLine[];
  readonly words: WordFacts;
}

const HAS_DIGITS = /\p{N}/u;

/** The reading that stays, with the lines of both. */
export function mergeReadings(first: ReadLines, second: ReadLines): ReadLines {
  const isOther = second.words.certain > first.words.certain * ANOTHER_PAGE;
  const [kept, other] = isOther ? [second, first] : [first, second];
  const added = addedLines(kept, other);
  if (added.length === 0) return kept;
  const newer = added.flatMap(({ words }) => words);
  const isReplaced = (word: FoundWord): boolean =>
    isReplaceable(word) && newer.some((have) => shareAPlace(have, word));
  const left = kept.lines.map((line) => {
    return { ...line, words: line.words.filter((word) => !isReplaced(word)) };
  });
  const lines = [...left.filter(({ words }) => words.length > 0), ...added];
  return { reading: kept.reading, lines, words: wordFactsOf(lines) };
}

/** The lines of `other` without the words that `kept` has already, in the pixels of that. */
function addedLines(kept: ReadLines, other: ReadLines): FoundLine[] {
  const known = kept.lines.flatMap(({ words }) => words);
  const move = between(other.reading, kept.reading);
  return other.lines.flatMap((line) => {
    const words = line.words
      .filter((word) => isConvincing(word) && word[1] >= SURE && !ROW_OF_SIGNS.test(word[0]))
      .map((word) => movedWord(word, move))
      .filter((word) => {
        const keepsAll = HAS_DIGITS.test(word[0]);
        return !known.some((have) => shareAPlace(have, word) && (keepsAll || !isReplaceable(have)));
      });
    const scale = kept.reading.dpi / other.reading.dpi;
    const [start, end] = line.base_line;
    const base_line = [move(start), move(end)] as const;
    return words.length === 0 ? [] : [{ ...line, base_line, height: line.height * scale, words }];
  });
}

function isReplaceable([text, confidence]: FoundWord): boolean {
  return confidence < UNSURE && !HAS_DIGITS.test(text);
}

type Move = (place: Place) => Place;

/** How pixels of one file become those of another. */
function between(from: Reading, to: Reading): Move {
  const motion: Motion = inTurn(back(from.motion), to.motion);
  const [shrink, grow] = [from.image.dpi / from.dpi, to.dpi / to.image.dpi];
  return ([x, y]) => {
    const [u, v] = moved(motion, [x * shrink, y * shrink]);
    return [Math.round(u * grow), Math.round(v * grow)];
  };
}

function movedWord(word: FoundWord, move: Move): FoundWord {
  const [text, confidence, left, top, right, bottom, [start, end], leftwards] = word;
  const [x, y] = move([left, top]);
  const [u, v] = move([right, bottom]);
  const edges = [Math.min(x, u), Math.min(y, v), Math.max(x, u), Math.max(y, v)] as const;
  return [text, confidence, ...edges, [move(start), move(end)], leftwards];
}

function shareAPlace(one: FoundWord, other: FoundWord): boolean {
  const [, , left, top, right, bottom] = one;
  const [, , x, y, u, v] = other;
  const width = Math.min(right, u) - Math.max(left, x);
  const height = Math.min(bottom, v) - Math.max(top, y);
  if (width <= 0 || height <= 0) return false;
  const smaller = Math.min((right - left) * (bottom - top), (u - x) * (v - y));
  return width * height > SHARED * smaller;
}
