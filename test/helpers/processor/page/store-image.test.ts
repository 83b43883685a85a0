import { readFile, stat } from 'node:fs/promises';
import sharp, { type OverlayOptions } from 'sharp';
import { Failure } from '../../../../helpers/failure.ts';
import type { RecognizedPage } from '../../../../helpers/processor/page/recognize-page.ts';
import { outputOf } from '../../../support/programs.ts';
import { assert, rejection } from '../../../support/suite.ts';
import { recoveredShare, shippedPage } from '../../../support/pages.ts';
import { imagesOf, placedWords, textOf } from '../support/inspect-pdf.ts';
import { drawing, pageTests, pageTiff, recognized, scanned } from '../support/page-samples.ts';

const test = await pageTests('how the image of a page is stored');

const HEIGHT = 1200;

async function covered(directory: string, layer: OverlayOptions): Promise<string> {
  const { file } = await pageTiff(directory, 'letter-bank', { height: HEIGHT });
  const page = sharp(file).toColourspace('srgb').composite([layer]);
  return (await scanned(`${file}.tif`, page, { mode: 'colour' })).file;
}

async function encodingsOf(pdf: string): Promise<string[]> {
  return (await imagesOf(pdf)).map(({ encoding, dpi }) => `${encoding} ${dpi}`);
}

async function bytesOf(file: string): Promise<number> {
  return (await stat(file)).size;
}

test('lineart of a gray page is a tenth of its size', async ({ directory, recognize }) => {
  const stops = '<stop offset="0" stop-color="#888"/><stop offset="1" stop-color="#fff"/>';
  const shade = `<linearGradient id="a">${stops}</linearGradient><rect width="100%" height="100%" fill="url(#a)"/>`;
  const input = await drawing([2480, HEIGHT], '#fff', shade).png().toBuffer();
  const file = await covered(directory, { input, blend: 'multiply' });
  const gray = await recognize(file);
  const grayBytes = await bytesOf(gray.pdf);
  const { pdf, warnings, facts } = await recognize(file, { options: { lineart: true } });
  assert.equal(warnings, []);
  assert.equal(facts, gray.facts);
  assert.equal(await imagesOf(pdf), [
    { page: 1, width: 2480, height: HEIGHT, encoding: 'ccitt', dpi: 300 },
  ]);
  const bytes = await bytesOf(pdf);
  assert.ok(bytes < grayBytes / 4, `${bytes} of ${grayBytes}`);
  // Nearly all paper is white. If shade became black, it would cover a third of the page.
  const data = await sharp(`${directory}/bilevel.tif`).raw().toBuffer();
  const ink = data.filter((value) => value === 0).length / data.length;
  assert.ok(ink > 0.03 && ink < 0.09, String(ink));
});

test('white print stays readable in black and white, even on an area that becomes white', async ({
  directory,
  recognize,
}) => {
  const inkAround = async (text: string): Promise<number> => {
    const area = `<rect x="300" y="200" width="1500" height="300" fill="#bebebe"/>`;
    const print = `<text x="400" y="370" font-size="50" font-family="Nimbus Sans" fill="#fff">${text}</text>`;
    const image = drawing([2480, HEIGHT], '#f7f7f7', area + print);
    const { file } = await scanned(`${directory}/area${text.length}.tif`, image);
    await recognize(file, { options: { lineart: true, ocr: false } });
    const place = { left: 400, top: 335, width: 700, height: 40 };
    const data = await sharp(`${directory}/bilevel.tif`).extract(place).raw().toBuffer();
    return data.filter((value) => value === 0).length / data.length;
  };
  assert.is(await inkAround(''), 0);
  const ink = await inkAround('Members and guests are welcome');
  assert.ok(ink > 0.5 && ink < 0.9, String(ink));
});

test('a page of any size can be made lineart', async ({ directory, recognize }) => {
  // The page is processed in cells; the last ones also get the remaining pixels.
  const page = drawing([611, 610], '#f7f7f7', '<rect x="100" y="100" width="300" height="4"/>');
  const { file } = await scanned(`${directory}/odd.tif`, page);
  const { warnings, pdf } = await recognize(file, { options: { lineart: true, ocr: false } });
  assert.equal(warnings, []);
  assert.equal(await encodingsOf(pdf), ['ccitt 300']);
});

test('a page that cannot be made lineart stays gray', async ({ directory, workOn }) => {
  const { file } = await pageTiff(directory, 'invoice', { height: 300 });
  const failing = (error: Error, stop = new AbortController()): Promise<RecognizedPage> => {
    const options = { lineart: true, ocr: false };
    const { job, parts } = workOn(file, { options, signal: stop.signal });
    const { python } = parts.toolbox;
    const run: typeof python.run = (given, context) => {
      if (given.job !== 'binarize') return python.run(given, context);
      if (error.message === 'gone') stop.abort(error);
      return Promise.reject(error.message === 'gone' ? new Error('killed') : error);
    };
    const toolbox = { ...parts.toolbox, python: { ...python, run } };
    return recognized({ job, parts: { ...parts, toolbox } });
  };
  const { pdf, warnings } = await failing(new Error('broken'));
  assert.match(warnings.join(), /^making the page black and white failed: the page is as it was/);
  assert.is((await imagesOf(pdf ?? ''))[0]?.encoding, 'jpeg');
  for (const error of [new Failure('unreadable_page', 'damaged'), new Error('gone')]) {
    assert.is(await rejection(failing(error)), error);
  }
});

test('a page is compressed by JBIG2, or by CCITT if that fails', async ({
  directory,
  recognize,
  toolbox,
}) => {
  const { file } = await pageTiff(directory, 'invoice', { height: 200, bilevel: true });
  for (const [script, encoding] of [
    ['[ "$1" = -p ] && [ $# = 2 ] && echo a stream', 'jbig2'],
    ['echo half; exit 1', 'ccitt'],
    ['kill -SEGV $$', 'ccitt'],
    ['exec /nonexistent', 'ccitt'],
  ] as const) {
    await toolbox.replace({ jbig2: script });
    const { pdf } = await recognize(file, { jbig2: true, options: { ocr: false } });
    assert.is((await imagesOf(pdf))[0]?.encoding, encoding, script);
    const isWhole = (await readFile(pdf)).includes('stream\na stream\n\nendstream');
    assert.is(isWhole, encoding === 'jbig2');
  }
});

test('a black-and-white page loses nothing and is small', async ({ directory, recognize }) => {
  const { file } = await pageTiff(directory, 'invoice', { height: 900, bilevel: true });
  const { pdf, warnings } = await recognize(file);
  assert.equal(warnings, []);
  assert.equal(await imagesOf(pdf), [
    { page: 1, width: 2480, height: 900, encoding: 'ccitt', dpi: 300 },
  ]);
  assert.ok((await bytesOf(pdf)) < 40_000);
  assert.ok((await placedWords(pdf)).length > 20);
  await outputOf('pdfimages', ['-png', pdf, `${directory}/stored`]);
  const pixelsOf = (image: string): Promise<Buffer> =>
    sharp(image).toColourspace('b-w').raw().toBuffer();
  assert.ok((await pixelsOf(`${directory}/stored-000.png`)).equals(await pixelsOf(file)));
});

const LAYERS = ['jpeg 100', 'jpeg 25', 'ccitt 300'];

test('each level of optimize is readable, and higher ones are smaller', async ({
  directory,
  recognize,
}) => {
  const input = await drawing([900, 30], '#c00000', '').png().toBuffer();
  const file = await covered(directory, { input, left: 250, top: 960 });
  const sizes: number[] = [];
  for (const encodings of [['image 300'], ['jpeg 300'], ['jpeg 300'], LAYERS]) {
    const { pdf } = await recognize(file, { options: { optimize: sizes.length } });
    sizes.push(await bytesOf(pdf));
    assert.equal(await encodingsOf(pdf), encodings);
    const text = shippedPage('letter-bank').text.slice(0, 200);
    assert.ok(recoveredShare(text, await textOf(pdf)) > 0.9);
  }
  const falling = sizes.toSorted((a, b) => b - a);
  assert.equal(sizes, falling);
  const [, , jpeg = 0, layered = 0] = sizes;
  assert.ok(layered < jpeg / 3, sizes.join());
});

/** Random clouds of medium contrast, the same in every run; `offset` shifts their brightness. */
function photo(offset: number): string {
  const levels = `0.5 0 0 0 ${offset} 0 0.5 0 0 ${offset} 0 0 0.5 0 ${offset} 0 0 0 0 1`;
  return `<svg width="413" height="531"><filter id="clouds" x="0" y="0" width="100%" height="100%"><feTurbulence type="fractalNoise" baseFrequency="0.02" numOctaves="4"/><feColorMatrix values="${levels}"/></filter><rect width="100%" height="100%" filter="url(#clouds)"/></svg>`;
}

const STAMP =
  '<svg width="800" height="300"><rect x="20" y="20" width="760" height="260" fill="none" stroke="#c8202c" stroke-width="26"/><rect x="150" y="120" width="500" height="60" fill="#c8202c"/></svg>';
const COFFEE =
  '<svg width="900" height="900"><circle cx="450" cy="450" r="420" fill="#e2cdb4" stroke="#b98a5a" stroke-width="36"/></svg>';
const STAINED = { left: 500, top: 250, blend: 'multiply' } as const;
const PHOTO = { left: 1800, top: 500 };
/** By what covers the page: its layers. Stains need a finer paper layer; photos, a single image. */
const COVERED: Readonly<Record<string, readonly [string, Partial<OverlayOptions>, string[]]>> = {
  'a red stamp across its text': [STAMP, STAINED, ['jpeg 150', 'jpeg 25', 'ccitt 300']],
  'a ring of coffee': [COFFEE, STAINED, ['jpeg 150', 'jpeg 25', 'ccitt 300']],
  'a dark photo': [photo(-0.1), PHOTO, ['jpeg 300']],
  'a pale photo': [photo(0.4), PHOTO, ['jpeg 300']],
};
for (const [what, [svg, place, encodings]] of Object.entries(COVERED)) {
  test(`optimize 3 stores a page with ${what} as ${encodings.join()}`, async (bench) => {
    const file = await covered(bench.directory, { input: Buffer.from(svg), ...place });
    const { pdf } = await bench.recognize(file, { options: { optimize: 3, ocr: false } });
    assert.equal(await encodingsOf(pdf), encodings);
  });
}

test('a lineart or an empty page has no layers', async ({ directory, recognize }) => {
  const options = { optimize: 3, ocr: false };
  const { file } = await pageTiff(directory, 'invoice', { height: 500, bilevel: true });
  const bilevel = await recognize(file, { options: { ...options, lineart: true } });
  assert.equal(await encodingsOf(bilevel.pdf), ['ccitt 300']);
  const blank = await pageTiff(directory, 'blank-back-plain', { height: 500 });
  assert.equal(await encodingsOf((await recognize(blank.file, { options })).pdf), ['jpeg 300']);
});

test('without OCR there is an image, and Tesseract does not run', async ({
  directory,
  recognize,
  toolbox,
}) => {
  const { file } = await pageTiff(directory, 'invoice', { height: 300 });
  await toolbox.replace({ tesseract: 'exit 1' });
  const options = { ocr: false, rotate_pages: true };
  const { pdf, warnings, facts } = await recognize(file, { options });
  assert.equal(warnings, []);
  assert.equal([facts.words, facts.confidence, facts.turned], [0, null, 0]);
  assert.is((await textOf(pdf)).trim(), '');
});
