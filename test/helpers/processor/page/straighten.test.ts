import path from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { straighten } from '../../../../helpers/processor/page/straighten.ts';
import { recoveredShare, shippedPage } from '../../../support/pages.ts';
import { rejection } from '../../../support/rejection.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { fakePrograms } from '../support/fake-programs.ts';
import { imagesOf, placedWords, textOf, type PlacedWord } from '../support/inspect-pdf.ts';
import { pageTiff, pageWork, recognized } from '../support/page-samples.ts';

const test = withFixture(suite('straightening a page'), async () => {
  const temporary = await temporaryDirectory();
  return { directory: temporary.path, close: () => temporary.remove() };
});

/** The places of words that follow each other; undefined when they do not. */
function placesOf(phrase: string, words: readonly PlacedWord[]): PlacedWord[] | undefined {
  const wanted = phrase.split(' ');
  const start = words.findIndex((_, at) =>
    wanted.every((text, index) => words[at + index]?.text === text),
  );
  return start < 0 ? undefined : words.slice(start, start + wanted.length);
}

test('a skewed page is level afterwards, of the same size, and reads', async ({ directory }) => {
  const { file } = await pageTiff(directory, 'letter-skewed');
  const work = pageWork(directory, file, { options: { deskew: true } });
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

test('turns against the skew, whichever way it is', async ({ directory }) => {
  const source = await pageTiff(directory, 'letter-landlord', { height: 1500 });
  for (const angle of [2, -2]) {
    const file = path.join(directory, `skewed${angle}.tif`);
    const skewed = await sharp(source.file)
      .rotate(angle, { background: 'white' })
      .toColourspace('b-w')
      .withMetadata({ density: 300 })
      .tiff({ compression: 'none' })
      .toFile(file);
    const image = { ...source, file, width: skewed.width, height: skewed.height };
    const work = pageWork(directory, file);
    const page = await straighten({ image, turned: 0, warnings: [] }, work);
    assert.ok(Math.abs(page.turned + angle) < 0.3, `${page.turned} for ${angle}`);
    // What it made is straight: measured again, nothing is left to turn.
    assert.is(await straighten(page, work), page);
  }
});

test('a page that is level is left alone, without a copy', async ({ directory }) => {
  const image = await pageTiff(directory, 'invoice', { height: 1500 });
  const page = { image, turned: 0, warnings: [] };
  assert.is(await straighten(page, pageWork(directory, image.file)), page);
});

test('an angle that no feeder makes is not believed', async ({ directory }) => {
  const image = await pageTiff(directory, 'invoice', { height: 200 });
  const page = { image, turned: 0, warnings: [] };
  const searchPath = await fakePrograms(directory, { tesseract: 'echo "Deskew angle: 0.4"' });
  assert.is(await straighten(page, pageWork(directory, image.file, { searchPath })), page);
});

test('a Tesseract that does not measure is an error', async ({ directory }) => {
  const image = await pageTiff(directory, 'invoice', { height: 200 });
  const searchPath = await fakePrograms(directory, { tesseract: 'kill -KILL $$' });
  const work = pageWork(directory, image.file, { searchPath });
  const error = await rejection(straighten({ image, turned: 0, warnings: [] }, work));
  assert.match(String(error), /did not measure/);
});

test.run();
