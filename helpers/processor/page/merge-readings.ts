import { back, inTurn, moved, type AffineMap, type Place } from './motion.ts';
import type { Reading } from './reading.ts';
import {
  isConvincing,
  wordFactsOf,
  type FoundLine,
  type FoundWord,
  type WordFacts,
} from './word-facts.ts';

/**
 * The second recognition adds words where the first has none, and replaces uncertain words without
 * digits. If it found far more text, the roles are swapped.
 */

/** Far more text: this many times the `certain` characters of the first recognition. */
const ANOTHER_PAGE = 1.3;
/** Minimum confidence of an added word. */
const SURE = 75;
/** Only words below this confidence are replaced. */
const UNSURE = 60;
/** Only words with at most this many times the characters of the new ones are replaced. */
const MORE_TEXT = 2;
/** Two words are at the same place if they overlap by this share of the smaller one. */
const SHARED = 0.2;
/** Rules and rows of dots: a character repeated four times, or no letter or digit at all. */
const ROW_OF_SIGNS = /^(?:[^\p{L}\p{N}]*|.*(?<sign>.)\k<sign>{3}.*)$/u;

export interface ReadLines {
  readonly reading: Reading;
  readonly lines: readonly FoundLine[];
  readonly words: WordFacts;
}

const HAS_DIGITS = /\p{N}/u;

/**
 * Returns one of the two recognitions, with lines of the other added. The second covers the whole
 * page, or only the rest that the first did not read (`part`).
 */
export function mergeReadings(
  first: ReadLines,
  second: ReadLines,
  part: 'page' | 'rest',
): ReadLines {
  const isOther = part === 'page' && second.words.certain > first.words.certain * ANOTHER_PAGE;
  const [kept, other] = isOther ? [second, first] : [first, second];
  const added = addedLines(kept, other);
  if (added.length === 0) return kept;
  const newer = added.flatMap(({ words }) => words);
  const isReplaced = (word: FoundWord): boolean => {
    if (!isReplaceable(word)) return false;
    const there = newer.filter((have) => shareAPlace(have, word)).map(([text]) => text);
    return there.length > 0 && word[0].length <= there.join('').length * MORE_TEXT;
  };
  const left = kept.lines.map((line) => {
    return { ...line, words: line.words.filter((word) => !isReplaced(word)) };
  });
  const lines = [...left.filter(({ words }) => words.length > 0), ...added];
  return { reading: kept.reading, lines, words: wordFactsOf(lines) };
}

/** Lines of `other` with words that `kept` lacks, in pixels of `kept`. */
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

function between(from: Reading, to: Reading): Move {
  const motion: AffineMap = inTurn(back(from.motion), to.motion);
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
