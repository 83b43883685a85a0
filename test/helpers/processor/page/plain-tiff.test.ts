import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import sharp from 'sharp';
import { readPageHeader, type PageImage } from '../../../../helpers/processor/page/plain-tiff.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { graySample, writeTiff, type TiffSample } from '../support/tiff-sample.ts';

const test = withFixture(suite('TIFF headers'), async () => {
  const temporary = await temporaryDirectory();
  return { file: path.join(temporary.path, 'page.tif'), close: () => temporary.remove() };
});

const readPlainTiff = async (file: string): Promise<PageImage | undefined> =>
  (await readPageHeader(file)).plain;

const gray = graySample(60, 40);

test('reads a plain gray image', async ({ file }) => {
  await writeTiff(file, gray);
  const expected = { file, width: 60, height: 40, dpi: 300, bilevel: false };
  assert.equal(await readPlainTiff(file), expected);
});

test('reads big-endian files, and those of other writers', async ({ file }) => {
  await sharp({ create: { width: 60, height: 40, channels: 3, background: 'white' } })
    .withMetadata({ density: 200 })
    .tiff({ compression: 'none', xres: 200 / 25.4, yres: 200 / 25.4, resolutionUnit: 'inch' })
    .toFile(file);
  assert.is((await readPlainTiff(file))?.dpi, 200);
  // Header, one directory with the tags of a gray image, and two resolutions behind it.
  const tags: [number, number, number][] = [
    [256, 4, 60],
    [257, 4, 40],
    [258, 3, 8 * 65_536],
    [262, 3, 65_536],
    [277, 3, 65_536],
    [282, 5, 98],
    [283, 5, 98],
  ];
  const header = Buffer.from([0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, tags.length]);
  const entries = tags.map(([tag, type, value]) => {
    const entry = Buffer.alloc(12);
    entry.writeUInt16BE(tag, 0);
    entry.writeUInt16BE(type, 2);
    entry.writeUInt32BE(1, 4);
    entry.writeUInt32BE(value, 8);
    return entry;
  });
  const end = Buffer.from([0, 0, 0, 0, 0, 0, 2, 88, 0, 0, 0, 1]);
  await writeFile(file, Buffer.concat([header, ...entries, end]));
  assert.equal(await readPlainTiff(file), {
    file,
    width: 60,
    height: 40,
    dpi: 600,
    bilevel: false,
  });
});

const ODD: Record<string, TiffSample> = {
  '16 bits a sample': { ...gray, bits: [16], pixels: Buffer.alloc(60 * 40 * 2) },
  'a palette': { ...gray, photometric: 3, colorMap: Array.from({ length: 768 }, () => 0) },
  alpha: { ...gray, bits: [8, 8], pixels: Buffer.alloc(60 * 40 * 2) },
  'a mirrored image': { ...gray, shorts: { 274: 2 } },
  'separate colour planes': { ...gray, shorts: { 284: 2 } },
  'no resolution': { ...gray, dpi: undefined },
  'different resolutions': { ...gray, dpi: [300, 200] },
  'an absurd resolution': { ...gray, dpi: [1, 1] },
  'several images': { ...gray, images: 2 },
};

for (const [what, sample] of Object.entries(ODD)) {
  test(`an image with ${what} is not plain`, async ({ file }) => {
    await writeTiff(file, sample);
    assert.is(await readPlainTiff(file), undefined);
  });
}

test('says how many pixels there will be, before any is read', async ({ file }) => {
  const pixels = async (sample: TiffSample): Promise<number> => {
    await writeTiff(file, sample);
    return (await readPageHeader(file)).pixels;
  };
  assert.is(await pixels(gray), 2400);
  assert.is(await pixels({ ...gray, width: 100_000, height: 100_000 }), 1e10);
  assert.is(Math.round(await pixels({ ...gray, dpi: [204, 98] })), Math.round((2400 * 204) / 98));
  // No scanner is so uneven: such an image is taken as it is.
  assert.is(await pixels({ ...gray, dpi: [4800, 30] }), 2400);
});

test('no prefix of a header is taken for an image', async ({ file }) => {
  await writeTiff(file, gray);
  const whole = await readFile(file);
  // The directory is behind the pixels.
  for (let length = 0; length < whole.length; length += length < 16 || length >= 2400 ? 1 : 100) {
    await writeFile(file, whole.subarray(0, length));
    assert.is(await readPlainTiff(file), undefined, `${length} bytes`);
  }
});

test.run();
