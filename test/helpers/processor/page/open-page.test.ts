import path from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openPage } from '../../../../helpers/processor/page/open-page.ts';
import type { PageState } from '../../../../helpers/processor/page/page-work.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { pageWork } from '../support/page-samples.ts';
import { graySample, writeTiff, type TiffSample } from '../support/tiff-sample.ts';

const test = withFixture(suite('opening a page'), async () => {
  const temporary = await temporaryDirectory();
  const file = path.join(temporary.path, 'scanned.tif');
  return {
    file,
    open: async (sample: TiffSample): Promise<PageState> => {
      await writeTiff(file, sample);
      return openPage(pageWork(temporary.path, file));
    },
    /** The same from a compressed file. */
    openCompressed: async (sample: TiffSample, orientation: number): Promise<PageState> => {
      await writeTiff(`${file}.plain`, sample);
      const image = sharp(`${file}.plain`, { autoOrient: false }).withMetadata({ orientation });
      await image.tiff({ compression: 'lzw' }).toFile(file);
      return openPage(pageWork(temporary.path, file));
    },
    close: () => temporary.remove(),
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

test('16 bits a sample become 8, with the same brightness', async ({ open }) => {
  const pixels = Buffer.alloc(60 * 40 * 2);
  for (let at = 0; at < pixels.length; at += 2) pixels.writeUInt16LE(0xc0_00, at);
  const { image } = await open({ ...gray, bits: [16], pixels });
  assert.equal([image.width, image.height, image.dpi, image.bilevel], [60, 40, 300, false]);
  assert.equal((await pixelOf(image.file))[0], 0xc0);
});

test('a palette becomes its colours', async ({ open }) => {
  const colorMap = Array.from({ length: 768 }, () => 0);
  // The colour 7 is red.
  colorMap[7] = 65_535;
  const pixels = Buffer.alloc(60 * 40, 7);
  const { image } = await open({ ...gray, photometric: 3, colorMap, pixels });
  assert.equal(await pixelOf(image.file), [255, 0, 0]);
});

test('CMYK becomes RGB', async ({ open }) => {
  const pixels = Buffer.alloc(60 * 40 * 4);
  for (let at = 3; at < pixels.length; at += 4) pixels[at] = 255;
  const { image } = await open({ ...gray, bits: [8, 8, 8, 8], photometric: 5, pixels });
  assert.equal(await pixelOf(image.file), [0, 0, 0]);
});

test('what is transparent is white paper', async ({ open }) => {
  const pixels = Buffer.alloc(60 * 40 * 4);
  const sample = { ...gray, bits: [8, 8, 8, 8], photometric: 2, shorts: { 338: 2 }, pixels };
  assert.equal(await pixelOf((await open(sample)).image.file), [255, 255, 255]);
});

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
