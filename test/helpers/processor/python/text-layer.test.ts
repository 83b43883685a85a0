import path from 'node:path';
import { recognizeText } from '../../../../helpers/processor/page/tesseract.ts';
import { STILL, type Motion } from '../../../../helpers/processor/page/motion.ts';
import { outputOf } from '../../../support/programs.ts';
import { assert, withFixture } from '../../../support/suite.ts';
import { placedWords, type PlacedWord } from '../support/inspect-pdf.ts';
import { composed, jobContext, keptToolbox } from '../support/job-context.ts';
import { pageTiff } from '../support/page-samples.ts';

const PYTHON_DIR = path.resolve(import.meta.dirname, '../../../../helpers/processor/python');

/** Prints the text layer of lines that were found on an image of 300 dpi. */
const SCRIPT = `
import json, sys
sys.path.insert(0, sys.argv[1])
from text_layer import text_layer
lines, motion, height = json.loads(sys.argv[2])
print(text_layer(lines, 300, motion, 300, height).decode())
`;

type Place = readonly [x: number, y: number];

interface Line {
  readonly baseLine: readonly [Place, Place];
  readonly height?: number;
  readonly words: readonly {
    text: string;
    baseLine: readonly [Place, Place];
    leftwards?: boolean;
  }[];
}

interface Shown {
  /** What is before TJ: the matrix, the size and the stretch. */
  readonly placed: string;
  readonly text: string;
}

/** The words of a text layer on an image of 3600 rows, which are 864 points. */
async function shown(lines: readonly Line[], motion: Motion = STILL): Promise<Shown[]> {
  const found = lines.map((line) => ({
    sideways: false,
    base_line: line.baseLine,
    height: line.height ?? 50,
    words: line.words.map(({ text, baseLine, leftwards = false }) => {
      return [text, 90, 0, 0, 0, 0, baseLine, leftwards];
    }),
  }));
  const given = JSON.stringify([found, motion, 3600]);
  const args = ['-B', '-c', SCRIPT, PYTHON_DIR, given];
  const content = await outputOf('/usr/bin/python3', args);
  const words = content.matchAll(/^(?<placed>.*) \[ <(?<digits>[0-9A-F]*)> \] TJ$/gm);
  return [...words].map(({ groups = {} }) => ({
    placed: groups['placed'] ?? '',
    text: Buffer.from(groups['digits'] ?? '', 'hex')
      .swap16()
      .toString('utf16le'),
  }));
}

const tools = keptToolbox();
const test = withFixture('the text of a page', async (directory) => ({
  directory,
  context: await jobContext(directory, { toolbox: tools }),
}));
test.after(() => tools.close());

const LEVEL = [
  [300, 300],
  [1300, 300],
] as const;

test('its letters are composed, and it has mu in Greek words and the sign for a millionth elsewhere', async () => {
  const texts = ['\u00b5\u03b5\u0301\u03c4\u03c1\u03bf', 'u\u0308ber', '5\u00b5m'];
  const words = texts.map((text) => ({ text, baseLine: LEVEL }));
  const found = await shown([{ baseLine: LEVEL, words }]);
  assert.equal(
    found.map(({ text }) => text),
    ['\u03bc\u03ad\u03c4\u03c1\u03bf ', '\u00fcber ', '5\u00b5m '],
  );
});

test('a word and the space after it are as wide as the word is printed, on the base line of its line, which is level where it nearly is', async () => {
  const words = [
    {
      text: 'words',
      baseLine: [
        [300, 301],
        [700, 301],
      ] as const,
    },
    { text: '', baseLine: LEVEL },
    {
      text: 'I',
      baseLine: [
        [800, 300],
        [800, 300],
      ] as const,
    },
  ];
  const nearly = {
    baseLine: [
      [300, 302],
      [1300, 298],
    ] as const,
    words,
  };
  // 400 pixels are 96 points; six characters of 12 points are 36.
  assert.equal(await shown([nearly]), [
    { placed: '1 0 0 1 72.00 792.00 Tm /f-0-0 12 Tf 266.7 Tz', text: 'words ' },
  ]);
  const rises = {
    ...nearly,
    baseLine: [
      [300, 310],
      [1300, 290],
    ] as const,
  };
  const [word] = await shown([rises]);
  assert.match(word?.placed ?? '', /^1 0 0 1 72\.\d+ 790\.\d+ Tm/);
  const [unknown] = await shown([{ ...nearly, height: 0 }]);
  assert.match(unknown?.placed ?? '', / \/f-0-0 8 Tf 400\.0 Tz$/);
});

test('a word that is read leftwards is mirrored, and begins at its right', async () => {
  const words = [{ text: '\u05e9\u05dc\u05d5\u05dd', baseLine: LEVEL, leftwards: true }];
  assert.equal(await shown([{ baseLine: LEVEL, words }]), [
    {
      placed: '-1 0 0 1 312.00 792.00 Tm /f-0-0 12 Tf 800.0 Tz',
      text: '\u05e9\u05dc\u05d5\u05dd ',
    },
  ]);
});

test('words that run up or down the page do so on the page, and turn with it', async () => {
  const [up, down] = [
    [
      [300, 1300],
      [300, 300],
    ],
    [
      [600, 300],
      [600, 1300],
    ],
  ] as const;
  const lines = [up, down].map((baseLine) => ({ baseLine, words: [{ text: 'word', baseLine }] }));
  const found = (await shown(lines)).map(({ placed }) => placed.replace(/ Tm.*/, ''));
  assert.equal(found, ['0 1 -1 0 72.00 552.00', '0 -1 1 0 144.00 792.00']);
  // A page of 3600 × 3600 pixels, turned clockwise.
  const turned = await shown(lines, [0, 1, -1, 0, 3600, 0]);
  assert.equal(
    turned.map(({ placed }) => placed.replace(/ Tm.*/, '')),
    ['1 0 0 1 552.00 792.00', '-1 0 0 -1 792.00 720.00'],
  );
});

test('a page that is askew has its words along the rows', async () => {
  const words = [{ text: 'word', baseLine: LEVEL }];
  const [cosine, sine] = [Math.cos(0.1), Math.sin(0.1)];
  const [word] = await shown([{ baseLine: LEVEL, words }], [cosine, sine, -sine, cosine, 0, 0]);
  // Its middle, (800, 300), is then at (766, 378).
  assert.match(word?.placed ?? '', /^1 0 0 1 63\.85 773\.19 Tm /);
});

/** Tesseract rounds the height of a page, and has all words of a block rise as its first line does. */
const TOLERANCE_POINTS = 0.5;

/** How far a word begins, and its sides are, from those of another, in points. How long it is differs between versions of Tesseract. */
function apart(one: PlacedWord, other: PlacedWord, turned: number): number {
  const edges =
    turned === 0 ? (['left', 'top', 'bottom'] as const) : (['left', 'top', 'right'] as const);
  return Math.max(...edges.map((edge) => Math.abs(one[edge] - other[edge])));
}

for (const [name, turned] of [
  ['letter-landlord', 0],
  ['invoice', 0],
  ['invoice', 90],
] as const) {
  test(`the words of ${name}, turned by ${turned}°, are where Tesseract's own PDF has them`, async ({
    directory,
    context,
  }) => {
    const image = await pageTiff(directory, name, { height: 900, turned });
    const recognition = await recognizeText(image, ['eng'], context);
    assert.ok(recognition.ok);
    const text = recognition.ok ? recognition.text : null;
    const ours = await placedWords(await composed({ tiff: image.file, text }, context));
    const args = [image.file, 'theirs', '-l', 'eng', '--dpi', '300', '--psm', '3', 'pdf'];
    const env = { OMP_THREAD_LIMIT: '1' };
    await outputOf('/usr/bin/tesseract', args, { cwd: directory, env });
    const theirs = await placedWords(path.join(directory, 'theirs.pdf'));
    assert.ok(ours.length > 20, String(ours.length));
    assert.equal(
      ours.map((word) => word.text),
      theirs.map((word) => word.text),
    );
    const off = theirs.filter(
      (word, at) => apart(word, ours[at] ?? word, turned) > TOLERANCE_POINTS,
    );
    assert.equal(off, []);
  });
}
