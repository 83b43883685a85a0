import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Failure } from '../../../../helpers/failure.ts';
import { recognizeText } from '../../../../helpers/processor/page/tesseract.ts';
import type { PythonJobs } from '../../../../helpers/processor/tools/python-jobs.ts';
import type { JobContext } from '../../../../helpers/processor/tools/toolbox.ts';
import { rejection } from '../../../support/rejection.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { changedRecognizer } from '../support/changed-recognizer.ts';
import { REAL_PATH } from '../support/fake-programs.ts';
import { jobContext, oneShotPython, oneShotToolbox } from '../support/job-context.ts';
import { placedWords } from '../support/inspect-pdf.ts';
import { pageTiff } from '../support/page-samples.ts';
import { graySample, writeTiff } from '../support/tiff-sample.ts';

const test = withFixture(suite('text recognition'), async () => {
  const temporary = await temporaryDirectory();
  const directory = temporary.path;
  const file = path.join(directory, 'blank.tif');
  await writeTiff(file, graySample(300, 200));
  return {
    directory,
    blank: { file, width: 300, height: 200, dpi: 300, bilevel: false },
    /** Where it runs, with the real Tesseract, or with one that does as the script says. */
    context: (script?: string, given: Partial<JobContext> = {}): Promise<JobContext> =>
      jobContext(directory, {
        ...(script !== undefined && { programs: { tesseract: script } }),
        ...given,
      }),
    close: () => temporary.remove(),
  };
});

test('the confidence is that of the TSV of Tesseract', async ({ directory, context }) => {
  const image = await pageTiff(directory, 'invoice', { height: 900 });
  const recognition = await recognizeText(image, ['eng'], await context());
  const tsv = await context(
    'exec /usr/bin/tesseract "$1" "$2" --dpi 300 --psm 3 -c textonly_pdf=1 pdf tsv',
  );
  await recognizeText(image, ['eng'], tsv);
  const rows = (await readFile(path.join(directory, 'invoice-0-text.tsv'), 'utf8'))
    .split('\n')
    .map((line) => line.split('\t'))
    .filter((columns) => columns[0] === '5' && columns[11]?.trim() !== '');
  const characters = rows.reduce((sum, row) => sum + (row[11]?.length ?? 0), 0);
  const weighted = rows.reduce((sum, row) => sum + (row[11]?.length ?? 0) * Number(row[10]), 0);
  assert.ok(recognition.ok);
  if (!recognition.ok) return;
  assert.ok(
    Math.abs(recognition.words.confidence - weighted / characters) < 2,
    `${recognition.words.confidence} and ${weighted / characters}`,
  );
});

/** A recogniser that cannot make copies of itself, but for each after the first `failures`. */
function shortOfProcesses(directory: string, failures: number): Promise<PythonJobs> {
  return changedRecognizer(directory, [
    'fork = os.fork',
    'def short():',
    '    with open("forks", "a+") as forks:',
    '        forks.write("x")',
    `        if forks.tell() > ${failures}:`,
    '            return fork()',
    '    raise BlockingIOError(11, "Resource temporarily unavailable")',
    'os.fork = short',
  ]);
}

/** A recogniser whose first page has no descriptors left once the models are read. */
function shortOfDescriptors(directory: string): Promise<PythonJobs> {
  return changedRecognizer(directory, [
    'import resource',
    'load = recognizer.tesseract_for',
    'def short(languages):',
    '    tesseract = load(languages)',
    '    if not os.path.exists("before"):',
    '        free = os.open("before", os.O_CREAT)',
    '        os.close(free)',
    '        resource.setrlimit(resource.RLIMIT_NOFILE, (free, free))',
    '    return tesseract',
    'recognizer.tesseract_for = short',
  ]);
}

for (const [lacking, recognizer] of [
  ['processes', (directory: string) => shortOfProcesses(directory, 1)],
  ['descriptors', shortOfDescriptors],
] as const) {
  test(`a Tesseract that could not be started once, for want of ${lacking}, is started again`, async ({
    directory,
    context,
  }) => {
    const image = await pageTiff(directory, 'invoice', { height: 500 });
    const { toolbox, ...given } = await context();
    const recognizers = await recognizer(directory);
    const short = { ...given, toolbox: { ...toolbox, recognizers } };
    const recognition = await recognizeText(image, ['eng'], short);
    assert.ok(recognition.ok);
    if (recognition.ok) assert.ok(recognition.words.words > 5);
  });
}

test('a Tesseract that could not be started twice is a failure, and not a page without text', async ({
  directory,
  blank,
  context,
}) => {
  const { toolbox, ...given } = await context();
  const broken = path.join(directory, 'broken.py');
  await writeFile(broken, 'raise OSError(24, "Too many open files")');
  for (const [recognizers, reason] of [
    [await shortOfProcesses(directory, 2), /BlockingIOError: .*temporarily unavailable/],
    [oneShotPython(REAL_PATH, broken), /exit code 1: OSError: .*Too many open files/],
  ] as const) {
    const short = { ...given, toolbox: { ...toolbox, recognizers } };
    const error = await rejection(recognizeText(blank, ['eng'], short));
    assert.is((error as Failure).code, 'processing_failed', String(error));
    assert.match((error as Failure).message, /^The text of the page could not be recognised\. Try/);
    assert.match((error as Failure).message, reason);
  }
});

test('a list of words that cannot be read is no page without words', async ({
  directory,
  blank,
  context,
}) => {
  const image = await pageTiff(directory, 'invoice', { height: 500 });
  const unreadable = 'rm "$2.json"; mkdir "$2.json"; : > "$2.pdf"';
  const once = `if rmdir "$2.json"; then echo "[]" > "$2.json"; exec /usr/bin/tesseract "$@"; fi; ${unreadable}`;
  const recognition = await recognizeText(image, ['eng'], await context(once));
  assert.ok(recognition.ok);
  if (recognition.ok) assert.ok((await placedWords(recognition.textPdf)).length > 5);
  const always = await context(`rmdir "$2.json"; ${unreadable}`);
  const error = await rejection(recognizeText(blank, ['eng'], always));
  assert.is((error as Failure).code, 'processing_failed', String(error));
});

test('a Tesseract that is not there gives a reason', async ({ blank, context, directory }) => {
  const toolbox = oneShotToolbox(directory);
  const recognition = await recognizeText(blank, ['eng'], await context(undefined, { toolbox }));
  assert.equal(recognition, { ok: false, reason: 'is not installed' });
});

test.run();
