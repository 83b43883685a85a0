import path from 'node:path';
import sharp from 'sharp';
import { shippedPage } from '../../../support/pages.ts';
import { archiveLevelOf, imagesOf } from '../support/inspect-pdf.ts';
import { pageTiff, scanned } from '../support/page-samples.ts';
import { startBench } from '../support/processor-bench.ts';
import { graySample, writeTiff } from '../support/tiff-sample.ts';
import { assert, suite } from '../../../support/suite.ts';
import { validatePdfA } from './validate-pdfa.ts';

const test = suite('PDF/A in the eyes of an independent validator');

const bench = await startBench();
const { directory } = bench;

/** The upper part of a page, in colour. */
async function colourTiff(name: string): Promise<string> {
  const area = { left: 0, top: 0, width: 2000, height: 900 };
  const page = sharp(shippedPage(name).file).extract(area);
  return (await scanned(path.join(directory, `${name}.tif`), page, { mode: 'colour' })).file;
}

/** Gray text, colour, line art, no text at all, text in layers: every encoding that pages have. */
async function everyKind(): Promise<string[]> {
  const tiffs = [
    (await pageTiff(directory, 'letter-bank', { height: 900 })).file,
    await colourTiff('brochure-color'),
    (await pageTiff(directory, 'invoice', { height: 900, bilevel: true })).file,
    (await writeTiff(path.join(directory, 'blank.tif'), graySample(400, 300))).file,
  ];
  const pages: string[] = [];
  const add = async (tiff: string, optimize: number): Promise<void> => {
    const page = await bench.postPage(tiff, `rotate_pages=false&optimize=${optimize}`);
    assert.is(page.status, 200, page.message);
    pages.push(page.file);
  };
  for (const optimize of [0, 1]) for (const tiff of tiffs) await add(tiff, optimize);
  await add(await colourTiff('letter-bank'), 3);
  assert.is((await imagesOf(pages.at(-1) ?? '')).length, 3);
  return pages;
}

const pages = await everyKind();
const OPTIONS = { title: 'Größe & <Tee>', output_type: 'pdfa' };

test('a document of every kind of page is PDF/A', async () => {
  const document = await bench.postDocument(pages, OPTIONS);
  assert.is(document.status, 200, document.message);
  assert.equal(document.warnings, []);
  assert.is(await archiveLevelOf(document.file), '2B');
  assert.equal(await validatePdfA(document.file), []);
});

test('the validator is one: a plain PDF does not pass', async () => {
  const plain = await bench.postDocument(pages, { ...OPTIONS, output_type: 'pdf' });
  assert.is.not((await validatePdfA(plain.file)).length, 0);
});

test('ends, and leaves nothing', () => bench.close());
