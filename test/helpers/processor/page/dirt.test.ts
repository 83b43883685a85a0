/** Specks and smudges of copiers, which Tesseract reads as words. */
import path from 'node:path';
import { withoutDirt } from '../../../../helpers/processor/page/dirt.ts';
import type { FoundLine, FoundWord } from '../../../../helpers/processor/page/word-facts.ts';
import { assert } from '../../../support/suite.ts';
import { placedWords } from '../support/inspect-pdf.ts';
import { pageTests, scanned, twoBlocks } from '../support/page-samples.ts';

const test = await pageTests('dirt of copiers');

interface Placed {
  readonly text: string;
  readonly confidence: number;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

function lineOf(
  { text, confidence, left, top, width, height }: Placed,
  sideways = false,
): FoundLine {
  const [right, bottom] = [left + width, top + height];
  const base_line = [
    [left, bottom],
    [right, bottom],
  ] as const;
  const word: FoundWord = [text, confidence, left, top, right, bottom, base_line, false];
  return { sideways, base_line, height, words: [word] };
}

const textsOf = (lines: readonly FoundLine[]): string[] =>
  lines.flatMap(({ words }) => words.map(([text]) => text));

/** Lines of a page whose words are usually 40 pixels high. */
const printed = (count: number): FoundLine[] =>
  Array.from({ length: count }, (_, row) =>
    lineOf({ text: 'printed', confidence: 95, left: 100, top: row * 80, width: 170, height: 40 }),
  );

type Found = readonly [text: string, confidence: number, width: number, height: number];

/** Read from dirt on a copied form, and from print on which there is dirt. */
const DIRT: readonly Found[] = [
  ['Aaa', 19, 299, 79],
  ['“igs', 0, 177, 160],
  ['he', 25, 141, 173],
  ['ao', 17, 185, 41],
  ['Oo', 0, 2, 5],
  ['oe', 24, 7, 34],
];
const KEPT: readonly Found[] = [
  // Faint print.
  ['due', 12, 70, 38],
  ['Tax', 4, 90, 60],
  ['il', 8, 22, 34],
  ['合計', 20, 84, 42],
  // Print with dirt on it, or larger than the rest.
  ['FRIDAY,', 28, 205, 91],
  ['SALE', 30, 420, 120],
  ['Reservations', 3, 900, 110],
  ['4.50', 9, 80, 90],
  ['X', 5, 60, 90],
];
const rest = (of: Found): FoundLine => {
  const [text, confidence, width, height] = of;
  return lineOf({ text, confidence, left: 900, top: 100, width, height });
};
for (const [what, all] of [
  ['dropped', DIRT],
  ['kept', KEPT],
] as const) {
  for (const found of all) {
    test(`${found[0]} of ${found[2]} × ${found[3]} pixels, ${found[1]} % sure, is ${what}`, () => {
      const texts = textsOf(withoutDirt([...printed(10), rest(found)]));
      assert.is(texts.includes(found[0]), what === 'kept');
    });
  }
}

test('a page with few words has no usual size', () => {
  const lines = [...printed(9), ...DIRT.map(rest)];
  assert.is(withoutDirt(lines), lines);
});

test('words along the side of a page are kept', () => {
  const side = { text: 'side', confidence: 9, left: 900, top: 100, width: 40, height: 200 };
  const lines = [...printed(10), lineOf(side, true)];
  assert.is(withoutDirt(lines), lines);
});

test('dirt is not filed as words, and its ink counts as unread', async ({
  directory,
  recognize,
  toolbox,
}) => {
  const file = path.join(directory, 'copy.tif');
  await scanned(file, twoBlocks());
  const rows = Array.from({ length: 10 }, (_, row) =>
    lineOf({
      text: 'paragraph',
      confidence: 95,
      left: 90,
      top: 90 + row * 60,
      width: 1160,
      height: 60,
    }),
  );
  const smudge = { text: 'ae', confidence: 20, left: 1840, top: 80, width: 460, height: 640 };
  const lines = JSON.stringify([...rows, lineOf(smudge)]);
  await toolbox.replace({
    tesseract: `echo '${lines}' > "$2.json"; exec /usr/bin/tesseract "$@"`,
  });
  const { pdf, facts } = await recognize(file);
  const texts = (await placedWords(pdf)).map(({ text }) => text);
  assert.equal([...new Set(texts)], ['paragraph']);
  assert.is(facts.missed?.where, 'right');
});
