import path from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { moved, STILL } from '../../../../helpers/processor/page/motion.ts';
import type { PageImage } from '../../../../helpers/processor/page/plain-tiff.ts';
import { straighten } from '../../../../helpers/processor/page/straighten.ts';
import { recoveredShare, shippedPage } from '../../../support/pages.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { imagesOf, placedWords, textOf, type PlacedWord } from '../support/inspect-pdf.ts';
import { keptToolbox } from '../support/job-context.ts';
import { pageBench, pageTiff, recognized } from '../support/page-samples.ts';

const toolbox = keptToolbox();
const tests = suite('straightening a page');
tests.after(() => toolbox.close());
const test = withFixture(tests, () => pageBench(toolbox));

/** The places of words that follow each other; undefined when they do not. */
function placesOf(phrase: string, words: readonly PlacedWord[]): PlacedWord[] | undefined {
  const wanted = phrase.split(' ');
  const start = words.findIndex((_, at) =>
    wanted.every((text, index) => words[at + index]?.text === text),
  );
  return start < 0 ? undefined : words.slice(start, start + wanted.length);
}

test('a skewed page is level afterwards, of the same size as nothing is near its edges, and reads', async ({
  directory,
  workOn,
}) => {
  const { file } = await pageTiff(directory, 'letter-skewed');
  const work = workOn(file, { options: { deskew: true } });
  const page = await recognized(work);
  assert.equal(page.warnings, []);
  assert.ok(
    Math.abs(page.facts.turned) > 0.5 && Math.abs(page.facts.turned) < 5,
    String(page.facts.turned),
  );
  const [image] = await imagesOf(page.pdf);
  assert.equal([image?.width, image?.height, image?.dpi], [2480, 3508, 300]);
  const share = recoveredShare(shippedPage('letter-skewed').text, await textOf(page.pdf));
  assert.ok(share > 0.97, String(share));
  const line = placesOf('the closing of the railway', await placedWords(page.pdf));
  assert.ok(line, 'the phrase is on the page');
  const bottoms = (line ?? []).map(({ bottom }) => bottom);
  assert.ok(Math.max(...bottoms) - Math.min(...bottoms) < 1.5, bottoms.join(' '));
});

/** A page with a block of ink in each corner, as bits, gray or in colour. */
async function cornerTiff(directory: string, mode: 'bits' | 'gray' | 'colour'): Promise<PageImage> {
  const file = path.join(directory, `corners-${mode}.tif`);
  const [width, height, side] = [900, 1200, 90];
  const blocks = [0, width - side].flatMap((x) =>
    [0, height - side].map(
      (y) => `<rect x="${x}" y="${y}" width="${side}" height="${side}" fill="#152a6b"/>`,
    ),
  );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#f4eedd"/>${blocks.join('')}</svg>`;
  const page = sharp(Buffer.from(svg)).removeAlpha();
  const pixels = mode === 'bits' ? page.grayscale().threshold(128) : page;
  await pixels
    .toColourspace(mode === 'colour' ? 'srgb' : 'b-w')
    .tiff({
      compression: 'none',
      xres: PER_MM_150,
      yres: PER_MM_150,
      resolutionUnit: 'inch',
      ...(mode === 'bits' && { bitdepth: 1 }),
    })
    .toFile(file);
  return { file, width, height, dpi: 150, bilevel: mode === 'bits' };
}

const PER_MM_150 = 150 / 25.4;

/** How many pixels are ink, and the darkest pixel along the upper and lower edge. */
async function inkOf(file: string): Promise<{ ink: number; darkestEdge: number }> {
  const { data, info } = await sharp(file)
    .grayscale()
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const ink = data.reduce((count, value) => count + (value < 128 ? 1 : 0), 0);
  const rows = [0, info.height - 1].flatMap((y) => [
    ...data.subarray(y * info.width, (y + 1) * info.width),
  ]);
  return { ink, darkestEdge: Math.min(...rows) };
}

for (const mode of ['bits', 'gray', 'colour'] as const) {
  for (const skew of [0.4, -5, 15]) {
    test(`nothing in the corners is cut off a page that is askew by ${skew}° (${mode})`, async ({
      directory,
      workOn,
    }) => {
      const image = await cornerTiff(directory, mode);
      const opened = { image, motion: STILL, turned: 0, cropped: null, warnings: [] };
      const { image: straight, motion } = await straighten(opened, skew, workOn(image.file));
      const [before, after] = [await inkOf(image.file), await inkOf(straight.file)];
      assert.ok(Math.abs(after.ink / before.ink - 1) < 0.01, `${after.ink} of ${before.ink}`);
      // The size that is said is that of the file, and the corners of the page are inside.
      const size = await sharp(straight.file).metadata();
      assert.equal([straight.width, straight.height], [size.width, size.height]);
      for (const corner of [
        [0, 0],
        [image.width, 0],
        [0, image.height],
        [image.width, image.height],
      ] as const) {
        const [x, y] = moved(motion, corner);
        assert.ok(
          x > -1.5 && x < straight.width + 1.5 && y > -1.5 && y < straight.height + 1.5,
          `${x}, ${y}`,
        );
      }
    });
  }
}

for (const skew of [0.4, -0.4, 5, -3]) {
  test(`a page with nothing near its edges keeps its size at ${skew}°, and its corners are paper`, async ({
    directory,
    workOn,
  }) => {
    const { file, ...letter } = await pageTiff(directory, 'letter-landlord');
    const opened = {
      image: { file, ...letter },
      motion: STILL,
      turned: 0,
      cropped: null,
      warnings: [],
    };
    const { image } = await straighten(opened, skew, workOn(file));
    assert.equal([image.width, image.height], [letter.width, letter.height]);
    const { darkestEdge } = await inkOf(image.file);
    assert.ok(darkestEdge > 215, String(darkestEdge));
  });
}

test.run();
