/** Positions of words in the text layer, compared with Tesseract's own PDF and on skewed pages. */
import path from 'node:path';
import sharp from 'sharp';
import { plainReading } from '../../../../helpers/processor/page/reading.ts';
import { recognizeText } from '../../../../helpers/processor/page/tesseract.ts';
import { STILL, type AffineMap } from '../../../../helpers/processor/page/motion.ts';
import type { PageImage } from '../../../../helpers/processor/page/plain-tiff.ts';
import { outputOf } from '../../../support/programs.ts';
import { assert, temporaryDirectory } from '../../../support/suite.ts';
import { imagesOf, placedWords, type PlacedWord } from '../support/inspect-pdf.ts';
import { composed, jobContext } from '../support/job-context.ts';
import { drawing, pageTests, pageTiff, scanned } from '../support/page-samples.ts';

const test = await pageTests('positions of words');

const PYTHON_DIR = path.resolve(import.meta.dirname, '../../../../helpers/processor/python');

const SCRIPT = `
import json, sys
sys.path.insert(0, sys.argv[1])
from text_layer import text_layer
lines, motion, height = json.loads(sys.argv[2])
print(text_layer(lines, 300, motion, 300, height).decode())
`;

type BaseLine = readonly (readonly [x: number, y: number])[];

const from = (x: number, y: number, toX: number, toY: number): BaseLine => [
  [x, y],
  [toX, toY],
];

interface Line {
  readonly baseLine: BaseLine;
  readonly height?: number;
  readonly words: readonly { text: string; baseLine: BaseLine; leftwards?: boolean }[];
}

interface Shown {
  /** The operators before TJ: matrix, font size and horizontal scaling. */
  readonly placed: string;
  readonly text: string;
}

/** The text layer for an image of 3600 rows, which is 864 points. */
async function textLayerOf(lines: readonly Line[], motion: AffineMap = STILL): Promise<string> {
  const found = lines.map((line) => ({
    sideways: false,
    base_line: line.baseLine,
    height: line.height ?? 50,
    words: line.words.map(({ text, baseLine, leftwards = false }) => {
      return [text, 90, 0, 0, 0, 0, baseLine, leftwards];
    }),
  }));
  const given = JSON.stringify([found, motion, 3600]);
  return outputOf('/usr/bin/python3', ['-B', '-c', SCRIPT, PYTHON_DIR, given]);
}

const decoded = (digits: string): string => Buffer.from(digits, 'hex').swap16().toString('utf16le');

async function shown(lines: readonly Line[], motion?: AffineMap): Promise<Shown[]> {
  const content = await textLayerOf(lines, motion);
  const words = content.matchAll(/^(?<placed>.*) \[ <(?<digits>[0-9A-F]*)> \] TJ$/gm);
  return [...words].map(({ groups = {} }) => ({
    placed: groups['placed'] ?? '',
    text: decoded(groups['digits'] ?? ''),
  }));
}

const LEVEL = from(300, 300, 1300, 300);

test('letters are composed, with mu in Greek words and the sign for a millionth elsewhere', async () => {
  const texts = ['\u00b5\u03b5\u0301\u03c4\u03c1\u03bf', 'u\u0308ber', '5\u00b5m'];
  const words = texts.map((text) => ({ text, baseLine: LEVEL }));
  const found = (await shown([{ baseLine: LEVEL, words }])).map(({ text }) => text);
  assert.equal(found, ['\u03bc\u03ad\u03c4\u03c1\u03bf ', '\u00fcber ', '5\u00b5m ']);
});

test('a word has its printed width and stands on its base line, which is levelled if nearly horizontal', async () => {
  const words = [
    { text: 'words', baseLine: from(300, 301, 700, 301) },
    { text: '', baseLine: LEVEL },
    { text: 'I', baseLine: from(800, 300, 800, 300) },
  ];
  const nearly = { baseLine: from(300, 302, 1300, 298), words };
  // 400 pixels are 96 points; five characters of 12 points are 30. The space comes after them.
  assert.equal(await shown([nearly]), [
    { placed: '1 0 0 1 72.00 792.00 Tm /f-0-0 12 Tf 320.0 Tz', text: 'words ' },
  ]);
  const [word] = await shown([{ ...nearly, baseLine: from(300, 310, 1300, 290) }]);
  assert.match(word?.placed ?? '', /^1 0 0 1 72\.\d+ 790\.\d+ Tm/);
  const [unknown] = await shown([{ ...nearly, height: 0 }]);
  assert.match(unknown?.placed ?? '', / \/f-0-0 8 Tf 480\.0 Tz$/);
});

test('a word ends before the next one, unless a sign follows', async () => {
  const ends = async (next: string): Promise<string> => {
    const words = [
      { text: 'how', baseLine: from(300, 300, 400, 300) },
      { text: next, baseLine: from(396, 300, 500, 300) },
    ];
    return (await shown([{ baseLine: LEVEL, words }]))[0]?.placed ?? '';
  };
  // 90 pixels are 21.6 points, and 100 are 24; three letters of 12 points are 18.
  assert.match(await ends('an'), / 120\.0 Tz$/);
  assert.match(await ends('@an'), / 133\.3 Tz$/);
});

/** A column's last word and the first of the next column. Returns the texts that replace words. */
async function replaced(last: string, first: string, nextAt: BaseLine): Promise<string[]> {
  const line = (text: string, baseLine: BaseLine): Line => ({
    baseLine,
    words: [
      { text: 'word', baseLine },
      { text, baseLine },
    ],
  });
  const next = { baseLine: nextAt, words: [{ text: first, baseLine: nextAt }] };
  const content = await textLayerOf([line(last, from(300, 3000, 1100, 3000)), next]);
  const spans = content.matchAll(/^\/Span <<\/ActualText <FEFF(?<digits>[0-9A-F]*)>>> BDC$/gm);
  return [...spans].map(({ groups = {} }) => decoded(groups['digits'] ?? ''));
}

const NEXT_COLUMN = from(1300, 400, 2100, 400);

test('a word that is split between two columns is whole', async () => {
  assert.equal(await replaced('mo-', 'ment.', NEXT_COLUMN), ['moment.', '']);
});

for (const [what, last, first, nextAt] of [
  ['on the next line', 'mo-', 'ment', from(300, 3060, 1100, 3060)],
  ['beside it', 'mo-', 'ment', from(1300, 2980, 2100, 2980)],
  ['before a name', 'anti-', 'American', NEXT_COLUMN],
  ['with a suspended hyphen', 'Haus-', 'und', NEXT_COLUMN],
  ['with digits', '12-', 'mal', NEXT_COLUMN],
  ['without a hyphen', 'moment', 'mal', NEXT_COLUMN],
] as const) {
  test(`a word ${what} stays as it is`, async () => {
    assert.equal(await replaced(last, first, nextAt), []);
  });
}

test('PDF readers find a word that is split between two columns', async (bench) => {
  const columns = [
    [
      'The committee discussed the plan for the',
      'new garden and decided that the work may',
      'begin in the spring of next year when the',
      'weather allows it. Several neighbours have',
      'offered to help with the fence, and the town',
      'will pay for the trees. It was not a good mo-',
    ],
    [
      'ment to speak about the costs of the bridge',
      'because the figures had not arrived from the',
      'engineer. They will be presented at the next',
      'meeting on the fourth of October, together',
      'with drawings of the new path that leads from',
      'the station to the market square.',
    ],
  ];
  const text = columns.flatMap((lines, column) =>
    lines.map(
      (line, row) => `<text x="${200 + column * 1130}" y="${300 + row * 52}">${line}</text>`,
    ),
  );
  const style = 'font-family="DejaVu Serif" font-size="42"';
  const page = drawing([2480, 700], 'white', `<g ${style}>${text.join('')}</g>`);
  const { file } = await scanned(path.join(bench.directory, 'columns.tif'), page);
  const { pdf } = await bench.recognize(file);
  for (const mode of [[], ['-layout']]) {
    const read = await outputOf('pdftotext', [...mode, pdf, '-']);
    assert.ok(read.includes('not a good moment'), read);
    assert.not.match(read, /\bment\b/);
  }
});

test('a right-to-left word is mirrored, and begins at its right', async () => {
  const words = [{ text: '\u05e9\u05dc\u05d5\u05dd', baseLine: LEVEL, leftwards: true }];
  const placed = '-1 0 0 1 312.00 792.00 Tm /f-0-0 12 Tf 1000.0 Tz';
  assert.equal(await shown([{ baseLine: LEVEL, words }]), [
    { placed, text: '\u05e9\u05dc\u05d5\u05dd ' },
  ]);
});

test('vertical words are vertical in the text layer, and turn with the page', async () => {
  const lines = [from(300, 1300, 300, 300), from(600, 300, 600, 1300)].map((baseLine) => ({
    baseLine,
    words: [{ text: 'word', baseLine }],
  }));
  const placed = async (motion?: AffineMap): Promise<string[]> =>
    (await shown(lines, motion)).map((word) => word.placed.replace(/ Tm.*/, ''));
  assert.equal(await placed(), ['0 1 -1 0 72.00 552.00', '0 -1 1 0 144.00 792.00']);
  // A page of 3600 × 3600 pixels, turned clockwise.
  const clockwise = await placed([0, 1, -1, 0, 3600, 0]);
  assert.equal(clockwise, ['1 0 0 1 552.00 792.00', '-1 0 0 -1 792.00 720.00']);
});

test('a skewed page has its words along the rows', async () => {
  const words = [{ text: 'word', baseLine: LEVEL }];
  const [cosine, sine] = [Math.cos(0.1), Math.sin(0.1)];
  const [word] = await shown([{ baseLine: LEVEL, words }], [cosine, sine, -sine, cosine, 0, 0]);
  // The centre (800, 300) moves to (766, 378), and 995 of the 1000 pixels of width remain along the
  // rows.
  assert.match(word?.placed ?? '', /^1 0 0 1 64\.45 773\.19 Tm /);
});

async function theirs({ file }: PageImage): Promise<PlacedWord[]> {
  const args = [file, file, '-l', 'eng', '--dpi', '300', '--psm', '3', 'pdf'];
  await outputOf('/usr/bin/tesseract', args, { env: { OMP_THREAD_LIMIT: '1' } });
  const version = await outputOf('/usr/bin/tesseract', ['--version']);
  if (NARROW_WORDS.test(version)) await outputOf('/usr/bin/python3', ['-c', WIDEN, `${file}.pdf`]);
  return placedWords(`${file}.pdf`);
}

/** This version includes the following space in a word's width (tesseract-ocr/tesseract#2879). */
const NARROW_WORDS = /^tesseract 5\.3\.0$/m;

/** Removes the space from the width of words, as later versions of Tesseract do. */
const WIDEN = String.raw`
import re, sys
from pikepdf import Pdf

def widened(word):
    stretch, letters = float(word[1]), len(word[2]) // 4
    return b"%.3f Tz [ <%s0020> ]" % (stretch * (letters + 1) / letters, word[2])

with Pdf.open(sys.argv[1], allow_overwriting_input=True) as pdf:
    for page in pdf.pages:
        text = page.Contents.read_bytes()
        page.Contents = pdf.make_stream(re.sub(rb"([\d.]+) Tz \[ <([0-9A-F]+)0020> \]", widened, text))
    pdf.save()
`;

const shared = await temporaryDirectory();
test.after(() => shared.remove());
const straight = await pageTiff(shared.path, 'letter-landlord', { height: 1300 });
const sideways = await pageTiff(shared.path, 'invoice', { height: 710, turned: 90 });
const printed = await theirs(straight);

/** Tolerance: Tesseract rounds page heights, and slopes all lines of a block like the first one. */
const ROUNDED_POINTS = 0.5;

const TOLERANCE_POINTS = 1.4;

/** The edges along a word, by the direction of its line. `ENDS` are the edges across it. */
const SIDES = { upright: ['top', 'bottom'], sideways: ['left', 'right'] } as const;
const ENDS = { upright: ['left', 'right'], sideways: ['top', 'bottom'] } as const;

/** The tolerance is larger at the ends: our boxes include all ink; Tesseract's cut some off. */
function areTogether(one: PlacedWord, other: PlacedWord, way: 'upright' | 'sideways'): boolean {
  const isNear = (points: number) => (edge: 'left' | 'top' | 'right' | 'bottom') =>
    Math.abs(one[edge] - other[edge]) <= points;
  return SIDES[way].every(isNear(ROUNDED_POINTS)) && ENDS[way].every(isNear(TOLERANCE_POINTS));
}

for (const [way, image] of [
  ['upright', straight],
  ['sideways', sideways],
] as const) {
  test(`the words of a page that lies ${way} are where Tesseract's own PDF has them`, async (bench) => {
    const context = jobContext(bench.directory, bench.toolbox);
    const recognition = await recognizeText(plainReading(image), ['eng'], context);
    assert.ok(recognition.ok);
    const text = recognition.ok ? recognition.text : null;
    const ours = await placedWords(await composed({ tiff: image.file, text }, context));
    const expected = way === 'upright' ? printed : await theirs(image);
    assert.ok(ours.length > 20, String(ours.length));
    // pdftotext sorts words by position, and positions may differ slightly.
    const texts = (words: readonly PlacedWord[]): string[] =>
      words.map((word) => word.text).toSorted();
    assert.equal(texts(ours), texts(expected));
    const off = expected.filter(
      (word) => !ours.some((other) => other.text === word.text && areTogether(other, word, way)),
    );
    // Tesseract splits "office@…" into two words and ends the first within the @.
    const known = way === 'upright' ? ['office'] : [];
    assert.equal(
      off.map((word) => word.text),
      known,
    );
  });
}

const POINTS_PER_PIXEL = 72 / 300;

function middles(words: readonly PlacedWord[]): Map<string, readonly [number, number]> {
  const long = words.filter(({ text }) => text.length > 3);
  const once = long.filter(({ text }) => long.filter((other) => other.text === text).length === 1);
  return new Map(
    once.map(({ text, left, right, top, bottom }) => [
      text,
      [(left + right) / 2, (top + bottom) / 2],
    ]),
  );
}

function middleOf({ width, height }: PageImage): readonly [number, number] {
  return [(width * POINTS_PER_PIXEL) / 2, (height * POINTS_PER_PIXEL) / 2];
}

/**
 * Text is recognized on a straightened image but placed on the scanned page. Compares words that
 * occur once with the straight page, rotated by calculation.
 */
for (const [angle, deskew] of [
  [0, false],
  [0.4, false],
  [-5, false],
  [10, false],
  [90, false],
  [180, false],
  [270, false],
  [-0.4, true],
  [5, true],
  [-10, true],
] as const) {
  const stored = deskew ? ', straightened,' : '';
  test(`a page that is turned by ${angle}°${stored} has each word where it is printed`, async (bench) => {
    const image = sharp(straight.file).rotate(angle, { background: 'white' });
    const turned = await scanned(path.join(bench.directory, 'turned.tif'), image);
    const options = { rotate_pages: true, deskew };
    const { pdf, facts } = await bench.recognize(turned.file, { options });
    const lies = angle % 90 === 0;
    if (lies) assert.is(facts.turned, (360 - angle) % 360);
    // On a page that was turned or straightened, words have the same places relative to the centre
    // as on the straight page.
    const left = lies || deskew ? 0 : angle;
    const radians = (left * Math.PI) / 180;
    const [sine, cosine] = [Math.sin(radians), Math.cos(radians)];
    const expected = middles(printed);
    const found = [...middles(await placedWords(pdf))].filter(([text]) => expected.has(text));
    const after = lies ? straight : turned;
    const [kept] = await imagesOf(pdf);
    assert.equal([kept?.width, kept?.height], [after.width, after.height]);
    const [[fromX, fromY], [toX, toY]] = [middleOf(straight), middleOf(after)];
    const off = found.filter(([text, [x, y]]) => {
      const [u, v] = expected.get(text) ?? [0, 0];
      const [across, down] = [u - fromX, v - fromY];
      const [right, below] = [cosine * across - sine * down, sine * across + cosine * down];
      return Math.hypot(x - (toX + right), y - (toY + below)) > TOLERANCE_POINTS;
    });
    const counted = `${off.length} of ${found.length} of ${expected.size}`;
    assert.ok(found.length > expected.size * 0.9, counted);
    assert.ok(off.length <= 1, `${counted}: ${JSON.stringify(off.slice(0, 5))}`);
  });
}

/**
 * Skips words above this many points: Tesseract finds a varying height for the spaced letters of
 * the letterhead.
 */
const LETTERHEAD_POINTS = 95;

for (const scale of [0.4, 0.5, 0.75, 1.25, 1.5]) {
  test(`a page that is read at ${scale} of its resolution has its words where they are printed`, async (bench) => {
    const size = [straight.width, straight.height].map((side) => Math.round(side * scale));
    const image = sharp(straight.file).resize(size[0], size[1], { fit: 'fill' });
    const dpi = Math.round(straight.dpi * scale);
    const { file } = await scanned(path.join(bench.directory, 'scaled.tif'), image, { dpi });
    const context = jobContext(bench.directory, bench.toolbox);
    const reading = { ...plainReading({ ...straight, file }), dpi };
    const recognition = await recognizeText(reading, ['eng'], context);
    assert.ok(recognition.ok);
    const text = recognition.ok ? recognition.text : null;
    const ours = await placedWords(await composed({ tiff: straight.file, text }, context));
    const body = printed.filter(({ top }) => top > LETTERHEAD_POINTS);
    const found = body.filter((word) => ours.some((other) => other.text === word.text));
    assert.ok(found.length > body.length * 0.9, `${found.length} of ${body.length}`);
    const isNear = (one: PlacedWord, other: PlacedWord): boolean =>
      (['left', 'right', 'bottom'] as const).every(
        (edge) => Math.abs(one[edge] - other[edge]) <= TOLERANCE_POINTS,
      );
    const off = found.filter(
      (word) => !ours.some((other) => other.text === word.text && isNear(other, word)),
    );
    assert.equal(off, []);
  });
}
