import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { recognizeText, type Recognition } from '../../../../helpers/processor/page/tesseract.ts';
import type { PageImage } from '../../../../helpers/processor/page/plain-tiff.ts';
import type { PythonJobs } from '../../../../helpers/processor/tools/python-jobs.ts';
import { assert, failure, withFixture } from '../../../support/suite.ts';
import { changedRecognizer } from '../support/changed-recognizer.ts';
import { REAL_PATH } from '../support/fake-programs.ts';
import { jobContext, oneShotPython, oneShotToolbox } from '../support/job-context.ts';
import { pageTiff } from '../support/page-samples.ts';
import { graySample, writeTiff } from '../support/tiff-sample.ts';

const test = withFixture('text recognition', async (directory) => {
  const file = path.join(directory, 'blank.tif');
  return {
    directory,
    blank: await writeTiff(file, graySample(300, 200)),
    page: await pageTiff(directory, 'invoice', { height: 500 }),
    /** What an image says to the real Tesseract, or to one that does as the script says, or to other recognisers. */
    read: async (
      image: PageImage,
      { script, recognizers }: { script?: string; recognizers?: PythonJobs } = {},
    ): Promise<Recognition> => {
      const programs = script === undefined ? {} : { tesseract: script };
      const { toolbox, ...context } = await jobContext(directory, { programs });
      const used = { ...toolbox, ...(recognizers && { recognizers }) };
      return recognizeText(image, ['eng'], { ...context, toolbox: used });
    },
  };
});

/** That a page was read, with more than so many words. */
function assertWords(recognition: Recognition, least: number): void {
  assert.ok(recognition.ok && recognition.words.words > least, JSON.stringify(recognition));
}

test('the confidence is that of the TSV of Tesseract', async ({ directory, read }) => {
  const image = await pageTiff(directory, 'invoice', { height: 900 });
  const recognition = await read(image);
  await read(image, {
    script: 'exec /usr/bin/tesseract "$1" "$2" --dpi 300 --psm 3 -c textonly_pdf=1 pdf tsv',
  });
  const rows = (await readFile(path.join(directory, 'invoice-0-text.tsv'), 'utf8'))
    .split('\n')
    .map((line) => line.split('\t'))
    .filter((columns) => columns[0] === '5' && columns[11]?.trim() !== '')
    .map((columns) => [columns[11]?.length ?? 0, Number(columns[10])] as const);
  const characters = rows.reduce((sum, [length]) => sum + length, 0);
  const weighted = rows.reduce((sum, [length, confidence]) => sum + length * confidence, 0);
  assert.ok(recognition.ok);
  if (!recognition.ok) return;
  const off = Math.abs(recognition.words.confidence - weighted / characters);
  assert.ok(off < 2, `${recognition.words.confidence} and ${weighted / characters}`);
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
  test(`a Tesseract that lacked ${lacking} is started again`, async ({ directory, page, read }) => {
    assertWords(await read(page, { recognizers: await recognizer(directory) }), 5);
  });
}

test('a Tesseract that fails to start twice is a failure', async ({ directory, blank, read }) => {
  const broken = path.join(directory, 'broken.py');
  await writeFile(broken, 'raise OSError(24, "Too many open files")');
  for (const [recognizers, reason] of [
    [await shortOfProcesses(directory, 2), /BlockingIOError: .*temporarily unavailable/],
    [oneShotPython(REAL_PATH, broken), /exit code 1: OSError: .*Too many open files/],
  ] as const) {
    const { message } = await failure('processing_failed', read(blank, { recognizers }));
    assert.match(message, /^The text of the page could not be recognised\. Try/);
    assert.match(message, reason);
  }
});

test('unreadable words are not a page without words', async ({ blank, page, read }) => {
  const unreadable = 'rm "$2.json"; mkdir "$2.json"; : > "$2.pdf"';
  const words = JSON.stringify([{ sideways: false, words: [['word', 90, 0, 0, 9, 9]] }]);
  const once = `if rmdir "$2.json"; then echo '${words}' > "$2.json"; exit 0; fi; ${unreadable}`;
  assertWords(await read(page, { script: once }), 0);
  const always = `rmdir "$2.json"; ${unreadable}`;
  await failure('processing_failed', read(blank, { script: always }));
});

const DAMAGED = new Uint8Array(100_000).fill(7);

/** A recogniser with this file as the model of English, or none, after these lines of Python. */
async function withModel(
  directory: string,
  model: Uint8Array | null,
  lines: readonly string[] = [],
): Promise<PythonJobs> {
  const models = path.join(directory, 'models');
  await mkdir(models);
  if (model !== null) await writeFile(path.join(models, 'eng.traineddata'), model);
  return changedRecognizer(directory, lines, models);
}

for (const model of [DAMAGED, null]) {
  const what = model === null ? 'missing' : 'damaged';
  test(`a model that is ${what} costs the page its text, and no more`, async (given) => {
    const recognizers = await withModel(given.directory, model);
    const recognition = await given.read(given.page, { recognizers });
    assert.match(
      recognition.ok ? '' : recognition.reason,
      /^cannot load the models of eng: Failed/,
    );
  });
}

test('a model that the disk does not give is a failure, and no page without text', async (given) => {
  const recognizers = await withModel(given.directory, DAMAGED, [
    'def unread(file):',
    '    raise OSError(5, "Input/output error")',
    'recognizer.Path.read_bytes = unread',
  ]);
  const { message } = await failure('processing_failed', given.read(given.page, { recognizers }));
  assert.match(message, /^The text of the page could not be .*OSError: .*Input\/output error/);
});

test('a model that the disk gives a moment later is used', async ({ directory, page, read }) => {
  const recognizers = await changedRecognizer(directory, [
    'tesserocr = recognizer.tesserocr',
    'load = tesserocr.PyTessBaseAPI',
    'def unread(**options):',
    '    tesserocr.PyTessBaseAPI = load',
    '    raise RuntimeError("Failed to init API")',
    'tesserocr.PyTessBaseAPI = unread',
  ]);
  assertWords(await read(page, { recognizers }), 5);
});

test('a model that crashes Tesseract costs the text', async ({ directory, page, read }) => {
  const crash = ['recognizer.tesseract_for = lambda languages: os.abort()'];
  const recognizers = await changedRecognizer(directory, crash);
  const recognition = await read(page, { recognizers });
  assert.equal(recognition, { ok: false, reason: 'was killed by SIGABRT' });
});

test('a Tesseract that is not there gives a reason', async ({ blank, directory }) => {
  const context = await jobContext(directory, { toolbox: oneShotToolbox(directory) });
  const recognition = await recognizeText(blank, ['eng'], context);
  assert.equal(recognition, { ok: false, reason: 'is not installed' });
});
