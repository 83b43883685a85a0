import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { programEnvironment, runProgram } from '../../../../helpers/child-process.ts';
import {
  composePage,
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
import { factsOf, imagesOf } from '../support/inspect-pdf.ts';
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
        { ...plain, placing: null, languages: ['eng'], ...given },
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

test('prepare tells what an image is, and writes it plain', async ({ tiff, inside, context }) => {
  const plain = inside('plain.tif');
  const facts = await prepareImage({ tiff, plain }, context);
  assert.equal(facts, {
    width: 60,
    height: 40,
    dpi: 300,
    bilevel: false,
    images: 1,
  });
  const { width, height, density } = await sharp(plain).metadata();
  assert.equal([width, height, density], [60, 40, 300]);
});

test('a page is turned however many pixels it has, whatever the worker did before', async (given) => {
  const { tiff, inside, directory } = given;
  // 192 million, as of A3 at 1200 dpi; Pillow refuses more than 179 by itself.
  const [width, height] = [16_000, 12_000];
  const pixels = Buffer.alloc((width / 8) * height);
  await writeTiff(tiff, { width, height, bits: [1], photometric: 1, pixels, dpi: [1200, 1200] });
  const turned = { tiff, out: inside('turned.tif'), quarters: 2, degrees: 0 } as const;
  assert.equal(await turnImage(turned, await jobContext(directory)), { width, height });
});

test('turn turns clockwise', async ({ tiff, inside, context }) => {
  // A dark corner at the upper left.
  const sample = graySample(60, 40);
  const pixels = Buffer.alloc(60 * 40, 255);
  for (let row = 0; row < 10; row += 1) pixels.fill(0, row * 60, row * 60 + 10);
  await writeTiff(tiff, { ...sample, pixels });
  for (const [quarters, left, top] of [
    [1, 30, 0],
    [2, 50, 30],
    [3, 0, 50],
  ] as const) {
    const out = inside(`turned-${quarters}.tif`);
    const size = await turnImage({ tiff, out, quarters, degrees: 0 }, context);
    assert.equal(size, quarters === 2 ? { width: 60, height: 40 } : { width: 40, height: 60 });
    const area = { left, top, width: 10, height: 10 };
    const corner = await sharp(out).extract(area).raw().toBuffer();
    assert.ok(
      corner.every((value) => value === 0),
      `${quarters} quarters`,
    );
  }
});

test('compose makes a page of the size of the paper', async ({ compose }) => {
  const pdf = await compose({ dpi: 72 });
  assert.match((await factsOf(pdf))['Page size'] ?? '', /^60 x 40 pts/);
  assert.equal(await imagesOf(pdf), [{ width: 60, height: 40, encoding: 'jpeg', dpi: 72 }]);
});

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

test('compose takes the JBIG2 stream that it is given', async ({ compose, tiff, inside }) => {
  await writeTiff(tiff, { ...graySample(64, 40), bits: [1], pixels: Buffer.alloc(8 * 40) });
  await writeFile(inside('page.jbig2'), 'a stream');
  const pdf = await compose({ jbig2: inside('page.jbig2') });
  assert.is((await imagesOf(pdf))[0]?.encoding, 'jbig2');
  assert.match((await readFile(pdf)).toString('latin1'), 'stream\na stream\nendstream');
});

test('what OCRmyPDF prints is no answer', async ({ directory, compose }) => {
  const prints = 'print(\'{"result": {"bytes": 9}}\', flush=True)\ngiven[1].write(b"%PDF-1.7")';
  const script = await brokenWorker(directory, 'ocrmypdf.ocr', prints);
  const { toolbox } = await jobContext(directory, { script });
  assert.is(await readFile(await compose({}, { toolbox }), 'utf8'), '%PDF-1.7');
});

test('a text layer that is no PDF is an error', async ({ compose, inside }) => {
  await writeFile(inside('text.pdf'), 'garbage');
  assert.match(String(await rejection(compose({ text: inside('text.pdf') }))), /PdfError/);
});

test('a file that is not what it should be is unreadable_page', async ({ inside, context }) => {
  const file = inside('bad');
  await writeFile(file, '%PDF-1.7 but no more');
  assert.match(await unreadable(prepareImage({ tiff: file, plain: null }, context)), /not a TIFF/);
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

test('a resolution that no scanner has is not believed', async ({ tiff, context }) => {
  for (const dpi of [
    [4800, 30],
    [1, 1],
  ] as const) {
    await writeTiff(tiff, { ...graySample(60, 40), dpi });
    const { width, height, dpi: found } = await prepareImage({ tiff, plain: null }, context);
    assert.equal([width, height, found], [60, 40, 300]);
  }
});

test('an error that is nobody’s fault is an error with its reason', async ({
  inside,
  tiff,
  context,
}) => {
  await mkdir(inside('directory'));
  const options = { tiff, plain: inside('directory') };
  assert.match(String(await rejection(prepareImage(options, context))), /IsADirectoryError/);
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
