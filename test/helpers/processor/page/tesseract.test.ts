import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import Joi from 'joi';
import { plainReading } from '../../../../helpers/processor/page/reading.ts';
import { recognizeText, type Recognition } from '../../../../helpers/processor/page/tesseract.ts';
import type { PageImage } from '../../../../helpers/processor/page/plain-tiff.ts';
import type { PythonJobs } from '../../../../helpers/processor/tools/toolbox.ts';
import { makePipe } from '../../../support/make-pipe.ts';
import { startedProgram } from '../../../support/native-programs.ts';
import { processOf, readProcess, stillAlive } from '../../../support/processes.ts';
import { outputOf } from '../../../support/programs.ts';
import {
  assert,
  failure,
  rejection,
  temporaryDirectory,
  withFixture,
} from '../../../support/suite.ts';
import { changedRecognizer } from '../support/changed-recognizer.ts';
import { REAL_PATH } from '../support/fake-programs.ts';
import { jobContext, keptToolbox, oneShotPython, toolboxAt } from '../support/job-context.ts';
import { pageTiff } from '../support/page-samples.ts';
import { graySample, writeTiff } from '../support/tiff-sample.ts';

interface End {
  exit_code: number | null;
  signal: string | null;
  stderr: string;
}

const END = Joi.object<End>().unknown();
const WENT_WELL: End = { exit_code: 0, signal: null, stderr: '' };

const shared = await temporaryDirectory();
const blank = await writeTiff(path.join(shared.path, 'blank.tif'), graySample(300, 200));
const page = await pageTiff(shared.path, 'invoice', { height: 490 });
const toolbox = await keptToolbox();

const test = withFixture('text recognition', (directory) => {
  const context = jobContext(directory, toolbox);
  return Promise.resolve({
    directory,
    read: (image: PageImage, recognizers = toolbox.recognizers): Promise<Recognition> =>
      recognizeText(plainReading(image), ['eng'], {
        ...context,
        toolbox: { ...toolbox, recognizers },
      }),
    recognize: (
      options: { image?: string; out?: string; languages?: string[]; dpi?: number },
      signal = context.signal,
    ): Promise<End> => {
      const given = { image: page.file, out: 'out', languages: ['eng'], dpi: 300, ...options };
      const job = { job: 'recognize', options: given, schema: END };
      return toolbox.recognizers.run(job, { ...context, signal });
    },
    close: () => toolbox.restore(),
  });
});
test.after(() => toolbox.close());
test.after(() => shared.remove());

function assertWords(recognition: Recognition, least: number): void {
  assert.ok(recognition.ok && recognition.words.words > least, JSON.stringify(recognition));
}

test('words and confidence match the TSV of Tesseract, without blanks for rules', async ({
  read,
}) => {
  const recognition = await read(page);
  const args = [page.file, '-', '--dpi', '300', '--psm', '3', 'tsv'];
  const rows = (await outputOf('tesseract', args, { env: { OMP_THREAD_LIMIT: '1' } }))
    .split('\n')
    .map((line) => line.split('\t'))
    .filter((columns) => columns[0] === '5' && columns[11]?.trim() !== '')
    .map((columns) => [columns[11]?.length ?? 0, Number(columns[10])] as const);
  const characters = rows.reduce((sum, [length]) => sum + length, 0);
  const weighted = rows.reduce((sum, [length, confidence]) => sum + length * confidence, 0);
  assert.ok(recognition.ok);
  if (!recognition.ok) return;
  assert.is(recognition.words.words, rows.length);
  const off = Math.abs(recognition.words.confidence - weighted / characters);
  assert.ok(off < 2, `${recognition.words.confidence} and ${weighted / characters}`);
});

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

/** A recognizer that loads the models, then runs out of file descriptors on its first page. */
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
  test(`a Tesseract that lacked ${lacking} is started again`, async ({ directory, read }) => {
    assertWords(await read(page, await recognizer(directory)), 5);
  });
}

test('a Tesseract that twice fails to start is a failure', async ({ directory, read }) => {
  const broken = path.join(directory, 'broken.py');
  await writeFile(broken, 'raise OSError(24, "Too many open files")');
  for (const [recognizers, reason] of [
    [await shortOfProcesses(directory, 2), /BlockingIOError: .*temporarily unavailable/],
    [oneShotPython(REAL_PATH, broken), /exit code 1: OSError: .*Too many open files/],
  ] as const) {
    const { message } = await failure('processing_failed', read(blank, recognizers));
    assert.match(message, /^The text of the page could not be recognized\. Try/);
    assert.match(message, reason);
  }
});

test('unreadable words are not treated as an empty page', async ({ read }) => {
  const unreadable = 'rm "$2.json"; mkdir "$2.json"; : > "$2.pdf"';
  const words = JSON.stringify([{ sideways: false, words: [['word', 90, 0, 0, 9, 9]] }]);
  const once = `if rmdir "$2.json"; then echo '${words}' > "$2.json"; exit 0; fi; ${unreadable}`;
  await toolbox.replace({ tesseract: once });
  assertWords(await read(page), 0);
  await toolbox.replace({ tesseract: `rmdir "$2.json"; ${unreadable}` });
  await failure('processing_failed', read(blank));
});

const DAMAGED = new Uint8Array(100_000).fill(7);

/**
 * A recognizer with this file as its English model, or with none, and with added lines of Python.
 */
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
  test(`a model that is ${what} loses only the text of the page`, async ({ directory, read }) => {
    const recognition = await read(page, await withModel(directory, model));
    assert.match(
      recognition.ok ? '' : recognition.reason,
      /^cannot load the models of eng: Failed/,
    );
  });
}

test('a model that cannot be read from disk is a failure, not a page without text', async (given) => {
  const recognizers = await withModel(given.directory, DAMAGED, [
    'def unread(file):',
    '    raise OSError(5, "Input/output error")',
    'recognizer.Path.read_bytes = unread',
  ]);
  const { message } = await failure('processing_failed', given.read(page, recognizers));
  assert.match(message, /^The text of the page could not be .*OSError: .*Input\/output error/);
});

test('a model that becomes readable a moment later is used', async ({ directory, read }) => {
  const recognizers = await changedRecognizer(directory, [
    'tesserocr = recognizer.tesserocr',
    'load = tesserocr.PyTessBaseAPI',
    'def unread(**options):',
    '    tesserocr.PyTessBaseAPI = load',
    '    raise RuntimeError("Failed to init API")',
    'tesserocr.PyTessBaseAPI = unread',
  ]);
  assertWords(await read(page, recognizers), 5);
});

test('a model that crashes Tesseract loses only the text', async ({ directory, read }) => {
  const crash = ['recognizer.tesseract_for = lambda languages: os.abort()'];
  const recognizers = await changedRecognizer(directory, crash);
  const recognition = await read(page, recognizers);
  assert.equal(recognition, { ok: false, reason: 'was killed by SIGABRT' });
});

test('a missing Tesseract is reported with a reason', async ({ directory }) => {
  const context = jobContext(directory, toolboxAt(directory));
  const recognition = await recognizeText(plainReading(blank), ['eng'], context);
  assert.equal(recognition, { ok: false, reason: 'is not installed' });
});

test('a recognizer reads a page alike, whatever page came before', async ({
  directory,
  recognize,
}) => {
  const { file } = await pageTiff(directory, 'letter-bank', { height: 480 });
  for (const out of ['first', 'again']) {
    assert.equal(await recognize({ image: file, out }), WENT_WELL);
    assert.equal(await recognize({ out: 'other', dpi: 150 }), WENT_WELL);
  }
  const [first = '', again, other] = await Promise.all(
    ['first', 'again', 'other'].map((out) => readFile(path.join(directory, `${out}.json`), 'utf8')),
  );
  assert.match(first, /"Northgate"/);
  assert.is(again, first);
  assert.not.equal(other, first);
});

test('a recognizer survives a crash on a page', async ({ recognize }) => {
  const logged = toolbox.logged();
  await toolbox.replace({ tesseract: 'echo "out of cheese" >&2; kill -SEGV $$' });
  const crashed = await recognize({});
  assert.equal(crashed, { exit_code: null, signal: 'SIGSEGV', stderr: 'out of cheese\n' });
  await toolbox.restore();
  assert.equal(await recognize({}), WENT_WELL);
  assert.is(toolbox.logged(), logged);
});

test('a recognizer names requests it cannot handle', async ({ directory, recognize }) => {
  const missing = await recognize({ image: path.join(directory, 'missing.tif') });
  assert.is(missing.exit_code, 1);
  assert.match(missing.stderr, /the page could not be processed/);
  assert.match(String(await rejection(recognize({ languages: ['xyz'] }))), /Failed to init/);
  assert.equal(await recognize({}), WENT_WELL);
});

test('the process of a page is called tesseract and has one thread', async ({
  directory,
  recognize,
}) => {
  const image = path.join(directory, 'pipe');
  await makePipe(image);
  const reading = recognize({ image });
  const pid = await startedProgram('tesseract', directory);
  const [command, environment] = [readProcess(pid, 'cmdline'), readProcess(pid, 'environ')];
  process.kill(pid, 'SIGKILL');
  assert.is((await reading).signal, 'SIGKILL');
  assert.match(command, /recognizer\.py/);
  assert.ok(environment.split('\0').includes('OMP_THREAD_LIMIT=1'));
});

test('the process of a page ends with its recognizer', async ({ directory, recognize }) => {
  await toolbox.replace({ tesseract: 'exec sleep 600' });
  const stop = new AbortController();
  const given = rejection(recognize({}, stop.signal));
  const pid = await startedProgram('sleep', directory);
  process.kill(processOf(pid)?.parent ?? 0, 'SIGKILL');
  assert.equal(await stillAlive([pid]), []);
  const second = await startedProgram('sleep', directory);
  stop.abort(new Error('gone'));
  assert.is(await given, stop.signal.reason);
  assert.equal(await stillAlive([second]), []);
});

test('a page with endless output is stopped', async ({ directory, recognize }) => {
  await toolbox.replace({ tesseract: 'exec cat /dev/zero > "$2.pdf"' });
  const { exit_code: code, stderr } = await recognize({});
  assert.is(code, 1);
  assert.match(stderr, /File too large/);
  assert.is((await stat(path.join(directory, 'out.pdf'))).size, 64 * 1024 * 1024);
});

test('a fork that cannot even write its error to a full disk ends, and answers stay in order', async ({
  directory,
  recognize,
  read,
}) => {
  await symlink('/dev/full', path.join(directory, 'out.err'));
  const end = await recognize({ image: path.join(directory, 'missing.tif') });
  assert.is(end.exit_code, 1);
  assertWords(await read(page), 10);
});
