import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { PageWork } from './page-work.ts';
import type { ReadPage } from './turn-upright.ts';
import { isConvincing, wordFactsOf, type FoundLine, type FoundWord } from './word-facts.ts';

/**
 * Tesseract reads specks and smudges of copiers as words, with little confidence. Faint print has as
 * little, but its letters are as large as those of the other words. Dropped words may be print after
 * all, so their ink counts as unread.
 */

/** Words below this confidence may be dirt. Of those on 14 real pages, one in eight is right. */
const MAYBE_DIRT = 30;
/** Dirt is rarely read as a longer word, which may be print with dirt on it. */
const LONGEST_CHARACTERS = 4;
/** The size of letters is known from this many convincing words. */
const FEWEST_CONVINCING = 10;
/** Height of a word, and width per character, as shares of the usual height of a word. */
const HEIGHTS = [0.4, 1.8] as const;
const WIDTHS = [0.25, 1.6] as const;

/**
 * Receipts are left as they are: on coarse ones, print is read with such sizes, too. If the
 * remaining words cannot be written, all are kept, and the failure is logged.
 */
export async function dropDirt(page: ReadPage, { job, parts }: PageWork): Promise<ReadPage> {
  const { recognition, reading } = page;
  if (!recognition.ok || reading.column) return page;
  const lines = withoutDirt(recognition.lines);
  if (lines === recognition.lines) return page;
  const file = path.join(job.directory, 'text-without-dirt.json');
  try {
    await writeFile(file, JSON.stringify(lines));
  } catch (error) {
    parts.log.warn({ event: 'page_step_failed', err: error }, 'dirt was kept as words');
    return page;
  }
  const text = { ...recognition.text, lines: file };
  return { ...page, recognition: { ...recognition, lines, words: wordFactsOf(lines), text } };
}

/** Returns `lines` itself if there is no dirt. */
export function withoutDirt(lines: readonly FoundLine[]): readonly FoundLine[] {
  const upright = lines.filter(({ sideways }) => !sideways).flatMap(({ words }) => words);
  const heights = upright.filter(isConvincing).map(heightOf);
  if (heights.length < FEWEST_CONVINCING) return lines;
  const usual = heights.toSorted((one, other) => one - other)[heights.length >> 1] ?? 0;
  if (!upright.some((word) => isDirt(word, usual))) return lines;
  return lines
    .map((line) =>
      line.sideways ? line : { ...line, words: line.words.filter((word) => !isDirt(word, usual)) },
    )
    .filter(({ words }) => words.length > 0);
}

/** Single characters are kept, and numbers: better a wrong amount than none. */
function isDirt(word: FoundWord, usual: number): boolean {
  const [text, confidence, left, , right] = word;
  const { length } = Array.from(text);
  if (confidence >= MAYBE_DIRT || length < 2 || length > LONGEST_CHARACTERS) return false;
  if (/\p{N}/u.test(text)) return false;
  const width = (right - left) / length;
  return !isWithin(width / usual, WIDTHS) || !isWithin(heightOf(word) / usual, HEIGHTS);
}

function heightOf([, , , top, , bottom]: FoundWord): number {
  return bottom - top;
}

function isWithin(share: number, [least, most]: readonly [number, number]): boolean {
  return share >= least && share <= most;
}
