import Joi from 'joi';
import type { Place } from './motion.ts';

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
  /** The first line with a word, or else with something that is likely to be text, shortened; empty where there is none. */
  readonly first_line: string;
  /** Where the words are that are likely to be some. */
  readonly convincing: readonly WordBox[];
  /** The characters of these, each counted by its confidence, 0 to 1: how much was read. */
  readonly certain: number;
}

/** The edges of a word in the image that was read, in pixels. */
export interface WordBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A line of text as recognizer.py writes it. */
export interface FoundLine {
  /** It runs up or down the page. */
  readonly sideways: boolean;
  readonly base_line: BaseLine;
  readonly height: number;
  readonly words: readonly FoundWord[];
}

/** From the left of the letters to their right, in pixels. */
type BaseLine = readonly [start: Place, end: Place];

export type FoundWord = readonly [
  text: string,
  confidence: number,
  left: number,
  top: number,
  right: number,
  bottom: number,
  base_line: BaseLine,
  leftwards: boolean,
];

/** The words of a dense page are too many to look at each. */
export const foundLinesSchema = Joi.array<FoundLine[]>().items(
  Joi.object({ sideways: Joi.boolean().required(), words: Joi.array().required() }).unknown(),
);

/** A word of which Tesseract is this sure is text: it was at most 50 for dust and for print that shone through. */
const CONVINCING_CONFIDENCE = 60;
/** A speck may look exactly like one letter. */
const CONVINCING_WORD_CHARACTERS = 2;
/** As many characters are not found in dust: it was at most 80. */
const CONVINCING_CHARACTERS = 100;

/** A title has at most 127. */
const MAX_LINE_CHARACTERS = 100;

/** Adds up what Tesseract found. */
export function wordFactsOf(lines: readonly FoundLine[]): WordFacts {
  const words = lines.flatMap((line) => line.words);
  const convincing = words.filter(isConvincing);
  const characters = sum(words, ([text]) => text.length);
  const weighted = sum(words, ([text, confidence]) => text.length * confidence);
  const sideways = sum(lines, (line) => (line.sideways ? 1 : 0));
  return {
    words: words.length,
    lines: lines.length,
    characters,
    confidence: characters === 0 ? 0 : weighted / characters,
    sideways: sideways > lines.length / 2,
    noise: words.length > 0 && characters < CONVINCING_CHARACTERS && convincing.length === 0,
    first_line: firstLine(lines),
    convincing: convincing.map(([, , left, top, right, bottom]) => ({ left, top, right, bottom })),
    certain: sum(convincing, ([text, confidence]) => (text.length * confidence) / 100),
  };
}

function sum<Item>(items: readonly Item[], value: (item: Item) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}

function firstLine(lines: readonly FoundLine[]): string {
  const found = lines.filter((line) => line.words.some(isConvincing));
  // A number or a letterhead's initials say less than what stands below.
  const words = (found.find(hasWord) ?? found[0])?.words ?? [];
  const text = words.map(([of]) => of).join(' ');
  return Array.from(text).slice(0, MAX_LINE_CHARACTERS).join('').trim();
}

/** In scripts that write whole words as one character, two say as much as three letters. */
const WORD = /\p{L}{3}|\p{Lo}{2}/u;

function hasWord({ words }: FoundLine): boolean {
  return words.some((word) => isConvincing(word) && WORD.test(word[0]));
}

export function isConvincing([text, confidence]: FoundWord): boolean {
  return text.length >= CONVINCING_WORD_CHARACTERS && confidence >= CONVINCING_CONFIDENCE;
}
