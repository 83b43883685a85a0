import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { programEnvironment, runProgram } from '../../../../helpers/child-process.ts';
import {
  composePage,
  makeClearImage,
  prepareImage,
  turnImage,
  type ComposeOptions,
} from '../../../../helpers/processor/page/image-jobs.ts';
import { Failure } from '../../../../helpers/failure.ts';
import { rejection } from '../../../support/rejection.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import type { JobContext } from '../../../../helpers/processor/tools/toolbox.ts';
import { brokenWorker } from '../support/broken-worker.ts';
import { jobContext } from '../support/job-context.ts';
import { imagesOf } from '../support/inspect-pdf.ts';
import { graySample, writeTiff } from '../support/tiff-sample.ts';

const test = withFixture(suite('the jobs in Python'), async () => {
  const temporary = await temporaryDirectory();
  const directory = temporary.path;
  const inside = (name: string): string => path.join(directory, name);
  const tiff = inside('page.tif');
  await writeTiff(tiff, graySample(60, 40));
  const context = await jobContext(directory);
  return {
    directory,
    inside,
    tiff,
    context,
    compose: async (
      given: Partial<ComposeOptions> = {},
      changed: Partial<JobContext> = {},
    ): Promise<string> => {
      const out = inside('page.pdf');
      const plain = { tiff, out, dpi: 300, optimize: 1, text: null, jbig2: null, layers: null };
      await composePage(
        { ...plain, placing: null, languages: ['eng'], language: null, ...given },
        { ...context, ...changed },
      );
      return out;
    },
    close: () => temporary.remove(),
  };
});

async function unreadable(promise: Promise<unknown>): Promise<string> {
  const error = await rejection(promise);
  assert.instance(error, Failure, String(error));
  assert.is((error as Failure).code, 'unreadable_page');
  return (error as Failure).message;
}

test('a page is turned however many pixels it has, whatever the worker did before', async (given) => {
  const { tiff, inside, directory } = given;
  // 192 million, as of A3 at 1200 dpi; Pillow refuses more than 179 by itself.
  const [width, height] = [16_000, 12_000];
  const pixels = Buffer.alloc((width / 8) * height);
  await writeTiff(tiff, { width, height, bits: [1], photometric: 1, pixels, dpi: [1200, 1200] });
  const turned = { tiff, out: inside('turned.tif'), quarters: 2 } as const;
  assert.equal(await turnImage(turned, await jobContext(directory)), { width, height });
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
    for (const [pixels = 0, coarse = 0] of [
      [width, image.width],
      [height, image.height],
    ])
      assert.ok(Math.abs((pixels * made.dpi) / dpi - coarse) < 1, `${pixels} became ${coarse}`);
  });
}

test('compose without loss keeps every pixel', async ({ compose, tiff, inside }) => {
  const pixels = Buffer.from(Array.from({ length: 60 * 40 }, (_, at) => (at * 7919) % 256));
  await writeTiff(tiff, { ...graySample(60, 40), pixels });
  const pdf = await compose({ optimize: 0 });
  const args = ['-png', pdf, inside('out')];
  const program = { file: 'pdfimages', args, cwd: '/', env: programEnvironment() };
  await runProgram(program, { timeoutMs: 10_000 });
  const raw = await sharp(inside('out-000.png')).toColourspace('b-w').raw().toBuffer();
  assert.ok(raw.equals(pixels));
});

for (const photometric of [0, 1]) {
  test(`compose keeps black black in group 4, photometric ${photometric}`, async ({
    compose,
    tiff,
    inside,
  }) => {
    // The first row is black, the others are white, whatever stands for white.
    const pixels = Buffer.alloc(8 * 40, photometric === 0 ? 0 : 255);
    pixels.fill(photometric === 0 ? 255 : 0, 0, 8);
    await writeTiff(tiff, { ...graySample(64, 40), bits: [1], photometric, pixels });
    const pdf = await compose();
    assert.is((await imagesOf(pdf))[0]?.encoding, 'ccitt');
    const args = ['-png', '-r', '300', '-singlefile', pdf, inside('shown')];
    const program = { file: 'pdftoppm', args, cwd: '/', env: programEnvironment() };
    await runProgram(program, { timeoutMs: 10_000 });
    const shown = await sharp(inside('shown.png')).toColourspace('b-w').raw().toBuffer();
    assert.is(shown[5], 0);
    assert.is(shown[64 * 20 + 5], 255);
  });
}

test('what OCRmyPDF prints is no answer', async ({ directory, compose }) => {
  const prints = 'print(\'{"result": {"bytes": 9}}\', flush=True)\ngiven[1].write(b"%PDF-1.7")';
  const script = await brokenWorker(directory, 'ocrmypdf.ocr', prints);
  const { toolbox } = await jobContext(directory, { script });
  assert.is(await readFile(await compose({}, { toolbox }), 'utf8'), '%PDF-1.7');
});

test('an image that will be too large is refused before it is read', async ({
  inside,
  context,
}) => {
  const tiff = inside('huge.tif');
  const small = { ...context, memoryBytes: 300 * 1024 * 1024 };
  const gray = graySample(60, 40);
  for (const [sample, pixels] of [
    [{ ...gray, width: 20_000, height: 14_000 }, '20000 x 14000'],
    // The coarse way gets as many pixels as the fine way.
    [{ ...gray, width: 2000, height: 1500, dpi: [1200, 300] as const }, '2000 x 6000'],
  ] as const) {
    await writeTiff(tiff, sample);
    const said = await unreadable(prepareImage({ tiff, plain: inside('plain.tif') }, small));
    assert.match(said, pixels);
  }
});

test('a Python of the user, and its modules, are not used', async ({
  inside,
  tiff,
  context,
  directory,
}) => {
  await writeFile(inside('PIL.py'), 'raise SystemExit(3)');
  await writeFile(inside('page_image.py'), 'raise SystemExit(3)');
  const facts = await prepareImage({ tiff, plain: null }, { ...context, directory });
  assert.is(facts.width, 60);
});

test.run();
