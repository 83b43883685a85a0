import { readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import Joi from 'joi';
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
      options: { image?: string; out?: string; languages?: string[]; dpi?: number },
      signal?: AbortSignal,
    ): Promise<End> => {
      const given = { image: page.file, out: 'out', languages: ['eng'], dpi: 300, ...options };
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

test('finds the same on a page, whatever page was before', async ({ directory, recognize }) => {
  const { file } = await pageTiff(directory, 'letter-bank', { height: 900 });
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

test('outlives a page that crashes, and goes on', async ({ become, recognize, logged }) => {
  await become('echo "out of cheese" >&2; kill -SEGV $$');
  const crashed = await recognize({});
  assert.equal(crashed, { exit_code: null, signal: 'SIGSEGV', stderr: 'out of cheese\n' });
  await become(null);
  assert.equal(await recognize({}), WENT_WELL);
  assert.not.match(logged(), /python_worker_died/);
});

test('says what it cannot do', async ({ directory, recognize }) => {
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
