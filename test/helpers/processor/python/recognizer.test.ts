import { readFileSync } from 'node:fs';
import { mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import Joi from 'joi';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { programEnvironment, runProgram } from '../../../../helpers/child-process.ts';
import { recognizeText, type Recognition } from '../../../../helpers/processor/page/tesseract.ts';
import {
  createPythonJobs,
  type PythonJobs,
} from '../../../../helpers/processor/tools/python-jobs.ts';
import { capturedLog } from '../../../support/captured-log.ts';
import { parentOf, stillAlive } from '../../../support/processes.ts';
import { failure, rejection } from '../../../support/rejection.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { changedRecognizer } from '../support/changed-recognizer.ts';
import { REPLACEABLE_RECOGNIZER, fakePrograms } from '../support/fake-programs.ts';
import { jobContext } from '../support/job-context.ts';
import { startedProgram } from '../support/own-programs.ts';
import { pageTiff } from '../support/page-samples.ts';

interface End {
  exit_code: number | null;
  signal: string | null;
  stderr: string;
}

const END = Joi.object<End>().unknown();
const PDF = { user_defined_dpi: '300', textonly_pdf: '1', tessedit_create_pdf: '1' };
const WENT_WELL: End = { exit_code: 0, signal: null, stderr: '' };

const test = withFixture(suite('a recogniser'), async () => {
  const temporary = await temporaryDirectory();
  const directory = temporary.path;
  const { log, text } = capturedLog();
  const searchPath = await fakePrograms(directory, {});
  const python = createPythonJobs({ searchPath, log, script: REPLACEABLE_RECOGNIZER });
  const context = await jobContext(directory);
  const page = await pageTiff(directory, 'invoice', { height: 500 });
  return {
    directory,
    logged: text,
    recognize: (
      options: { image?: string; out?: string; languages?: string[]; settings?: object },
      signal?: AbortSignal,
    ): Promise<End> => {
      const given = { image: page.file, out: 'out', languages: ['eng'], settings: PDF, ...options };
      const job = { job: 'recognize', options: given, schema: END };
      return python.run(job, { ...context, ...(signal && { signal }) });
    },
    /** Has a shell script take the place of Tesseract, or Tesseract again. */
    become: async (script: string | null): Promise<void> => {
      if (script !== null) await fakePrograms(directory, { tesseract: script });
      else await rm(path.join(directory, 'fake-bin/tesseract'));
    },
    close: async () => {
      await python.close();
      await temporary.remove();
    },
  };
});

/** A PDF without the second in which it was made. */
async function pdfOf(file: string): Promise<string> {
  return (await readFile(file, 'latin1')).replace(/\(D:\d{14}/g, '(D:');
}

test('writes what the program of Tesseract writes, whatever page was before', async ({
  directory,
  recognize,
}) => {
  for (const name of ['letter-bank', 'invoice', 'letter-bank']) {
    const { file } = await pageTiff(directory, name, { height: 900 });
    assert.equal(await recognize({ image: file, out: 'ours' }), WENT_WELL);
    const options = Object.entries(PDF).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
    const args = [file, 'theirs', '-l', 'eng', '--psm', '3', ...options, 'pdf'];
    const env = programEnvironment({ OMP_THREAD_LIMIT: '1' });
    const program = { file: '/usr/bin/tesseract', args, cwd: directory, env };
    assert.is((await runProgram(program, { timeoutMs: 60_000 })).exitCode, 0);
    const inside = (written: string): string => path.join(directory, written);
    assert.is(await pdfOf(inside('ours.pdf')), await pdfOf(inside('theirs.pdf')), name);
  }
});

test('keeps no setting of the page before', async ({ directory, recognize }) => {
  await recognize({ out: 'first', settings: { ...PDF, tessedit_create_txt: '1' } });
  await recognize({ out: 'second' });
  const written = (await readdir(directory)).filter((name) => name.endsWith('.txt'));
  assert.equal(written, ['first.txt']);
});

test('outlives a page that crashes, and reads the next one', async ({
  become,
  recognize,
  logged,
}) => {
  await become('echo "out of cheese" >&2; kill -SEGV $$');
  const crashed = await recognize({});
  assert.equal(crashed, { exit_code: null, signal: 'SIGSEGV', stderr: 'out of cheese\n' });
  await become(null);
  assert.equal(await recognize({}), WENT_WELL);
  assert.not.match(logged(), /python_worker_died/);
});

test('says what it cannot do', async ({ directory, recognize }) => {
  const unknown = await recognize({ settings: { ...PDF, no_such_setting: '1' } });
  assert.is(unknown.exit_code, 1);
  assert.match(unknown.stderr, /Tesseract does not know no_such_setting/);
  const missing = await recognize({ image: path.join(directory, 'missing.tif') });
  assert.is(missing.exit_code, 1);
  assert.match(missing.stderr, /the page could not be processed/);
  assert.match(String(await rejection(recognize({ languages: ['xyz'] }))), /Failed to init/);
  assert.equal(await recognize({}), WENT_WELL);
});

test('the process of a page is called tesseract, and has one thread', async ({
  directory,
  recognize,
}) => {
  const { file } = await pageTiff(directory, 'letter-bank');
  const reading = recognize({ image: file });
  const pid = await startedProgram('tesseract', directory);
  const files = [`/proc/${pid}/cmdline`, `/proc/${pid}/environ`];
  const [command = '', environment = ''] = files.map((file) => readFileSync(file, 'utf8'));
  assert.equal(await reading, WENT_WELL);
  assert.match(command, /recognizer\.py/);
  assert.ok(environment.split('\0').includes('OMP_THREAD_LIMIT=1'));
});

test('the process of a page ends with its recogniser', async ({ directory, become, recognize }) => {
  await become('exec sleep 600');
  const stop = new AbortController();
  const given = rejection(recognize({}, stop.signal));
  const pid = await startedProgram('sleep', directory);
  process.kill(parentOf(pid), 'SIGKILL');
  assert.equal(await stillAlive([pid]), []);
  // The page is tried once more, by a new recogniser.
  const second = await startedProgram('sleep', directory);
  stop.abort(new Error('gone'));
  assert.is(await given, stop.signal.reason);
  assert.equal(await stillAlive([second]), []);
});

test('a page that writes without end is stopped by the size of its file', async ({
  directory,
  become,
  recognize,
}) => {
  await become('exec cat /dev/zero > "$2.pdf"');
  const { exit_code: code, stderr } = await recognize({});
  assert.is(code, 1);
  assert.match(stderr, /File too large/);
  assert.is((await stat(path.join(directory, 'out.pdf'))).size, 64 * 1024 * 1024);
});

const DAMAGED = new Uint8Array(100_000).fill(7);

const models = withFixture(suite('the models of Tesseract'), async () => {
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

for (const model of [DAMAGED, null]) {
  const what = model === null ? 'missing' : 'damaged';
  models(`a model that is ${what} costs the page its text, and no more`, async (given) => {
    const recognition = await given.read(await given.withModel(model));
    assert.match(
      recognition.ok ? '' : recognition.reason,
      /^cannot load the models of eng: Failed/,
    );
  });
}

models(
  'a model that the disk does not give is a failure, and no page without text',
  async (given) => {
    const recognizers = await given.withModel(DAMAGED, [
      'def unread(file):',
      '    raise OSError(5, "Input/output error")',
      'recognizer.Path.read_bytes = unread',
    ]);
    const { message } = await failure('processing_failed', given.read(recognizers));
    assert.match(message, /^The text of the page could not be .*OSError: .*Input\/output error/);
  },
);

models('a model that the disk gives a moment later is used', async ({ withLines, read }) => {
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

models(
  'a model over which Tesseract crashes costs the page its text',
  async ({ withLines, read }) => {
    const recognizers = await withLines('recognizer.tesseract_for = lambda languages: os.abort()');
    assert.equal(await read(recognizers), { ok: false, reason: 'was killed by SIGABRT' });
  },
);

test.run();
models.run();
