import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { understandsTrace } from '../../../../helpers/processor/page/trace-check.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { REAL_PATH } from '../support/fake-programs.ts';
import { jobContext, oneShotToolbox } from '../support/job-context.ts';
import { pageTiff, pageWork, recognized } from '../support/page-samples.ts';

const test = withFixture(suite('the trace of Tesseract'), async () => {
  const temporary = await temporaryDirectory();
  const { path: directory } = temporary;
  return {
    directory,
    /** With a Tesseract whose trace goes through a sed script. */
    understands: async (sed: string): Promise<boolean> => {
      const script = `#!/bin/sh\n/usr/bin/tesseract "$@" && sed -i '${sed}' "$2.log"\n`;
      await writeFile(path.join(directory, 'tesseract'), script, { mode: 0o755 });
      const searchPath = `${directory}:${REAL_PATH}`;
      const toolbox = oneShotToolbox(searchPath);
      return understandsTrace('eng', await jobContext(directory, { toolbox }));
    },
    close: () => temporary.remove(),
  };
});

test('is understood as this Tesseract writes it', async ({ understands }) => {
  assert.is(await understands(''), true);
});

test('is not understood when a word of it has changed', async ({ understands }) => {
  assert.is(await understands('s/Best choice:/Top choice:/'), false);
  assert.is(await understands('s/Processing word with lang/Looking at/'), false);
  assert.is(await understands('s/ C=/ certainty=/'), false);
});

test('that is not understood leaves a page as it was scanned, with a warning', async ({
  directory,
}) => {
  const { file } = await pageTiff(directory, 'letter-bank', { turned: 180, height: 700 });
  const options = { rotate_pages: true };
  const work = pageWork(directory, file, { options, tracing: false });
  const { facts, warnings } = await recognized(work);
  assert.is(facts.turned, 0);
  assert.match(warnings.join(), /not checked for its orientation/);
});

test.run();
