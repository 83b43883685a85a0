/** What the words that Tesseract found on a page say about the page. */
export interface WordFacts {
  readonly words: number;
  readonly lines: number;
  /** Characters of all words. */
  readonly characters: number;
  /** Mean confidence of the words, weighted by their length, 0 to 100. */
  readonly confidence: number;
  /** Most lines run up or down the page. */
  readonly sideways: boolean;
  /** Words were found, but none of them is likely to be one: dust, or print that shines through. */
  readonly noise: boolean;
  /** The first line with a word that is likely to be one, shortened; empty where there is none. */
  readonly first_line: string;
}

/**
 * Has Tesseract report what it does with every line and every word (control.cpp of Tesseract 3 to 5). The documented way
 * to its confidences is a second output format (TSV, hOCR), and each of those takes 2 to 15 % of the whole recognition: for
 * every word it looks through the page from its start. As this one is for people, trace-check.ts tries it at the start.
 */
export const TRACE_SETTINGS = { multilang_debug_level: '1' };

/** A line of text, in a frame that is turned with it: that of a line up or down the page lies left of the page. */
const LINE = /^Processing word with lang \S+ at:Bounding box=\((?<left>-?\d+),/;
/** What a line of text was recognised as: one of these for each word. */
const WORD = /^Best choice: .* : Lang result : (?<text>.+) : R=[^ ,]+, C=(?<certainty>-?[\d.]+),/;

/** Confidence in percent as Tesseract's own formats give it (LTRResultIterator::Confidence). */
const PERCENT_PER_CERTAINTY = 5;

/** A word of which Tesseract is this sure is text: it was at most 50 for dust and for print that shone through. */
const CONVINCING_CONFIDENCE = 60;
/** A speck may look exactly like one letter. */
const CONVINCING_WORD_CHARACTERS = 2;
/** As many characters are not found in dust: it was at most 80. */
const CONVINCING_CHARACTERS = 100;

/** A title has at most 127. */
const MAX_LINE_CHARACTERS = 100;

interface Word {
  readonly text: string;
  readonly characters: number;
  readonly confidence: number;
}

/** Reads what Tesseract told under TRACE_SETTINGS. */
export function readWordFacts(trace: string): WordFacts {
  const lines = trace.split('\n');
  const textLines = readLines(lines);
  const words = textLines.flat();
  const lefts = lines.flatMap((line) => LINE.exec(line)?.groups?.['left'] ?? []);
  const characters = words.reduce((sum, word) => sum + word.characters, 0);
  const weighted = words.reduce((sum, word) => sum + word.characters * word.confidence, 0);
  return {
    words: words.length,
    lines: lefts.length,
    characters,
    confidence: characters === 0 ? 0 : weighted / characters,
    sideways: lefts.filter((left) => Number(left) < 0).length > lefts.length / 2,
    noise: words.length > 0 && characters < CONVINCING_CHARACTERS && !words.some(isConvincing),
    first_line: firstLine(textLines),
  };
}

/** The words of each line of text. */
function readLines(trace: readonly string[]): Word[][] {
  const lines: Word[][] = [[]];
  for (const line of trace) {
    if (LINE.test(line)) lines.push([]);
    lines.at(-1)?.push(...readWord(line));
  }
  return lines;
}

function firstLine(lines: readonly (readonly Word[])[]): string {
  const words = lines.find((line) => line.some(isConvincing)) ?? [];
  const text = words.map((word) => word.text).join(' ');
  return Array.from(text).slice(0, MAX_LINE_CHARACTERS).join('').trim();
}

function isConvincing({ characters, confidence }: Word): boolean {
  return characters >= CONVINCING_WORD_CHARACTERS && confidence >= CONVINCING_CONFIDENCE;
}

function readWord(line: string): Word[] {
  const { text, certainty } = WORD.exec(line)?.groups ?? {};
  if (text === undefined) return [];
  const confidence = Math.max(0, 100 + PERCENT_PER_CERTAINTY * Number(certainty));
  return [{ text, characters: text.length, confidence: Math.min(100, confidence) }];
}
