import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import {
  makeClearImage,
  prepareImage,
  turnImage,
} from '../../../../helpers/processor/page/image-jobs.ts';
import { openPage } from '../../../../helpers/processor/page/open-page.ts';
import type { PageState } from '../../../../helpers/processor/page/page-work.ts';
import type { JobContext } from '../../../../helpers/processor/tools/toolbox.ts';
import { outputOf } from '../../../support/programs.ts';
import { brokenWorker } from '../support/broken-worker.ts';
import { REAL_PATH } from '../support/fake-programs.ts';
import { imagesOf } from '../support/inspect-pdf.ts';
import { composed, jobContext, toolboxAt } from '../support/job-context.ts';
import { pageTests, type PageBench } from '../support/page-samples.ts';
import { graySample, writeTiff, type TiffSample } from '../support/tiff-sample.ts';
import { assert, failure } from '../../../support/suite.ts';

const test = await pageTests('opening a page');

const scannedIn = (directory: string): string => path.join(directory, 'scanned.tif');

async function open({ directory, workOn }: PageBench, sample: TiffSample): Promise<PageState> {
  await writeTiff(scannedIn(directory), sample);
  return openPage(workOn(scannedIn(directory)));
}

async function openCompressed(
  { directory, workOn }: PageBench,
  sample: TiffSample,
  orientation: number,
): Promise<PageState> {
  const { file } = await writeTiff(path.join(directory, 'plain.tif'), sample);
  const image = sharp(file, { autoOrient: false }).withMetadata({ orientation });
  await image.tiff({ compression: 'lzw' }).toFile(scannedIn(directory));
  return openPage(workOn(scannedIn(directory)));
}

const gray = graySample(60, 40);

/** The pixel in the middle of the upper half of an image, one value per band. */
async function pixelOf(file: string): Promise<number[]> {
  const { data, info } = await sharp(file).raw().toBuffer({ resolveWithObject: true });
  const at =
    (Math.floor(info.height / 4) * info.width + Math.floor(info.width / 2)) * info.channels;
  return [...data.subarray(at, at + info.channels)];
}

test('a plain image is used unchanged, in either byte order', async (bench) => {
  const file = scannedIn(bench.directory);
  const page = await open(bench, gray);
  assert.equal(page.image, { file, width: 60, height: 40, dpi: 300, bilevel: false });
  assert.equal([page.turned, page.warnings], [0, []]);
  const { image } = await open(bench, { ...gray, dpi: 600, byteOrder: 'MM' });
  assert.equal(image, { file, width: 60, height: 40, dpi: 600, bilevel: false });
});

const DEEP = Buffer.from(new Uint16Array(60 * 40).fill(0xc0_00).buffer);
/** CMYK with full black ink only. */
const INK = Buffer.from(new Uint32Array(60 * 40).fill(0xff_00_00_00).buffer);
/** A palette in which colour 7 is red. */
const RED_7 = Array.from({ length: 768 }, (_, at) => (at === 7 ? 65_535 : 0));
const CLEAR = { samplesPerPixel: 4, photometric: 2, tags: { 338: [2] } };

/**
 * Formats that Tesseract, Leptonica or a PDF would misinterpret, and the colour that the page must
 * get.
 */
const MADE_PLAIN: readonly (readonly [string, Partial<TiffSample>, readonly number[]])[] = [
  ['16 bits a sample', { bitsPerSample: 16, pixels: DEEP }, [0xc0]],
  [
    'a palette',
    { photometric: 3, tags: { 320: RED_7 }, pixels: Buffer.alloc(60 * 40, 7) },
    [255, 0, 0],
  ],
  ['four inks', { samplesPerPixel: 4, photometric: 5, pixels: INK }, [0, 0, 0]],
  ['transparent paper', { ...CLEAR, pixels: Buffer.alloc(60 * 40 * 4) }, [255, 255, 255]],
  [
    'gray and alpha',
    { samplesPerPixel: 2, tags: { 338: [2] }, pixels: Buffer.alloc(60 * 40 * 2, 255) },
    [255],
  ],
  ['separate colour planes', { tags: { 284: [2] } }, [240]],
  ['several images', { images: 2 }, [240]],
  ['no resolution', { dpi: 0 }, [240]],
];

for (const [what, sample, colour] of MADE_PLAIN) {
  test(`an image with ${what} is converted and keeps its colour`, async (bench) => {
    const { image } = await open(bench, { ...gray, ...sample });
    assert.is.not(image.file, scannedIn(bench.directory));
    assert.equal([image.width, image.height, image.dpi, image.bilevel], [60, 40, 300, false]);
    assert.equal((await pixelOf(image.file)).slice(0, colour.length), colour);
  });
}

/** The position of the paper's upper left corner in the file, by orientation tag. */
const CORNERS: Readonly<Record<number, readonly [number, number]>> = {
  1: [0, 0],
  2: [50, 0],
  3: [50, 30],
  4: [0, 30],
  5: [0, 0],
  6: [0, 30],
  7: [50, 30],
  8: [50, 0],
};

test('an image that is rotated by its tag is turned upright', async (bench) => {
  for (const [orientation, [left, top]] of Object.entries(CORNERS)) {
    const pixels = Buffer.alloc(60 * 40, 255);
    for (let row = top; row < top + 10; row += 1)
      pixels.fill(0, row * 60 + left, row * 60 + left + 10);
    const sample = { ...gray, pixels, tags: { 274: [Number(orientation)] } };
    const pages = [
      await open(bench, sample),
      await openCompressed(bench, sample, Number(orientation)),
    ];
    const size = Number(orientation) < 5 ? [60, 40] : [40, 60];
    for (const { image } of pages) {
      assert.equal([image.width, image.height], size, `orientation ${orientation}`);
      const area = { left: 0, top: 0, width: 10, height: 10 };
      const stored = sharp(image.file, { autoOrient: false });
      const corner = await stored.clone().extract(area).raw().toBuffer();
      assert.ok(
        corner.every((value) => value === 0),
        `orientation ${orientation}`,
      );
      assert.is((await stored.metadata()).orientation ?? 1, 1);
    }
  }
});

test('a fax with different resolutions keeps its shape', async (bench) => {
  const { image } = await open(bench, { ...gray, dpi: [204, 98] });
  assert.equal([image.width, image.height, image.dpi], [60, 83, 204]);
});

test('an implausible resolution is replaced by 300 dpi', async (bench) => {
  for (const dpi of [0, 1, 100_000, [0, 300], Number.NaN, Infinity] as const) {
    assert.is((await open(bench, { ...gray, dpi })).image.dpi, 300);
  }
});

test('of several images, the first one is the page, with a warning', async (bench) => {
  const page = await open(bench, { ...gray, images: 3 });
  assert.equal([page.image.width, page.image.height], [60, 40]);
  assert.equal(page.warnings, ['the file holds 3 images: only the first one became a page']);
});

function jobs({ directory, toolbox }: PageBench): {
  inside: (name: string) => string;
  tiff: string;
  context: JobContext;
} {
  const inside = (name: string): string => path.join(directory, name);
  return { inside, tiff: inside('page.tif'), context: jobContext(directory, toolbox) };
}

async function pixelsBy(name: string, args: readonly string[], image: string): Promise<Buffer> {
  await outputOf(name, args);
  return sharp(image).toColourspace('b-w').raw().toBuffer();
}

test('a page of any size is turned, whatever the worker did before', async (bench) => {
  const { tiff, inside, context } = jobs(bench);
  // 192 million pixels, as in A3 at 1200 dpi. Pillow's default limit is 179 million.
  const [width, height] = [16_000, 12_000];
  const pixels = Buffer.alloc((width / 8) * height);
  await writeTiff(tiff, { width, height, bitsPerSample: 1, photometric: 1, pixels, dpi: 1200 });
  const turned = { tiff, out: inside('turned.tif'), quarters: 2 } as const;
  assert.equal(await turnImage(turned, context), { width, height });
});

for (const dpi of [225, 300]) {
  test(`the image for a second look is coarser, and covers the page of ${dpi} dpi`, async (bench) => {
    const { tiff, inside, context } = jobs(bench);
    const [width, height] = [1861, 2632];
    await writeTiff(tiff, { ...graySample(width, height), dpi });
    const out = inside('second-look.tif');
    const made = await makeClearImage({ tiff, dpi, out, quarters: 0, read: [] }, context);
    const image = await sharp(out).metadata();
    assert.is(image.density, made.dpi);
    assert.is(made.dpi, Math.floor(dpi / 2));
    for (const [pixels, coarse] of [
      [width, image.width],
      [height, image.height],
    ] as const)
      assert.ok(Math.abs((pixels * made.dpi) / dpi - coarse) < 1, `${pixels} became ${coarse}`);
  });
}

test('compose without loss keeps every pixel', async (bench) => {
  const { tiff, inside, context } = jobs(bench);
  const pixels = Buffer.from(Array.from({ length: 60 * 40 }, (_, at) => (at * 7919) % 256));
  await writeTiff(tiff, { ...gray, pixels });
  const pdf = await composed({ tiff, optimize: 0 }, context);
  const raw = await pixelsBy('pdfimages', ['-png', pdf, inside('out')], inside('out-000.png'));
  assert.ok(raw.equals(pixels));
});

for (const photometric of [0, 1]) {
  test(`compose keeps black pixels in group 4, photometric ${photometric}`, async (bench) => {
    const { tiff, inside, context } = jobs(bench);
    // A black row above white ones, for either meaning of 0.
    const pixels = Buffer.alloc(8 * 40, photometric === 0 ? 0 : 255);
    pixels.fill(photometric === 0 ? 255 : 0, 0, 8);
    await writeTiff(tiff, { ...graySample(64, 40), bitsPerSample: 1, photometric, pixels });
    const pdf = await composed({ tiff }, context);
    assert.is((await imagesOf(pdf))[0]?.encoding, 'ccitt');
    const args = ['-png', '-r', '300', '-singlefile', pdf, inside('shown')];
    const shown = await pixelsBy('pdftoppm', args, inside('shown.png'));
    assert.is(shown[5], 0);
    assert.is(shown[64 * 20 + 5], 255);
  });
}

test('output of OCRmyPDF is not an answer', async (bench) => {
  const { tiff } = jobs(bench);
  const { directory } = bench;
  const prints = 'print(\'{"result": {"bytes": 9}}\', flush=True)\ngiven[1].write(b"%PDF-1.7")';
  const script = await brokenWorker(directory, 'ocrmypdf.ocr', prints);
  await writeTiff(tiff, gray);
  const pdf = await composed({ tiff }, jobContext(directory, toolboxAt(REAL_PATH, script)));
  assert.is(await readFile(pdf, 'utf8'), '%PDF-1.7');
});

test('an image that will be too large is refused before it is read', async (bench) => {
  const { tiff, inside, context } = jobs(bench);
  const small = { ...context, memoryBytes: 300 * 1024 * 1024 };
  for (const [sample, pixels] of [
    [{ ...gray, width: 20_000, height: 14_000 }, '20000 x 14000'],
    // The coarse direction is scaled up to the fine one.
    [{ ...gray, width: 2000, height: 1500, dpi: [1200, 300] as const }, '2000 x 6000'],
  ] as const) {
    await writeTiff(tiff, sample);
    const prepared = prepareImage({ tiff, plain: inside('plain.tif') }, small);
    assert.match((await failure('unreadable_page', prepared)).message, pixels);
  }
});

test('Python and modules of the user are not used', async (bench) => {
  const { inside, tiff } = jobs(bench);
  // A new worker, because an old one has already imported its modules.
  const context = jobContext(bench.directory);
  await writeTiff(tiff, gray);
  for (const name of ['PIL.py', 'page_image.py'])
    await writeFile(inside(name), 'raise SystemExit(3)');
  assert.is((await prepareImage({ tiff, plain: null }, context)).width, 60);
});
