import { readFile, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import Joi from 'joi';
import { programEnvironment, runProgram } from '../../../../helpers/child-process.ts';
import { createPythonJobs } from '../../../../helpers/processor/tools/python-jobs.ts';
import { capturedLog } from '../../../support/captured-log.ts';
import { processOf, readProcess, stillAlive } from '../../../support/processes.ts';
import { assert, rejection, withFixture } from '../../../support/suite.ts';
import { REPLACEABLE_RECOGNIZER, fakePrograms } from '../support/fake-programs.ts';
import { jobContext } from '../support/job-context.ts';
import { startedProgram } from '../../../support/native-programs.ts';
import { pageTiff } from '../support/page-samples.ts';

interface End {
  exit_code: number | null;
  signal: string | null;
  stderr: string;
}

const END = Joi.object<End>().unknown();
const PDF = { user_defined_dpi: '300', textonly_pdf: '1', tessedit_create_pdf: '1' };
const WENT_WELL: End = { exit_code: 0, signal: null, stderr: '' };

const test = withFixture('a recogniser', async (directory) => {
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
    close: () => python.close(),
  };
});

/** A PDF without the second in which it was made. */
async function pdfOf(file: string): Promise<string> {
  return (await readFile(file, 'latin1')).replace(/\(D:\d{14}/g, '(D:');
}

test('writes what Tesseract itself writes', async ({ directory, recognize }) => {
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

test('outlives a page that crashes, and goes on', async ({ become, recognize, logged }) => {
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

test("a page's process is called tesseract, has one thread", async ({ directory, recognize }) => {
  const { file } = await pageTiff(directory, 'letter-bank');
  const reading = recognize({ image: file });
  const pid = await startedProgram('tesseract', directory);
  const [command, environment] = [readProcess(pid, 'cmdline'), readProcess(pid, 'environ')];
  assert.equal(await reading, WENT_WELL);
  assert.match(command, /recognizer\.py/);
  assert.ok(environment.split('\0').includes('OMP_THREAD_LIMIT=1'));
});

test('the process of a page ends with its recogniser', async ({ directory, become, recognize }) => {
  await become('exec sleep 600');
  const stop = new AbortController();
  const given = rejection(recognize({}, stop.signal));
  const pid = await startedProgram('sleep', directory);
  process.kill(processOf(pid)?.parent ?? 0, 'SIGKILL');
  assert.equal(await stillAlive([pid]), []);
  // The page is tried once more, by a new recogniser.
  const second = await startedProgram('sleep', directory);
  stop.abort(new Error('gone'));
  assert.is(await given, stop.signal.reason);
  assert.equal(await stillAlive([second]), []);
});

test('a page that writes without end is stopped', async ({ directory, become, recognize }) => {
  await become('exec cat /dev/zero > "$2.pdf"');
  const { exit_code: code, stderr } = await recognize({});
  assert.is(code, 1);
  assert.match(stderr, /File too large/);
  assert.is((await stat(path.join(directory, 'out.pdf'))).size, 64 * 1024 * 1024);
});
