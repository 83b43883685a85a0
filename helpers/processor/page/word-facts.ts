import Joi from 'joi';
import type { Place } from './motion.ts';

export interface WordFacts {
  readonly words: number;
  readonly lines: number;
  readonly characters: number;
  /** Mean of the words' confidence, weighted by length, 0 to 100. */
  readonly confidence: number;
  readonly sideways: boolean;
  /** The words are probably dust or print shining through. */
  readonly noise: boolean;
  /** The first line with a likely word, else with likely text, shortened. May be empty. */
  readonly first_line: string;
  readonly convincing: readonly WordBox[];
  /** Characters of likely words, weighted by confidence (0 to 1). */
  readonly certain: number;
}

/** In pixels of the recognized image. */
export interface WordBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** See `lines_of` in recognizer.py. */
export interface FoundLine {
  readonly sideways: boolean;
  readonly base_line: BaseLine;
  readonly height: number;
  readonly words: readonly FoundWord[];
}

/** The ends of the line at the bottom of its letters, left to right, in pixels. */
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

/** Words are not validated: a dense page has too many. */
export const foundLinesSchema = Joi.array<FoundLine[]>().items(
  Joi.object({ sideways: Joi.boolean().required(), words: Joi.array().required() }).unknown(),
);

/** Minimum confidence of a word. Dust and print shining through had at most 50. */
const CONVINCING_CONFIDENCE = 60;
/** Minimum length of a convincing word, since a speck can look exactly like one letter. */
const CONVINCING_WORD_CHARACTERS = 2;
/** With this many characters, a page is not noise, however uncertain. Dust had at most 80. */
const CONVINCING_CHARACTERS = 100;

/** Less than 127, the limit of Paperless-ngx for document titles. */
const MAX_LINE_CHARACTERS = 100;

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
    convincing: convincing.map(boxOf),
    certain: sum(convincing, ([text, confidence]) => (text.length * confidence) / 100),
  };
}

/** Positions of the words of lines in which all words are likely. */
export function surelyRead(lines: readonly FoundLine[]): WordBox[] {
  const isSure = (word: FoundWord): boolean =>
    isConvincing(word) || word[0].length < CONVINCING_WORD_CHARACTERS;
  return lines.filter(({ words }) => words.every(isSure)).flatMap(({ words }) => words.map(boxOf));
}

export function boxOf([, , left, top, right, bottom]: FoundWord): WordBox {
  return { left, top, right, bottom };
}

function sum<Item>(items: readonly Item[], value: (item: Item) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}

function firstLine(lines: readonly FoundLine[]): string {
  const found = lines.filter((line) => line.words.some(isConvincing));
  // Prefers a line with a word to a number or a letterhead's initials.
  const words = (found.find(hasWord) ?? found[0])?.words ?? [];
  const text = words.map(([of]) => of).join(' ');
  return Array.from(text).slice(0, MAX_LINE_CHARACTERS).join('').trim();
}

/** Two letters suffice in scripts without case, such as Chinese, where one can be a word. */
const WORD = /\p{L}{3}|\p{Lo}{2}/u;

function hasWord({ words }: FoundLine): boolean {
  return words.some((word) => isConvincing(word) && WORD.test(word[0]));
}

export function isConvincing([text, confidence]: FoundWord): boolean {
  return text.length >= CONVINCING_WORD_CHARACTERS && confidence >= CONVINCING_CONFIDENCE;
}
