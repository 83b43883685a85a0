import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { shippedPage } from '../../../support/pages.ts';
import { assert, suite, within } from '../../../support/suite.ts';
import { imagesOf } from '../support/inspect-pdf.ts';
import { startBench, type Answer } from '../support/processor-bench.ts';
import { graySample, writeTiff, type TiffSample } from '../support/tiff-sample.ts';

/** A program that never ends would be ended by its time limit only after this. */
const ANSWER_MS = 50_000;

const test = suite('hostile TIFFs');

/** One for all tests: a start takes a second. */
const bench = await startBench({
  limits: { recognition: 10_000 },
  memoryBytes: 1024 * 1024 * 1024,
});

const gray = graySample(600, 400);

/** Posts a file; the processor must answer in time, leave nothing, and serve the next request. */
async function post(content: Buffer | TiffSample, query = 'rotate_pages=false'): Promise<Answer> {
  const file = path.join(bench.directory, 'hostile.tif');
  if (Buffer.isBuffer(content)) await writeFile(file, content);
  else await writeTiff(file, content);
  const answer = await within(ANSWER_MS, bench.postPage(file, query), 'the answer');
  await bench.emptied();
  return answer;
}

/** A TIFF in which a tag (SHORT or LONG, one value) is another than it should be. */
async function withTag(tag: number, value: number): Promise<Buffer> {
  const file = path.join(bench.directory, 'whole.tif');
  await writeTiff(file, gray);
  const bytes = await readFile(file);
  const start = bytes.readUInt32LE(4);
  for (let entry = start + 2; ; entry += 12) {
    if (bytes.readUInt16LE(entry) !== tag) continue;
    bytes.writeUInt16LE(4, entry + 2);
    bytes.writeUInt32LE(value, entry + 8);
    return bytes;
  }
}

const NO_IMAGES: Readonly<Record<string, Buffer>> = {
  'no byte': Buffer.alloc(0),
  'one byte': Buffer.from('I'),
  'a header only': Buffer.from('II*\0\x08\0\0\0', 'latin1'),
  'a header that points beyond the end': Buffer.from('II*\0\xFF\xFF\xFF\x7F', 'latin1'),
  'a header that points at itself': Buffer.from('II*\0\0\0\0\0\0\0\0\0', 'latin1'),
  'a PDF': Buffer.from('%PDF-1.7\n%%EOF\n'),
  'a JPEG': readFileSync(shippedPage('receipt').file),
  PostScript: Buffer.from('%!PS\n(/etc/passwd) run\n'),
  'random bytes': Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 7919 + 13) % 256)),
  'a list of file names': Buffer.from('/etc/hostname\n/etc/passwd\n'),
};

/** That an answer is a refusal with this code. */
function assertRefused(answer: Answer, code: string, what = answer.message): void {
  assert.equal([answer.status, answer.error], [422, code], what);
}

for (const [what, content] of Object.entries(NO_IMAGES)) {
  test(`${what} is unreadable_page`, async () => {
    assertRefused(await post(content), 'unreadable_page');
  });
}

const REFUSED = /^422 (?:unreadable_page|page_too_large)$/;

/** Tags with which the file says something else than what it holds. */
const LIES: readonly (readonly [string, number, number])[] = [
  ['no width', 256, 0],
  ['35,000 pixels of width', 256, 35_000],
  ['4 thousand million pixels of width', 256, 0xff_ff_ff_ff],
  ['a greater height', 257, 100_000],
  ['64 bits a sample', 258, 64],
  ['a compression that nobody knows', 259, 54_321],
  ['JPEG compression where there is none', 259, 7],
  ['Deflate compression where there is none', 259, 8],
  ['LZW compression where there is none', 259, 5],
  ['a strip beyond the end', 273, 0x7f_ff_ff_f0],
  ['a strip that is the header', 273, 0],
  ['a strip of no bytes', 279, 0],
  ['a strip of 4 thousand million bytes', 279, 0xff_ff_ff_ff],
  ['no row in a strip', 278, 0],
  ['200 samples a pixel', 277, 200],
];

for (const [what, tag, value] of LIES) {
  test(`a header that tells of ${what} gives a page or a refusal`, async () => {
    const answer = await post(await withTag(tag, value));
    if (answer.status === 200) assert.ok((await imagesOf(answer.file)).length === 1);
    else assert.match(`${answer.status} ${answer.error}`, REFUSED, answer.message);
  });
}

test('35,000 × 35,000 pixels are refused, and take no memory', async () => {
  const answer = await post({ ...gray, width: 35_000, height: 35_000 });
  assertRefused(answer, 'page_too_large');
  assert.match(answer.message, /lower resolution.*needs \d+ MB, there are 1024 MB/);
});

test('a small file that unpacks to a wall is refused', async () => {
  const wall = sharp({
    create: { width: 18_000, height: 17_000, channels: 3, background: 'white' },
    limitInputPixels: false,
  });
  const bomb = await wall
    .toColourspace('b-w')
    .tiff({ compression: 'ccittfax4', bitdepth: 1 })
    .toBuffer();
  assert.ok(bomb.length < 1_000_000);
  assertRefused(await post(bomb), 'page_too_large');
});

test('a small file does not grow by uneven resolutions', async () => {
  // As the finer way, this would be 600 x 160 = 96,000 times 160 pixels.
  const answer = await post({ ...gray, dpi: [30, 4800] });
  assert.is(answer.status, 200, answer.message);
  const [image] = await imagesOf(answer.file);
  assert.equal([image?.width, image?.height], [600, 400]);
  // A fax is uneven, and becomes even only where there is room for it.
  const [width, height] = [12_000, 8000];
  const fax = { ...gray, width, height, pixels: Buffer.alloc((width * height) / 8), bits: [1] };
  assertRefused(await post({ ...fax, dpi: [1200, 300] }), 'page_too_large');
});

test('a resolution of 0/0 or 1/0 is as good as none', async () => {
  const file = path.join(bench.directory, 'ratio.tif');
  await writeTiff(file, { ...gray, dpi: [123.45, 123.45] });
  const bytes = await readFile(file);
  const ratio = Buffer.from(new Uint32Array([12_345, 100]).buffer);
  for (const numerator of [0, 1]) {
    const other = Buffer.from(bytes);
    for (let at = other.indexOf(ratio); at >= 0; at = other.indexOf(ratio, at)) {
      other.writeUInt32LE(numerator, at);
      other.writeUInt32LE(0, at + 4);
    }
    const answer = await post(other);
    assert.is(answer.status, 200, answer.message);
    assert.is((await imagesOf(answer.file))[0]?.dpi, 300);
  }
});

test('a file that ends too early is unreadable_page, wherever it ends', async () => {
  const file = path.join(bench.directory, 'whole.tif');
  const raw = sharp(shippedPage('receipt').file).grayscale().toColourspace('b-w');
  for (const compression of ['none', 'lzw'] as const) {
    const image = raw.clone().extract({ left: 0, top: 0, width: 800, height: 400 });
    await image.tiff({ compression, xres: 12, yres: 12 }).toFile(file);
    const whole = await readFile(file);
    for (const share of [0.1, 0.5, 0.99]) {
      const answer = await post(whole.subarray(0, Math.floor(whole.length * share)));
      assertRefused(answer, 'unreadable_page', `${compression} ${share}`);
    }
  }
});

test('ends, and leaves nothing', () => bench.close());
