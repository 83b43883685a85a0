import path from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { shippedPage } from '../../../support/pages.ts';
import { archiveLevelOf, imagesOf } from '../support/inspect-pdf.ts';
import { pageTiff } from '../support/page-samples.ts';
import { startBench, type ProcessorBench } from '../support/processor-bench.ts';
import { graySample, writeTiff } from '../support/tiff-sample.ts';
import { validatePdfA } from './validate-pdfa.ts';

const test = suite<{ bench: ProcessorBench; pages: string[] }>(
  'PDF/A in the eyes of an independent validator',
);

/** Gray text, colour, line art, no text at all, text in layers: every encoding that pages have. */
test.before(async (context) => {
  const bench = await startBench();
  const tiffs = [
    (await pageTiff(bench.directory, 'letter-bank', { height: 900 })).file,
    await colourTiff(bench.directory, 'brochure-color'),
    (await pageTiff(bench.directory, 'invoice', { height: 900, bilevel: true })).file,
    await blankTiff(bench.directory),
  ];
  context.bench = bench;
  context.pages = [];
  for (const optimize of [0, 1]) {
    for (const tiff of tiffs) {
      const page = await bench.postPage(tiff, `rotate_pages=false&optimize=${optimize}`);
      assert.is(page.status, 200, page.message);
      context.pages.push(page.file);
    }
  }
  const text = await colourTiff(bench.directory, 'letter-bank');
  const layered = await bench.postPage(text, 'rotate_pages=false&optimize=3');
  assert.is((await imagesOf(layered.file)).length, 3);
  context.pages.push(layered.file);
});

test.after(({ bench }) => bench.close());

async function colourTiff(directory: string, name: string): Promise<string> {
  const file = path.join(directory, `${name}-colour.tif`);
  await sharp(shippedPage(name).file)
    .extract({ left: 0, top: 0, width: 2000, height: 900 })
    .toColourspace('srgb')
    .tiff({ compression: 'none', xres: 300 / 25.4, yres: 300 / 25.4, resolutionUnit: 'inch' })
    .toFile(file);
  return file;
}

async function blankTiff(directory: string): Promise<string> {
  const file = path.join(directory, 'blank.tif');
  await writeTiff(file, graySample(400, 300));
  return file;
}

const OPTIONS = { title: 'Größe & <Tee>', output_type: 'pdfa' };

test('a document of every kind of page is PDF/A', async ({ bench, pages }) => {
  const document = await bench.postDocument(pages, OPTIONS);
  assert.is(document.status, 200, document.message);
  assert.equal(document.warnings, []);
  assert.is(await archiveLevelOf(document.file), '2B');
  assert.equal(await validatePdfA(document.file), []);
});

test('the validator is one: a plain PDF does not pass', async ({ bench, pages }) => {
  const plain = await bench.postDocument(pages, { ...OPTIONS, output_type: 'pdf' });
  assert.is.not((await validatePdfA(plain.file)).length, 0);
});

test.run();
