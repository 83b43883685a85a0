/** In a PDF viewer, the highlighted box of a word must begin and end with the word's ink. */
import path from 'node:path';
import sharp from 'sharp';
import { shippedPage } from '../../../support/pages.ts';
import { outputOf } from '../../../support/programs.ts';
import { assert } from '../../../support/suite.ts';
import { placedWords, type PlacedWord } from '../support/inspect-pdf.ts';
import { pageTests, scanned } from '../support/page-samples.ts';

const test = await pageTests('ink under the words of a page');

const DPI = 300;
const MM_PER_POINT = 25.4 / 72;
const TOLERANCE_MM = 0.5;
const DARK = 150;
/** Share of a word's height: without a next word, the ink ends at a gap this wide. */
const MARGIN = 0.6;
const FEWEST = 20;

const PAGES: Readonly<Record<string, readonly [top: number, bottom: number]>> = {
  'letter-landlord': [850, 1432],
  'small-print': [1000, 1398],
  'letter-bank': [1000, 1605],
  report: [860, 1600],
  minutes: [620, 1225],
  // Narrow paper is read at 0.8 of its resolution, letters at about 0.55.
  receipt: [248, 1500],
};

interface Shown {
  readonly words: readonly PlacedWord[];
  readonly data: Buffer;
  readonly width: number;
}

/** Renders the page and finds its words; turns both back by `angle` around the centre. */
async function shown(pdf: string, angle: number): Promise<Shown> {
  const root = pdf.replace('.pdf', '-shown');
  await outputOf('pdftoppm', ['-r', String(DPI), '-gray', '-png', '-singlefile', pdf, root]);
  const image = sharp(`${root}.png`);
  const before = await image.metadata();
  const turned = image.rotate(-angle, { background: 'white' }).grayscale();
  const { data, info } = await turned.raw().toBuffer({ resolveWithObject: true });
  const points = (size: number): number => (size * 72) / DPI / 2;
  const [sine, cosine] = [Math.sin, Math.cos].map((of) => of((-angle * Math.PI) / 180)) as [
    number,
    number,
  ];
  const words = (await placedWords(pdf)).map(({ text, left, right, top, bottom }) => {
    const [x, y] = [(left + right) / 2 - points(before.width), bottom - points(before.height)];
    const middle = cosine * x - sine * y + points(info.width);
    const base = sine * x + cosine * y + points(info.height);
    const half = (right - left) / 2;
    return {
      text,
      left: middle - half,
      right: middle + half,
      top: base - (bottom - top),
      bottom: base,
    };
  });
  return { words, data, width: info.width };
}

const pixels = (points: number): number => Math.round((points * DPI) / 72);
const middleOf = ({ left, right }: PlacedWord): number => (left + right) / 2;

/** The neighbouring word on the same line: to the left (-1) or to the right (1). */
function beside(
  word: PlacedWord,
  words: readonly PlacedWord[],
  side: -1 | 1,
): PlacedWord | undefined {
  const away = (other: PlacedWord): number => side * (middleOf(other) - middleOf(word));
  return words
    .filter((other) => away(other) > 0 && other.top < word.bottom && other.bottom > word.top)
    .toSorted((one, other) => away(one) - away(other))[0];
}

/**
 * The last ink column on one side of a word: before the widest gap to the next word's centre, or
 * before the margin. Does not use word widths of the PDF.
 */
function inkEnd(
  word: PlacedWord,
  next: PlacedWord | undefined,
  side: -1 | 1,
  { data, width }: Shown,
): number {
  const height = word.bottom - word.top;
  const [top, bottom] = [pixels(word.top + 0.25 * height), pixels(word.bottom + 0.15 * height)];
  const hasInk = (column: number): boolean => {
    for (let row = top; row < bottom; row++)
      if ((data[row * width + column] ?? 255) < DARK) return true;
    return false;
  };
  const margin = pixels(MARGIN * height);
  const stop = next === undefined ? undefined : pixels(middleOf(next));
  let [found, widest, last] = [0, 0, pixels(middleOf(word))];
  for (let column = last; column !== stop; column += side) {
    const gap = Math.abs(column - last);
    if (stop === undefined && gap > margin) return last;
    if (!hasInk(column)) continue;
    if (gap > widest) [found, widest] = [last, gap];
    last = column;
  }
  return stop !== undefined && Math.abs(stop - last) > widest ? last : found;
}

/** How far a word's box extends beyond its ink on the left and on the right, in mm. */
function overhang(word: PlacedWord, page: Shown): readonly [number, number] {
  const first = inkEnd(word, beside(word, page.words, -1), -1, page);
  const last = inkEnd(word, beside(word, page.words, 1), 1, page) + 1;
  const points = [(first * 72) / DPI - word.left, word.right - (last * 72) / DPI] as const;
  return [points[0] * MM_PER_POINT, points[1] * MM_PER_POINT];
}

for (const [name, [top, bottom]] of Object.entries(PAGES)) {
  for (const angle of [0, 3, 90, 180]) {
    test(`${name}, turned by ${angle}°: each word begins and ends with its ink`, async (bench) => {
      const { file, text } = shippedPage(name);
      const { width } = await sharp(file).metadata();
      const { data, info } = await sharp(file)
        .grayscale()
        .extract({ left: 0, top, width, height: bottom - top })
        .raw()
        .toBuffer({ resolveWithObject: true });
      const image = sharp(data, { raw: info }).rotate(angle, { background: 'white' });
      const { file: tiff } = await scanned(path.join(bench.directory, 'page.tif'), image);
      const { pdf } = await bench.recognize(tiff, { options: { rotate_pages: true } });
      const printed = text.split(/\s+/);
      const page = await shown(pdf, angle % 90);
      const words = page.words.filter((word) => printed.includes(word.text));
      assert.ok(words.length >= FEWEST, String(words.length));
      const off = words
        .map((word) => [word.text, ...overhang(word, page)] as const)
        .filter(([, ...ends]) => ends.some((mm) => Math.abs(mm) > TOLERANCE_MM));
      assert.equal(off, []);
    });
  }
}
