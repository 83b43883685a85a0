import path from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { STILL } from '../../../../helpers/processor/page/motion.ts';
import { examinePage } from '../../../../helpers/processor/page/examine-page.ts';
import { straighten } from '../../../../helpers/processor/page/straighten.ts';
import { recoveredShare, shippedPage } from '../../../support/pages.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { imagesOf, placedWords, textOf, type PlacedWord } from '../support/inspect-pdf.ts';
import { pageBench, pageTiff, recognized } from '../support/page-samples.ts';

const test = withFixture(suite('straightening a page'), pageBench);

/** The places of words that follow each other; undefined when they do not. */
function placesOf(phrase: string, words: readonly PlacedWord[]): PlacedWord[] | undefined {
  const wanted = phrase.split(' ');
  const start = words.findIndex((_, at) =>
    wanted.every((text, index) => words[at + index]?.text === text),
  );
  return start < 0 ? undefined : words.slice(start, start + wanted.length);
}

test('a skewed page is level afterwards, of the same size, and reads', async ({
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

test('turns against the skew, whichever way it is, and finds it exactly', async ({
  directory,
  workOn,
}) => {
  const source = await pageTiff(directory, 'letter-landlord', { height: 1500 });
  for (const angle of [2, -2, 0.8]) {
    const file = path.join(directory, `skewed${angle}.tif`);
    const skewed = await sharp(source.file)
      .rotate(angle, { background: 'white' })
      .toColourspace('b-w')
      .withMetadata({ density: 300 })
      .tiff({ compression: 'none' })
      .toFile(file);
    const image = { ...source, file, width: skewed.width, height: skewed.height };
    const work = workOn(file, { options: { examine: true } });
    const { skew } = (
      await examinePage({ image, motion: STILL, turned: 0, cropped: null, warnings: [] }, work)
    ).findings;
    assert.ok(skew !== null && Math.abs(skew - angle) <= 0.15, `${skew} for ${angle}`);
    const page = await straighten(
      { image, motion: STILL, turned: 0, cropped: null, warnings: [] },
      skew,
      work,
    );
    assert.is(page.turned, -skew);
    // What it made is straight: measured again, nothing is left to turn.
    const { findings } = await examinePage(page, work);
    assert.ok(findings.skew !== null && Math.abs(findings.skew) <= 0.1, String(findings.skew));
    assert.is(await straighten(page, findings.skew, work), page);
  }
});

test.run();
