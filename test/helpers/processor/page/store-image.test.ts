import { readFile } from 'node:fs/promises';
import sharp, { type Sharp } from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../../helpers/failure.ts';
import type { RecognizedPage } from '../../../../helpers/processor/page/recognize-page.ts';
import { rejection } from '../../../support/rejection.ts';
import { recoveredShare, shippedPage } from '../../../support/pages.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { fakePrograms } from '../support/fake-programs.ts';
import { imagesOf, textOf } from '../support/inspect-pdf.ts';
import { keptToolbox } from '../support/job-context.ts';
import { pageBench, pageTiff, recognized } from '../support/page-samples.ts';

const toolbox = keptToolbox();
const tests = suite('how the image of a page is stored');
tests.after(() => toolbox.close());
const test = withFixture(tests, () => pageBench(toolbox));

const HEIGHT = 1200;

/** A page of text with what else `change` puts on it. */
async function changedTiff(directory: string, change: (page: Sharp) => Sharp): Promise<string> {
  const { file } = await pageTiff(directory, 'letter-bank', { height: HEIGHT });
  const changed = file.replace('.tif', '-changed.tif');
  const perMm = 300 / 25.4;
  const options = {
    compression: 'none',
    xres: perMm,
    yres: perMm,
    resolutionUnit: 'inch',
  } as const;
  await change(sharp(file).toColourspace('srgb')).tiff(options).toFile(changed);
  return changed;
}

test('lineart is made of a gray page in the shade, recognised before, at a tenth of its size', async ({
  directory,
  workOn,
}) => {
  const shade = await sharp({
    create: { width: 2480, height: HEIGHT, channels: 3, background: '#fff' },
  })
    .composite([
      {
        input: Buffer.from(
          `<svg width="2480" height="${HEIGHT}"><linearGradient id="a"><stop offset="0" stop-color="#888"/><stop offset="1" stop-color="#fff"/></linearGradient><rect width="100%" height="100%" fill="url(#a)"/></svg>`,
        ),
      },
    ])
    .png()
    .toBuffer();
  const file = await changedTiff(directory, (page) =>
    page.composite([{ input: shade, blend: 'multiply' }]).removeAlpha(),
  );
  const gray = await recognized(workOn(file));
  const graySize = (await readFile(gray.pdf)).length;
  const { pdf, warnings, facts } = await recognized(workOn(file, { options: { lineart: true } }));
  assert.equal(warnings, []);
  assert.equal(facts, gray.facts);
  assert.equal(await imagesOf(pdf), [{ width: 2480, height: HEIGHT, encoding: 'ccitt', dpi: 300 }]);
  const size = (await readFile(pdf)).length;
  assert.ok(size < graySize / 4, `${size} of ${graySize}`);
  // Nearly all of the paper is white: shade that turned black would take a third of the page.
  const { data } = await sharp(`${directory}/bilevel.tif`)
    .raw()
    .toBuffer({ resolveWithObject: true });
  const ink = data.filter((value) => value === 0).length / data.length;
  assert.ok(ink > 0.03 && ink < 0.09, String(ink));
});

test('a page that cannot be made black and white stays gray, with a warning, unless it is refused or given up', async ({
  directory,
  workOn,
}) => {
  const { file } = await pageTiff(directory, 'invoice', { height: 300 });
  const failing = (error: Error, stop = new AbortController()): Promise<RecognizedPage> => {
    const options = { lineart: true, ocr: false };
    const { job, parts } = workOn(file, { options, signal: stop.signal });
    const { python } = parts.toolbox;
    const run: typeof python.run = (given, context) => {
      if (given.job !== 'binarize') return python.run(given, context);
      if (error.message === 'gone') stop.abort(error);
      return Promise.reject(error.message === 'gone' ? new Error('killed') : error);
    };
    const toolbox = { ...parts.toolbox, python: { ...python, run } };
    return recognized({ job, parts: { ...parts, toolbox } });
  };
  const { pdf, warnings } = await failing(new Error('broken'));
  assert.match(warnings.join(), /^making the page black and white failed: the page is as it was/);
  assert.is((await imagesOf(pdf ?? ''))[0]?.encoding, 'jpeg');
  for (const error of [new Failure('unreadable_page', 'damaged'), new Error('gone')]) {
    assert.is(await rejection(failing(error)), error);
  }
});

test('optimize 3 stores text in layers, with the ink in its colour, and reads as before', async ({
  directory,
  workOn,
}) => {
  const red =
    '<svg width="900" height="200"><rect y="60" width="900" height="30" fill="#c00000"/></svg>';
  const file = await changedTiff(directory, (page) =>
    page.composite([{ input: Buffer.from(red), left: 250, top: 900 }]).removeAlpha(),
  );
  const sizes: number[] = [];
  for (const optimize of [2, 3]) {
    const { pdf } = await recognized(workOn(file, { options: { optimize } }));
    sizes.push((await readFile(pdf)).length);
    const images = await imagesOf(pdf);
    assert.equal(
      images.map(({ encoding, dpi }) => [encoding, dpi]),
      optimize === 2
        ? [['jpeg', 300]]
        : [
            ['jpeg', 100],
            ['jpeg', 25],
            ['ccitt', 300],
          ],
    );
    const text = shippedPage('letter-bank').text.slice(0, 200);
    assert.ok(recoveredShare(text, await textOf(pdf)) > 0.9);
  }
  const [jpeg = 0, layered = 0] = sizes;
  assert.ok(layered < jpeg / 3, sizes.join());
});

const STAINS = {
  'a red stamp across its text':
    '<svg width="800" height="300"><rect x="20" y="20" width="760" height="260" fill="none" stroke="#c8202c" stroke-width="26"/><rect x="150" y="120" width="500" height="60" fill="#c8202c"/></svg>',
  'a ring of coffee':
    '<svg width="900" height="900"><circle cx="450" cy="450" r="420" fill="#e2cdb4" stroke="#b98a5a" stroke-width="36"/></svg>',
};

for (const [mark, svg] of Object.entries(STAINS)) {
  test(`optimize 3 keeps the layers of a page with ${mark}, on finer paper`, async ({
    directory,
    workOn,
  }) => {
    const file = await changedTiff(directory, (page) =>
      page
        .composite([{ input: Buffer.from(svg), left: 500, top: 250, blend: 'multiply' }])
        .removeAlpha(),
    );
    const options = { optimize: 3, ocr: false };
    const { pdf } = await recognized(workOn(file, { options }));
    assert.equal(
      (await imagesOf(pdf)).map(({ encoding, dpi }) => [encoding, dpi]),
      [
        ['jpeg', 150],
        ['jpeg', 25],
        ['ccitt', 300],
      ],
    );
  });
}

/** A photo of clouds, always the same, as SVG: its levels are `slope` × those of the clouds + `offset`. */
function photo(slope: number, offset: number): Buffer {
  const levels = `${slope} 0 0 0 ${offset} 0 ${slope} 0 0 ${offset} 0 0 ${slope} 0 ${offset} 0 0 0 0 1`;
  return Buffer.from(
    `<svg width="413" height="531"><filter id="clouds" x="0" y="0" width="100%" height="100%"><feTurbulence type="fractalNoise" baseFrequency="0.02" numOctaves="4"/><feColorMatrix values="${levels}"/></filter><rect width="100%" height="100%" filter="url(#clouds)"/></svg>`,
  );
}

for (const [tone, input] of Object.entries({ dark: photo(0.5, -0.1), pale: photo(0.5, 0.4) })) {
  test(`optimize 3 leaves a page with a ${tone} photo as one image`, async ({
    directory,
    workOn,
  }) => {
    const file = await changedTiff(directory, (page) =>
      page.composite([{ input, left: 1800, top: 500 }]).removeAlpha(),
    );
    const options = { optimize: 3, ocr: false };
    const { pdf } = await recognized(workOn(file, { options }));
    assert.is((await imagesOf(pdf)).length, 1);
  });
}

test('a page that was scanned black and white has no layers, and an empty one has none', async ({
  directory,
  workOn,
}) => {
  const options = { optimize: 3, ocr: false, lineart: true };
  const { file } = await pageTiff(directory, 'invoice', { height: 500, bilevel: true });
  const bilevel = await recognized(workOn(file, { options }));
  assert.equal(
    (await imagesOf(bilevel.pdf)).map(({ encoding }) => encoding),
    ['ccitt'],
  );
  const blank = await pageTiff(directory, 'blank-back-plain', { height: 500 });
  const page = await recognized(workOn(blank.file, { options: { ...options, lineart: false } }));
  assert.is((await imagesOf(page.pdf)).length, 1);
});

test('without OCR there is an image and no Tesseract', async ({ directory, workOn }) => {
  const { file } = await pageTiff(directory, 'invoice', { height: 300 });
  const searchPath = await fakePrograms(directory, { tesseract: 'exit 1' });
  const options = { ocr: false, rotate_pages: true };
  const { pdf, warnings, facts } = await recognized(workOn(file, { options, searchPath }));
  assert.equal(warnings, []);
  assert.equal([facts.words, facts.confidence, facts.turned], [0, null, 0]);
  assert.is((await textOf(pdf)).trim(), '');
});

test.run();
