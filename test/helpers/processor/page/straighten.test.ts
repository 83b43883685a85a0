import { suite } from 'uvu';
import * as assert from 'uvu/assert';
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

test.run();
