import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { openPage } from '../../../../helpers/processor/page/open-page.ts';
import type { PageState } from '../../../../helpers/processor/page/page-work.ts';
import { tiffFile } from '../../../support/fake-scanimage/tiff-file.ts';
import { pageTests, type PageBench } from '../support/page-samples.ts';
import { graySample, writeTiff, type TiffSample } from '../support/tiff-sample.ts';
import { assert } from '../../../support/suite.ts';

const test = pageTests('opening a page');

const scannedIn = (directory: string): string => path.join(directory, 'scanned.tif');

async function open({ directory, workOn }: PageBench, sample: TiffSample): Promise<PageState> {
  await writeTiff(scannedIn(directory), sample);
  return openPage(workOn(scannedIn(directory)));
}

/** The same from a compressed file. */
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

/** The value of the pixel in the middle of the upper half of an image, in each of its bands. */
async function pixelOf(file: string): Promise<number[]> {
  const { data, info } = await sharp(file).raw().toBuffer({ resolveWithObject: true });
  const at =
    (Math.floor(info.height / 4) * info.width + Math.floor(info.width / 2)) * info.channels;
  return [...data.subarray(at, at + info.channels)];
}

test('a plain image is taken as it is, also with its bytes in the other order', async (bench) => {
  const file = scannedIn(bench.directory);
  const page = await open(bench, gray);
  assert.equal(page.image, { file, width: 60, height: 40, dpi: 300, bilevel: false });
  assert.equal([page.turned, page.warnings], [0, []]);
  const shape = { width: 60, height: 40, dpi: 600, byteOrder: 'MM', photometric: 1 } as const;
  await writeFile(file, tiffFile(shape));
  const { image } = await openPage(bench.workOn(file));
  assert.equal(image, { file, width: 60, height: 40, dpi: 600, bilevel: false });
});

/** Bright, in 16 bits. */
const DEEP = Buffer.from(new Uint16Array(60 * 40).fill(0xc0_00).buffer);
/** Black of one ink in four. */
const INK = Buffer.from(new Uint32Array(60 * 40).fill(0xff_00_00_00).buffer);
/** The colour 7 of a palette is red. */
const RED_7 = Array.from({ length: 768 }, (_, at) => (at === 7 ? 65_535 : 0));
const CLEAR = { bits: [8, 8, 8, 8], photometric: 2, shorts: { 338: 2 } };

/** What Tesseract, Leptonica or a PDF take otherwise than it was meant, and the colour that it must have. */
const MADE_PLAIN: readonly (readonly [string, Partial<TiffSample>, readonly number[]])[] = [
  ['16 bits a sample', { bits: [16], pixels: DEEP }, [0xc0]],
  ['a palette', { photometric: 3, colorMap: RED_7, pixels: Buffer.alloc(60 * 40, 7) }, [255, 0, 0]],
  ['four inks', { bits: [8, 8, 8, 8], photometric: 5, pixels: INK }, [0, 0, 0]],
  ['transparent paper', { ...CLEAR, pixels: Buffer.alloc(60 * 40 * 4) }, [255, 255, 255]],
  [
    'gray and alpha',
    { bits: [8, 8], shorts: { 338: 2 }, pixels: Buffer.alloc(60 * 40 * 2, 255) },
    [255],
  ],
  ['separate colour planes', { shorts: { 284: 2 } }, [240]],
  ['several images', { images: 2 }, [240]],
  ['no resolution', { dpi: undefined }, [240]],
];

for (const [what, sample, colour] of MADE_PLAIN) {
  test(`an image with ${what} is made plain, and keeps its colour`, async (bench) => {
    const { image } = await open(bench, { ...gray, ...sample });
    assert.is.not(image.file, scannedIn(bench.directory));
    assert.equal([image.width, image.height, image.dpi, image.bilevel], [60, 40, 300, false]);
    // A gray image has the same in each band.
    assert.equal((await pixelOf(image.file)).slice(0, colour.length), colour);
  });
}

/** Where the upper left corner of the paper is in the file, by the value of the orientation tag. */
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

test('an image that does not lie upright in its file is put upright', async (bench) => {
  for (const [orientation, [left, top]] of Object.entries(CORNERS)) {
    const pixels = Buffer.alloc(60 * 40, 255);
    for (let row = top; row < top + 10; row += 1)
      pixels.fill(0, row * 60 + left, row * 60 + left + 10);
    const sample = { ...gray, pixels, shorts: { 274: Number(orientation) } };
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
      // Nobody turns it a second time.
      assert.is((await stored.metadata()).orientation ?? 1, 1);
    }
  }
});

test('a fax with different resolutions keeps its shape', async (bench) => {
  const { image } = await open(bench, { ...gray, dpi: [204, 98] });
  assert.equal([image.width, image.height, image.dpi], [60, 83, 204]);
});

test('a resolution that cannot be believed is taken for 300 dpi', async (bench) => {
  for (const dpi of [undefined, [1, 1], [100_000, 100_000], [0, 300]] as const) {
    assert.is((await open(bench, { ...gray, dpi })).image.dpi, 300);
  }
});

test('of several images the first one is the page, with a warning', async (bench) => {
  const page = await open(bench, { ...gray, images: 3 });
  assert.equal([page.image.width, page.image.height], [60, 40]);
  assert.equal(page.warnings, ['the file holds 3 images: only the first one became a page']);
});
