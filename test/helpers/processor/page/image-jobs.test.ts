import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import {
  makeClearImage,
  prepareImage,
  turnImage,
} from '../../../../helpers/processor/page/image-jobs.ts';
import { outputOf } from '../../../support/programs.ts';
import { assert, failure, withFixture } from '../../../support/suite.ts';
import { brokenWorker } from '../support/broken-worker.ts';
import { composed, jobContext } from '../support/job-context.ts';
import { imagesOf } from '../support/inspect-pdf.ts';
import { graySample, writeTiff } from '../support/tiff-sample.ts';

const test = withFixture('the jobs in Python', async (directory) => {
  const inside = (name: string): string => path.join(directory, name);
  return {
    directory,
    inside,
    tiff: inside('page.tif'),
    context: await jobContext(directory),
  };
});

/** Runs a program of poppler-utils; gives the pixels of the image that it writes, in gray. */
async function pixelsBy(name: string, args: readonly string[], image: string): Promise<Buffer> {
  await outputOf(name, args);
  return sharp(image).toColourspace('b-w').raw().toBuffer();
}

test('a page is turned however many pixels it has, whatever the worker did before', async (given) => {
  const { tiff, inside, context } = given;
  // 192 million, as of A3 at 1200 dpi; Pillow refuses more than 179 by itself.
  const [width, height] = [16_000, 12_000];
  const pixels = Buffer.alloc((width / 8) * height);
  await writeTiff(tiff, { width, height, bits: [1], photometric: 1, pixels, dpi: [1200, 1200] });
  const turned = { tiff, out: inside('turned.tif'), quarters: 2 } as const;
  assert.equal(await turnImage(turned, context), { width, height });
});

for (const dpi of [225, 300]) {
  test(`the image for a second look is coarser, and as large as the page of ${dpi} dpi`, async (given) => {
    const { tiff, inside, context } = given;
    const [width, height] = [1861, 2632];
    await writeTiff(tiff, { ...graySample(width, height), dpi: [dpi, dpi] });
    const out = inside('second-look.tif');
    const made = await makeClearImage({ tiff, dpi, out, quarters: 0 }, context);
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

test('compose without loss keeps every pixel', async ({ tiff, inside, context }) => {
  const pixels = Buffer.from(Array.from({ length: 60 * 40 }, (_, at) => (at * 7919) % 256));
  await writeTiff(tiff, { ...graySample(60, 40), pixels });
  const pdf = await composed({ tiff, optimize: 0 }, context);
  const raw = await pixelsBy('pdfimages', ['-png', pdf, inside('out')], inside('out-000.png'));
  assert.ok(raw.equals(pixels));
});

for (const photometric of [0, 1]) {
  test(`compose keeps black black in group 4, photometric ${photometric}`, async (given) => {
    const { tiff, inside, context } = given;
    // The first row is black, the others are white, whatever stands for white.
    const pixels = Buffer.alloc(8 * 40, photometric === 0 ? 0 : 255);
    pixels.fill(photometric === 0 ? 255 : 0, 0, 8);
    await writeTiff(tiff, { ...graySample(64, 40), bits: [1], photometric, pixels });
    const pdf = await composed({ tiff }, context);
    assert.is((await imagesOf(pdf))[0]?.encoding, 'ccitt');
    const args = ['-png', '-r', '300', '-singlefile', pdf, inside('shown')];
    const shown = await pixelsBy('pdftoppm', args, inside('shown.png'));
    assert.is(shown[5], 0);
    assert.is(shown[64 * 20 + 5], 255);
  });
}

test('what OCRmyPDF prints is no answer', async ({ tiff, directory }) => {
  const prints = 'print(\'{"result": {"bytes": 9}}\', flush=True)\ngiven[1].write(b"%PDF-1.7")';
  const script = await brokenWorker(directory, 'ocrmypdf.ocr', prints);
  await writeTiff(tiff, graySample(60, 40));
  const pdf = await composed({ tiff }, await jobContext(directory, { script }));
  assert.is(await readFile(pdf, 'utf8'), '%PDF-1.7');
});

test('an image that will be too large is refused before it is read', async (given) => {
  const { tiff, inside, context } = given;
  const small = { ...context, memoryBytes: 300 * 1024 * 1024 };
  const gray = graySample(60, 40);
  for (const [sample, pixels] of [
    [{ ...gray, width: 20_000, height: 14_000 }, '20000 x 14000'],
    // The coarse way gets as many pixels as the fine way.
    [{ ...gray, width: 2000, height: 1500, dpi: [1200, 300] as const }, '2000 x 6000'],
  ] as const) {
    await writeTiff(tiff, sample);
    const prepared = prepareImage({ tiff, plain: inside('plain.tif') }, small);
    assert.match((await failure('unreadable_page', prepared)).message, pixels);
  }
});

test('a Python of the user, and its modules, are not used', async ({ inside, tiff, context }) => {
  await writeTiff(tiff, graySample(60, 40));
  for (const name of ['PIL.py', 'page_image.py'])
    await writeFile(inside(name), 'raise SystemExit(3)');
  assert.is((await prepareImage({ tiff, plain: null }, context)).width, 60);
});
