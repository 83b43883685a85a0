import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { STILL } from '../../../../helpers/processor/page/motion.ts';
import { contextFor, type PageWork } from '../../../../helpers/processor/page/page-work.ts';
import { recognizeText } from '../../../../helpers/processor/page/tesseract.ts';
import type { PageImage } from '../../../../helpers/processor/page/plain-tiff.ts';
import { turnUpright, type ReadPage } from '../../../../helpers/processor/page/turn-upright.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { fakePrograms } from '../support/fake-programs.ts';
import { textOf } from '../support/inspect-pdf.ts';
import { keptToolbox } from '../support/job-context.ts';
import { pageBench, pageTiff, pageWork, recognized } from '../support/page-samples.ts';

const toolbox = keptToolbox();
const tests = suite('turning a page upright');
tests.after(() => toolbox.close());
const test = withFixture(tests, () => pageBench(toolbox));

async function read(image: PageImage, work: PageWork): Promise<ReadPage> {
  const context = contextFor(image, work, 'recognition');
  const recognition = await recognizeText(image, work.job.options.languages, context);
  const reading = { image, motion: STILL };
  return { ...reading, reading, recognition, turned: 0, cropped: null, warnings: [] };
}

test('an upright page is left alone, and read once only', async ({ directory, workOn }) => {
  const image = await pageTiff(directory, 'invoice', { height: 1200 });
  const work = workOn(image.file);
  const before = await read(image, work);
  const nothingElse = workOn(image.file, { searchPath: '/nonexistent' });
  assert.is(await turnUpright(before, nothingElse), before);
});

test('a page that says too little is turned as the others of its scan, unless it reads worse then', async ({
  directory,
  toolbox,
  workOn,
}) => {
  // Each page has a directory of its own, as each request has.
  const follow = async (file: string): Promise<PageWork> =>
    pageWork(await mkdtemp(path.join(directory, 'page-')), file, {
      toolbox,
      options: { usual_turn: 180, rotate_pages: true },
    });
  // The name and the address of the sender, and no more.
  const sparse = await pageTiff(directory, 'letter-bank', { turned: 180, height: 230 });
  const alone = workOn(sparse.file);
  assert.is((await turnUpright(await read(sparse, alone), alone)).turned, 0);
  const turned = await recognized(await follow(sparse.file));
  assert.is(turned.facts.turned, 180);
  assert.ok((turned.facts.confidence ?? 0) > 65, String(turned.facts.confidence));
  const upright = await pageTiff(directory, 'letter-bank', { height: 230 });
  assert.is((await recognized(await follow(upright.file))).facts.turned, 0);
  const dust = await pageTiff(directory, 'blank-back-dust', { height: 800 });
  assert.is((await recognized(await follow(dust.file))).facts.turned, 180);
});

test('a side that the feeder scans upside down is turned first of all', async ({
  directory,
  workOn,
}) => {
  const { file } = await pageTiff(directory, 'letter-bank', { turned: 180, height: 700 });
  const options = { rotate: 180, rotate_pages: true } as const;
  const { facts, pdf, warnings } = await recognized(workOn(file, { options }));
  assert.equal([facts.turned, warnings], [180, []]);
  assert.match(await textOf(pdf), /Northgate Savings Bank/);
  // A sheet that was put in upside down as well is turned once more.
  const upright = await pageTiff(directory, 'letter-bank', { height: 700 });
  const page = await recognized(workOn(upright.file, { options }));
  assert.is(page.facts.turned, 0);
  assert.match(await textOf(page.pdf), /Northgate Savings Bank/);
});

test('a page that a person turned by a quarter is read as they see it', async ({
  directory,
  workOn,
}) => {
  for (const rotate of [90, 270] as const) {
    const turned = rotate === 90 ? 270 : 90;
    const { file } = await pageTiff(directory, 'letter-bank', { turned, height: 700 });
    const options = { rotate, rotate_pages: false } as const;
    const { facts, pdf, warnings } = await recognized(workOn(file, { options }));
    assert.equal([facts.turned, warnings], [rotate, []]);
    assert.match(await textOf(pdf), /Northgate Savings Bank/);
  }
});

test('a page whose second recognition fails stays as it was read first', async ({
  directory,
  workOn,
}) => {
  const image = await pageTiff(directory, 'invoice', { turned: 180, height: 1200 });
  const work = workOn(image.file);
  const before = await read(image, work);
  const searchPath = await fakePrograms(directory, { tesseract: 'kill -SEGV $$' });
  const after = await turnUpright(before, workOn(image.file, { searchPath }));
  assert.is(after, before);
});

test.run();
