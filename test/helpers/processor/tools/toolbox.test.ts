import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Ended } from '../../../../helpers/child-process.ts';
import {
  describeEnd,
  runTool,
  type JobContext,
} from '../../../../helpers/processor/tools/toolbox.ts';
import { assert, rejection, withFixture } from '../../../support/suite.ts';
import { jobContext } from '../support/job-context.ts';

const test = withFixture('running a program for a request', async (directory) => {
  return {
    directory,
    run: async (
      script: string,
      { stdoutFile, ...where }: Partial<JobContext> & { stdoutFile?: string } = {},
    ): Promise<Ended> => {
      const programs = { tool: script };
      const context = await jobContext(directory, { programs, timeoutMs: 60_000, ...where });
      const file = stdoutFile === undefined ? {} : { stdoutFile };
      return runTool({ file: 'tool', args: [], ...file }, context);
    },
  };
});

test("runs in the request's directory, one thread, no more", async ({ run, directory }) => {
  const { stdout } = await run('pwd; env');
  const [cwd, ...lines] = stdout.split('\n');
  assert.is(cwd, directory);
  const names = lines.map((line) => line.replace(/=.*/, '')).filter((name) => name !== 'PWD');
  const expected = ['HOME', 'LANG', 'OMP_THREAD_LIMIT', 'PATH', 'TMPDIR'];
  // The shell's own, and the one with which the runner measures coverage.
  const own = names.filter((name) => name !== '_' && name !== 'NODE_V8_COVERAGE');
  assert.equal(own.toSorted(), expected);
  assert.ok(lines.includes('OMP_THREAD_LIMIT=1'));
  assert.ok(lines.includes(`TMPDIR=${directory}`));
});

test('writes what is no text to a file', async ({ run, directory }) => {
  const stdoutFile = path.join(directory, 'out');
  await run(String.raw`printf '\000\377\r\n'`, { stdoutFile });
  assert.equal([...(await readFile(stdoutFile))], [0, 255, 13, 10]);
});

test('gets no more memory than it may use', async ({ run }) => {
  const { stdout } = await run('ulimit -v', { memoryBytes: 512 * 1024 * 1024 });
  assert.is(stdout, String(512 * 1024));
});

test("rejects with the reason of the signal, not the program's", async ({ run }) => {
  const signal = AbortSignal.timeout(200);
  assert.is(await rejection(run('sleep 600', { signal })), signal.reason);
  const aborted = AbortSignal.abort(new Error('given up'));
  assert.match(String(await rejection(run('exit 0', { signal: aborted }))), /given up/);
});

test('says how a program ended', async ({ run, directory }) => {
  assert.is(
    describeEnd(await run('echo one >&2; echo "the last" >&2; exit 3')),
    'ended with exit code 3: the last',
  );
  assert.is(describeEnd(await run('exit 3')), 'ended with exit code 3');
  assert.is(describeEnd(await run('kill -ABRT $$')), 'was killed by SIGABRT');
  const late = await run('sleep 600', { timeoutMs: 100 });
  assert.ok(late.timedOut && late.durationMs >= 95, `${late.durationMs} ms`);
  assert.is(describeEnd({ ...late, durationMs: 600 }), 'was ended after 1 s');
  const missing = await runTool({ file: 'nothing', args: [] }, await jobContext(directory));
  assert.is(describeEnd(missing), 'is not installed');
});

test('says no more than a line of bounded length', async ({ run }) => {
  const said = describeEnd(await run('head -c 100000 /dev/zero | tr "\\0" x >&2; exit 1'));
  assert.is(said, `ended with exit code 1: ${'x'.repeat(200)}`);
});
