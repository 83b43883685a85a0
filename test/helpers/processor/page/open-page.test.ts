import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openPage } from '../../../../helpers/processor/page/open-page.ts';
import type { PageState } from '../../../../helpers/processor/page/page-work.ts';
import { tiffFile } from '../../../support/fake-scanimage/tiff-file.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { keptToolbox } from '../support/job-context.ts';
import { pageBench } from '../support/page-samples.ts';
import { graySample, writeTiff, type TiffSample } from '../support/tiff-sample.ts';

const toolbox = keptToolbox();
const tests = suite('opening a page');
tests.after(() => toolbox.close());
const test = withFixture(tests, async () => {
  const bench = await pageBench(toolbox);
  const file = path.join(bench.directory, 'scanned.tif');
  return {
    file,
    open: async (sample: TiffSample): Promise<PageState> => {
      await writeTiff(file, sample);
      return openPage(bench.workOn(file));
    },
    /** The same from a compressed file. */
    openCompressed: async (sample: TiffSample, orientation: number): Promise<PageState> => {
      await writeTiff(`${file}.plain`, sample);
      const image = sharp(`${file}.plain`, { autoOrient: false }).withMetadata({ orientation });
      await image.tiff({ compression: 'lzw' }).toFile(file);
      return openPage(bench.workOn(file));
    },
    openFile: (): Promise<PageState> => openPage(bench.workOn(file)),
    close: () => bench.close(),
  };
});

const gray = graySample(60, 40);

/** The value of the pixel in the middle of the upper half of an image, in each of its bands. */
async function pixelOf(file: string): Promise<number[]> {
  const { data, info } = await sharp(file).raw().toBuffer({ resolveWithObject: true });
  const at =
    (Math.floor(info.height / 4) * info.width + Math.floor(info.width / 2)) * info.channels;
  return [...data.subarray(at, at + info.channels)];
}

test('a plain image is taken as it is', async ({ open, file }) => {
  const page = await open(gray);
  assert.equal(page.image, { file, width: 60, height: 40, dpi: 300, bilevel: false });
  assert.equal([page.turned, page.warnings], [0, []]);
});

test('so is one of another writer, with its bytes in the other order', async ({
  file,
  openFile,
}) => {
  const shape = { width: 60, height: 40, dpi: 600, byteOrder: 'MM', photometric: 1 } as const;
  await writeFile(file, tiffFile(shape));
  const { image } = await openFile();
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
  test(`an image with ${what} is made plain, and keeps its colour`, async ({ open, file }) => {
    const { image } = await open({ ...gray, ...sample });
    assert.is.not(image.file, file);
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

test('an image that does not lie upright in its file is put upright', async ({
  open,
  openCompressed,
}) => {
  for (const [orientation, [left, top]] of Object.entries(CORNERS)) {
    const pixels = Buffer.alloc(60 * 40, 255);
    for (let row = top; row < top + 10; row += 1)
      pixels.fill(0, row * 60 + left, row * 60 + left + 10);
    const sample = { ...gray, pixels, shorts: { 274: Number(orientation) } };
    const pages = [await open(sample), await openCompressed(sample, Number(orientation))];
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

test('a fax with different resolutions keeps its shape', async ({ open }) => {
  const { image } = await open({ ...gray, dpi: [204, 98] });
  assert.equal([image.width, image.height, image.dpi], [60, 83, 204]);
});

test('a resolution that cannot be believed is taken for 300 dpi', async ({ open }) => {
  for (const dpi of [undefined, [1, 1], [100_000, 100_000], [0, 300]] as const) {
    assert.is((await open({ ...gray, dpi })).image.dpi, 300);
  }
});

test('of several images the first one is the page, with a warning', async ({ open }) => {
  const page = await open({ ...gray, images: 3 });
  assert.equal([page.image.width, page.image.height], [60, 40]);
  assert.equal(page.warnings, ['the file holds 3 images: only the first one became a page']);
});

test.run();
