import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { understandsTrace } from '../../../../helpers/processor/page/trace-check.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { REAL_PATH } from '../support/fake-programs.ts';
import { jobContext, oneShotPython, oneShotToolbox } from '../support/job-context.ts';
import { pageTiff, pageWork, recognized } from '../support/page-samples.ts';

const test = withFixture(suite('the trace of Tesseract'), async () => {
  const temporary = await temporaryDirectory();
  const { path: directory } = temporary;
  /** With a Tesseract that does as the script says. */
  const understandsOf = async (script: string): Promise<boolean> => {
    await writeFile(path.join(directory, 'tesseract'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const toolbox = oneShotToolbox(`${directory}:${REAL_PATH}`);
    return understandsTrace('eng', await jobContext(directory, { toolbox }));
  };
  return {
    directory,
    understandsOf,
    /** With a Tesseract whose trace goes through a sed script. */
    understands: (sed: string) =>
      understandsOf(`/usr/bin/tesseract "$@" && sed -i '${sed}' "$2.log"`),
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

test('is not doubted because a recognition failed', async ({ directory, understandsOf }) => {
  assert.is(await understandsOf('kill -KILL $$'), true);
  const script = path.join(directory, 'broken.py');
  await writeFile(script, 'raise OSError(24, "Too many open files")');
  const context = await jobContext(directory);
  const toolbox = { ...context.toolbox, recognizers: oneShotPython(REAL_PATH, script) };
  assert.is(await understandsTrace('eng', { ...context, toolbox }), true);
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
