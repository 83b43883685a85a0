import type { InkCells } from '../../../../helpers/processor/page/image-jobs.ts';
import { languageTag } from '../../../../helpers/processor/page/language-tag.ts';
import {
  back,
  cutOf,
  inTurn,
  moved,
  quartersOf,
  STILL,
  turnOf,
  type AffineMap,
} from '../../../../helpers/processor/page/motion.ts';
import { readsBetter, turnsToTry } from '../../../../helpers/processor/page/orientation.ts';
import {
  mergeReadings,
  type ReadLines,
} from '../../../../helpers/processor/page/merge-readings.ts';
import { partToReadAgain } from '../../../../helpers/processor/page/second-look.ts';
import { areaOf, placesOf } from '../../../../helpers/processor/page/unread-ink.ts';
import {
  wordFactsOf,
  type FoundLine,
  type WordFacts,
} from '../../../../helpers/processor/page/word-facts.ts';
import { assert, suite } from '../../../support/suite.ts';

const test = suite('conclusions from recognized words');

const TAGS: Readonly<Record<string, string | null>> = {
  eng: 'en',
  deu: 'de',
  ell: 'el',
  deu_frak: 'de',
  frk: 'frk',
  chi_sim_vert: 'zh-Hans',
  'script/Latin': null,
  osd: null,
  MyModel_2: null,
};
test('the language of a document is that of its model', () => {
  for (const [code, tag] of Object.entries(TAGS)) assert.is(languageTag(code), tag, code);
});

/** A line of evenly spaced words with their confidence, such as `one 95, two 60`. */
function line(words: string, sideways = false): FoundLine {
  const found = words.split(', ').map((word): readonly [string, number] => {
    const [text = '', confidence] = word.split(' ');
    return [text, Number(confidence)];
  });
  return {
    sideways,
    base_line: [
      [0, 50],
      [found.length * 100, 50],
    ],
    height: 30,
    words: found.map(([text, confidence], at) => [
      text,
      confidence,
      at * 100,
      20,
      at * 100 + 80,
      50,
      [
        [at * 100, 50],
        [at * 100 + 80, 50],
      ],
      false,
    ]),
  };
}

const NO_WORDS: WordFacts = {
  lines: 0,
  words: 0,
  characters: 0,
  confidence: 0,
  sideways: false,
  noise: false,
  first_line: '',
  convincing: [],
  certain: 0,
};
const UPRIGHT = line('one 95');
const TURNED = line('two 95', true);
const DUST = line('~. 20');
const PLACES = [0, 300].map((left) => ({ left, top: 20, right: left + 80, bottom: 50 }));
const many = (word: string, count: number): string =>
  Array.from({ length: count }, () => word).join(', ');
const FACTS: readonly (readonly [what: string, lines: readonly FoundLine[], Partial<WordFacts>])[] =
  [
    ['no words are no noise', [], NO_WORDS],
    [
      'confidence is weighed by length',
      [line('ab 95, abcdef 75')],
      { characters: 8, confidence: (2 * 95 + 6 * 75) / 8 },
    ],
    ['upright', [UPRIGHT], { sideways: false }],
    ['sideways', [TURNED], { sideways: true }],
    ['half of the lines sideways', [UPRIGHT, TURNED], { sideways: false }],
    ['most lines sideways', [UPRIGHT, TURNED, TURNED], { sideways: true }],
    ['two unsure words', [line('teil 20, teil 20')], { noise: true }],
    ['a number that is sure', [line('teil 20, 12 75')], { noise: false }],
    ['a single letter', [line('teil 20, I 95')], { noise: true }],
    ['many unsure words', [line(many('teil 20', 30))], { noise: false }],
    [
      'words that are likely to be some have their places',
      [line('Dear 90, ~. 20, I 95, Sir 60')],
      { convincing: PLACES, certain: 4 * 0.9 + 3 * 0.6 },
    ],
    [
      'the first line has a word that is likely to be one',
      [DUST, line('Annual 95, st@tement 40'), UPRIGHT],
      { first_line: 'Annual st@tement' },
    ],
    ['dust has no first line', [DUST], { first_line: '' }],
    [
      'a long first line is cut between words',
      [line(many('word 95', 60))],
      { first_line: many('word', 60).replaceAll(',', '').slice(0, 99) },
    ],
  ];
for (const [what, lines, expected] of FACTS) {
  test(`words: ${what}`, () => {
    const found = wordFactsOf(lines);
    assert.equal({ ...found, ...expected }, found);
  });
}

const facts = (given: Partial<WordFacts> = {}): WordFacts => ({
  ...NO_WORDS,
  lines: 20,
  words: 200,
  characters: 1000,
  confidence: 95,
  certain: 950,
  ...given,
});
const TURNS: readonly (readonly [Partial<WordFacts>, languages: string[], quarters: number[]])[] = [
  [{}, ['eng'], []],
  [{ confidence: 35 }, ['eng'], [2]],
  [{ confidence: 57 }, ['eng'], []],
  [{ sideways: true }, ['eng'], [3]],
  [{ sideways: true, confidence: 35 }, ['eng'], [1, 3]],
  // Vertical lines are normal in a language that is written vertically.
  [{ sideways: true }, ['jpn', 'jpn_vert'], []],
  [{ characters: 0, confidence: 0 }, ['eng'], []],
  [{ noise: true, confidence: 20 }, ['eng'], []],
];
for (const [given, languages, quarters] of TURNS) {
  test(`a page of ${languages.join()} with ${JSON.stringify(given)} is tried in ${quarters.join()}`, () => {
    assert.equal(turnsToTry(facts(given), languages), quarters);
  });
}

const BADLY = { confidence: 35 };
const SIDEWAYS = { sideways: true };
const TAKEN: readonly (readonly [Partial<WordFacts>, Partial<WordFacts>, number, boolean])[] = [
  [BADLY, {}, 2, true],
  [BADLY, { confidence: 49 }, 2, false],
  [{ confidence: 57 }, { confidence: 70 }, 2, false],
  [BADLY, SIDEWAYS, 2, false],
  // A turn must not lose text.
  [BADLY, { characters: 400 }, 2, false],
  // A page that was read sideways must read as well upright.
  [SIDEWAYS, { confidence: 94 }, 3, true],
  [SIDEWAYS, { confidence: 80 }, 3, false],
  [SIDEWAYS, SIDEWAYS, 3, false],
  // A pattern reads equally badly in every direction.
  [{ sideways: true, confidence: 19 }, { confidence: 21 }, 3, false],
];
for (const [before, after, quarters, isTaken] of TAKEN) {
  const story = `${JSON.stringify(before)} to ${JSON.stringify(after)}`;
  test(`a turn from ${story} is ${isTaken ? '' : 'not '}taken`, () => {
    assert.is(readsBetter(facts(before), facts(after), quarters as 1 | 2 | 3), isTaken);
  });
}

const DPI = 254;
const SIZE_MM = 2;
const PER_CELL = (SIZE_MM * DPI) / 25.4;
const [COLUMNS, ROWS] = [20, 16];
const PAGE = { width: COLUMNS * PER_CELL, height: ROWS * PER_CELL };

function inkIn(rows: number): InkCells {
  const cells = Buffer.alloc((COLUMNS * ROWS) / 8);
  for (let cell = 0; cell < rows * COLUMNS; cell++)
    cells[cell >> 3] = (cells[cell >> 3] ?? 0) | (0x80 >> (cell & 7));
  return { size: SIZE_MM, columns: COLUMNS, cells: cells.toString('base64') };
}

function readingOf(words: readonly (readonly [string, number, left: number])[]): ReadLines {
  const image = { ...PAGE, file: 'page.tif', dpi: DPI, bilevel: false };
  const lines = words.map(([text, confidence, left]): FoundLine => {
    const base_line = [
      [left, 50],
      [left + 80, 50],
    ] as const;
    const word = [text, confidence, left, 20, left + 80, 50, base_line, false] as const;
    return { sideways: false, base_line, height: 30, words: [word] };
  });
  const reading = { image, motion: STILL, dpi: DPI, column: false };
  return { reading, lines, words: wordFactsOf(lines) };
}

/**
 * The word and confidence of two readings, how many pixels right of the first the second word is,
 * and the merged text.
 */
const MERGED: readonly (readonly [first: string, second: string, left: number, filed: string])[] = [
  ['Total 90', 'Total 95', 0, 'Total'],
  ['Total 90', 'Toads 95', 0, 'Total'],
  ['T@tai 40', 'Total 95', 0, 'Total'],
  // A stain joins a word to the line below it.
  ['CARLTON. 23', 'D. 87', 0, 'CARLTON. D.'],
  ['28.00 40', '28.80 95', 0, '28.00'],
  ['zB.OO 40', '28.80 95', 0, 'zB.OO'],
  ['Total 90', '28.00 95', 100, 'Total 28.00'],
  ['Total 90', '28.00 65', 100, 'Total'],
  ['Total 90', '****** 95', 100, 'Total'],
  ['Total 90', 'eeeeee 95', 100, 'Total'],
];
for (const [first, second, left, filed] of MERGED) {
  test(`${first} and ${second} ${left === 0 ? 'in its place' : 'beside it'} become ${filed}`, () => {
    const [word = '', sure] = first.split(' ');
    const [other = '', surer] = second.split(' ');
    const rest = ['one', 'more', 'line', 'of', 'words'].map(
      (text, at) => [text, 95, 200 + at * 100] as const,
    );
    const merged = mergeReadings(
      readingOf([[word, Number(sure), 0], ...rest]),
      readingOf([[other, Number(surer), left], ...rest]),
      'page',
    );
    const texts = merged.lines.flatMap(({ words }) => words.map(([text]) => text));
    const own = texts.filter((text) => !rest.some(([known]) => known === text));
    assert.equal(own, filed.split(' '));
    assert.is(texts.length, rest.length + own.length);
  });
}

const UPSIDE_DOWN = turnOf(180, PAGE, PAGE);
/**
 * Rows of ink, how many of them words cover, and the part of the page to read again. A second
 * reading needs a quarter of the ink uncovered, or 60 % on narrow paper, which is read as one
 * column. A single row may be a signature and is not read again.
 */
const LEFT: readonly (readonly [
  ink: number,
  covered: number,
  'nothing' | 'rest' | 'page',
  motion?: AffineMap,
  column?: boolean,
])[] = [
  [12, 12, 'nothing'],
  [12, 10, 'nothing'],
  [12, 9, 'rest'],
  [12, 5, 'rest'],
  [12, 4, 'page'],
  [12, 0, 'page'],
  [1, 0, 'nothing'],
  [2, 0, 'page'],
  [0, 0, 'nothing'],
  // The words were found on an image that was turned and moved.
  [8, 8, 'page', UPSIDE_DOWN],
  [16, 16, 'nothing', UPSIDE_DOWN],
  [8, 8, 'rest', cutOf(0, -4 * PER_CELL)],
  [12, 6, 'nothing', STILL, true],
  [12, 4, 'page', STILL, true],
];
for (const [ink, covered, part, motion = STILL, column = false] of LEFT) {
  const place = column ? ' of a column' : '';
  test(`of ${ink} rows of ink${place}, ${covered} of them read, the ${part} is read again`, () => {
    const image = { ...PAGE, file: 'page.tif', dpi: DPI, bilevel: false };
    const bottom = (covered - 0.6) * PER_CELL;
    const words = covered === 0 ? [] : [{ left: 0, top: 0, right: PAGE.width, bottom }];
    const read = { convincing: words, confidence: 90 };
    assert.is(partToReadAgain(read, inkIn(ink), { image, motion, dpi: DPI, column }), part);
  });
}

test('a page with unsure words is read again as a whole', () => {
  const image = { ...PAGE, file: 'page.tif', dpi: DPI, bilevel: false };
  const convincing = [{ left: 0, top: 0, right: PAGE.width, bottom: 8.4 * PER_CELL }];
  const partAt = (confidence: number): string =>
    partToReadAgain({ convincing, confidence }, inkIn(12), {
      image,
      motion: STILL,
      dpi: DPI,
      column: false,
    });
  assert.equal([partAt(90), partAt(75)], ['rest', 'page']);
});

test('a second look at the rest never replaces the first', () => {
  const first = readingOf([['Total', 90, 0]]);
  const long: readonly (readonly [string, number, number])[] = [['accommodation', 95, 200]];
  const merged = (part: 'page' | 'rest'): string[] =>
    mergeReadings(first, readingOf(long), part).lines.flatMap(({ words }) =>
      words.map(([text]) => text),
    );
  assert.equal(merged('page'), ['accommodation', 'Total']);
  assert.equal(merged('rest'), ['Total', 'accommodation']);
});

/** Columns and rows of unread ink on a page of 20 × 16 inked squares, and where they are. */
const AREAS: readonly (readonly [columns: number[], rows: number[], area: string, AffineMap?])[] = [
  [[17, 18, 19], [0, 5, 10, 15], 'right'],
  [[0, 1], [0, 5, 10, 15], 'left'],
  [[0, 5, 10, 15], [0, 1], 'top'],
  [[0, 5, 10, 15], [14, 15], 'bottom'],
  [[8, 9, 10], [6, 7, 8], 'middle'],
  [[0, 9, 19], [0, 8, 15], 'several'],
  [[0, 1], [0, 5, 10, 15], 'right', UPSIDE_DOWN],
  [[0, 1], [0, 5, 10, 15], 'top', turnOf(90, PAGE, PAGE)],
];
for (const [columns, rows, area, motion = STILL] of AREAS) {
  test(`unread ink in columns ${columns.join()} and rows ${rows.join()} is ${area}`, () => {
    const unread = rows.flatMap((row) =>
      columns.map((column) => [(column + 0.5) * SIZE_MM, (row + 0.5) * SIZE_MM] as const),
    );
    assert.is(areaOf(unread, placesOf(inkIn(ROWS)), motion), area);
  });
}

test('positions follow a sequence of motions, and back', () => {
  const near = ([x, y]: readonly number[], [u = 0, v = 0]: readonly number[]): void =>
    assert.ok(Math.hypot(Number(x) - u, Number(y) - v) < 1e-9, `${x}, ${y} and not ${u}, ${v}`);
  const quarter = turnOf(90, { width: 40, height: 20 }, { width: 20, height: 40 });
  const both = inTurn(quarter, cutOf(3, 5));
  for (const [x, y, toX, toY] of [
    [0, 0, 17, -5],
    [40, 0, 17, 35],
    [0, 20, -3, -5],
  ] as const) {
    near(moved(both, [x, y]), [toX, toY]);
    near(moved(back(both), [toX, toY]), [x, y]);
  }
  const askew = inTurn(inTurn(cutOf(7, 2), turnOf(3, PAGE, PAGE)), quarter);
  assert.is(quartersOf(askew), 1);
  near(moved(inTurn(askew, back(askew)), [11, 13]), [11, 13]);
});
