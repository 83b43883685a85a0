import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.ts';
import { PageImages, renderPage } from '../../../simulators/virtual-scanner/page-images.ts';
import type { ScanSettings } from '../../../simulators/virtual-scanner/scan-settings.ts';

const test = suite<{ directory: TemporaryDirectory; page: string }>('page images');

/** Two inches wide, three high at 150 dpi: the upper half black, the lower half red. */
async function makePage(file: string): Promise<string> {
  const black = { create: { width: 300, height: 225, channels: 3, background: 'black' } } as const;
  await sharp(black).extend({ bottom: 225, background: 'red' }).withDensity(150).png().toFile(file);
  return file;
}

const SETTINGS: ScanSettings = {
  source: 'ADF',
  mode: 'Color',
  resolution: 100,
  region: { x: 0, y: 0, width: 600, height: 900 },
  format: 'image/png',
};

async function pixel(image: Buffer, left: number, top: number): Promise<number[]> {
  const dot = sharp(image).extract({ left, top, width: 1, height: 1 });
  return [...(await dot.raw().toBuffer())];
}

test.before(async (context) => {
  context.directory = await temporaryDirectory();
  context.page = await makePage(`${context.directory.path}/page.png`);
});
test.after(({ directory }) => directory.remove());

test('have the size of the region at the resolution of the scan', async ({ page }) => {
  for (const resolution of [100, 150, 200, 300]) {
    const image = await renderPage(page, { ...SETTINGS, resolution });
    const { width, height, density } = await sharp(image).metadata();
    assert.equal([width, height, density], [2 * resolution, 3 * resolution, resolution]);
    assert.equal(await pixel(image, resolution, resolution), [0, 0, 0]);
    assert.equal(await pixel(image, resolution, 2 * resolution), [255, 0, 0]);
  }
});

test('are white beyond the paper', async ({ page }) => {
  const region = { x: 0, y: 0, width: 900, height: 1200 };
  const image = await renderPage(page, { ...SETTINGS, region });
  const { width, height } = await sharp(image).metadata();
  assert.equal([width, height], [300, 400]);
  assert.equal(await pixel(image, 195, 290), [255, 0, 0]);
  assert.equal(await pixel(image, 205, 290), [255, 255, 255]);
  assert.equal(await pixel(image, 195, 305), [255, 255, 255]);
});

test('show the part of the paper that was asked for', async ({ page }) => {
  const region = { x: 150, y: 600, width: 600, height: 600 };
  const image = await renderPage(page, { ...SETTINGS, region });
  assert.equal(await pixel(image, 10, 10), [255, 0, 0]);
  assert.equal(await pixel(image, 140, 90), [255, 0, 0]);
  assert.equal(await pixel(image, 160, 90), [255, 255, 255]);
  assert.equal(await pixel(image, 140, 110), [255, 255, 255]);
});

test('are white where there is no paper at all', async ({ page }) => {
  const region = { x: 700, y: 0, width: 300, height: 300 };
  const beside = await renderPage(page, { ...SETTINGS, region });
  assert.equal(await pixel(beside, 50, 50), [255, 255, 255]);
  const nothing = await renderPage(undefined, SETTINGS);
  assert.equal(await pixel(nothing, 50, 50), [255, 255, 255]);
});

test('are gray in one channel, as PNG or JPEG', async ({ page }) => {
  const png = await sharp(await renderPage(page, { ...SETTINGS, mode: 'Gray' })).metadata();
  assert.equal([png.format, png.channels, png.depth], ['png', 1, 'uchar']);
  const settings = { ...SETTINGS, mode: 'Gray', format: 'image/jpeg' } as const;
  const jpeg = await sharp(await renderPage(page, settings)).metadata();
  assert.equal([jpeg.format, jpeg.channels, jpeg.density], ['jpeg', 1, 100]);
});

test('of gray files are colour images when colour is asked for', async ({ directory }) => {
  const file = `${directory.path}/gray.png`;
  const white = sharp({ create: { width: 600, height: 900, channels: 3, background: '#777777' } });
  await white.toColourspace('b-w').png().toFile(file);
  const { channels } = await sharp(await renderPage(file, SETTINGS)).metadata();
  assert.is(channels, 3);
});

test('of files that do not say their resolution are taken for 300 dpi', async ({ directory }) => {
  const file = `${directory.path}/unsaid.png`;
  const create = { width: 300, height: 300, channels: 3, background: 'black' } as const;
  await sharp({ create }).png().toFile(file);
  const image = await renderPage(file, SETTINGS);
  assert.equal(await pixel(image, 95, 95), [0, 0, 0]);
  assert.equal(await pixel(image, 105, 95), [255, 255, 255]);
});

test('are made once', async ({ page }) => {
  const images = new PageImages();
  images.prepare(page, SETTINGS);
  const first = images.get(page, SETTINGS);
  assert.is(images.get(page, SETTINGS), first);
  assert.is.not(images.get(page, { ...SETTINGS, resolution: 150 }), first);
  assert.is(await images.get(page, SETTINGS), await first);
});

test('are dropped, oldest first, when they take too much', async ({ page }) => {
  const images = new PageImages({ backing: 'white' }, 1);
  const first = images.get(page, SETTINGS);
  await first;
  assert.is(images.get(page, SETTINGS), first);
  await images.get(page, { ...SETTINGS, resolution: 150 });
  assert.is.not(images.get(page, SETTINGS), first);
  await images.get(page, SETTINGS);
});

test('that could not be made are tried again', async ({ directory }) => {
  const images = new PageImages();
  const file = `${directory.path}/later.png`;
  images.prepare(file, SETTINGS);
  const failed = await images.get(file, SETTINGS).then(
    () => false,
    () => true,
  );
  assert.ok(failed);
  await makePage(file);
  assert.ok((await images.get(file, SETTINGS)).length > 0);
});

test.run();
