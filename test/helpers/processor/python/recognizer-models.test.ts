import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Failure } from '../../../../helpers/failure.ts';
import { recognizeText, type Recognition } from '../../../../helpers/processor/page/tesseract.ts';
import type { PythonJobs } from '../../../../helpers/processor/tools/python-jobs.ts';
import { rejection } from '../../../support/rejection.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { changedRecognizer } from '../support/changed-recognizer.ts';
import { jobContext } from '../support/job-context.ts';
import { pageTiff } from '../support/page-samples.ts';

const DAMAGED = new Uint8Array(100_000).fill(7);

const test = withFixture(suite('the models of Tesseract'), async () => {
  const temporary = await temporaryDirectory();
  const directory = temporary.path;
  const page = await pageTiff(directory, 'invoice', { height: 500 });
  const models = path.join(directory, 'models');
  await mkdir(models);
  const { toolbox, ...context } = await jobContext(directory);
  return {
    /** A recogniser with this file as the model of English, or none, after these lines of Python. */
    withModel: async (
      model: Uint8Array | null,
      lines: readonly string[] = [],
    ): Promise<PythonJobs> => {
      if (model !== null) await writeFile(path.join(models, 'eng.traineddata'), model);
      return changedRecognizer(directory, lines, models);
    },
    withLines: (...lines: string[]): Promise<PythonJobs> => changedRecognizer(directory, lines),
    read: (recognizers: PythonJobs): Promise<Recognition> =>
      recognizeText(page, ['eng'], { ...context, toolbox: { ...toolbox, recognizers } }),
    close: () => temporary.remove(),
  };
});

for (const [what, model] of [
  ['damaged', DAMAGED],
  ['missing', null],
] as const) {
  test(`a model that is ${what} costs the page its text, and no more`, async ({
    withModel,
    read,
  }) => {
    const recognition = await read(await withModel(model));
    assert.is(recognition.ok, false);
    if (!recognition.ok) assert.match(recognition.reason, /^cannot load the models of eng: Failed/);
  });
}

test('a model that the disk does not give is a failure, and not a page without text', async ({
  withModel,
  read,
}) => {
  const recognizers = await withModel(DAMAGED, [
    'def unread(file):',
    '    raise OSError(5, "Input/output error")',
    'recognizer.Path.read_bytes = unread',
  ]);
  const error = (await rejection(read(recognizers))) as Failure;
  assert.is(error.code, 'processing_failed', String(error));
  assert.match(
    error.message,
    /^The text of the page could not be .*OSError: .*Input\/output error/,
  );
});

test('a model that the disk gives a moment later is used', async ({ withLines, read }) => {
  const recognizers = await withLines(
    'tesserocr = recognizer.tesserocr',
    'load = tesserocr.PyTessBaseAPI',
    'def unread(**options):',
    '    tesserocr.PyTessBaseAPI = load',
    '    raise RuntimeError("Failed to init API")',
    'tesserocr.PyTessBaseAPI = unread',
  );
  const recognition = await read(recognizers);
  assert.ok(recognition.ok);
  if (recognition.ok) assert.ok(recognition.words.words > 5);
});

test('a model over which Tesseract crashes costs the page its text, and no more', async ({
  withLines,
  read,
}) => {
  const recognizers = await withLines('recognizer.tesseract_for = lambda languages: os.abort()');
  assert.equal(await read(recognizers), { ok: false, reason: 'was killed by SIGABRT' });
});

test.run();
