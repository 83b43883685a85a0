import { once } from 'node:events';
import {
  programEnvironment,
  runProgram,
  startProgram,
  type Ended,
  type Program,
  type RunningProgram,
} from '../../helpers/child-process.ts';
import { stillAlive } from '../support/processes.ts';
import { assert, EVENT_MS, suite, within } from '../support/suite.ts';

const test = suite('child processes');

const program = (file: string, ...args: string[]): Program => ({
  file,
  args,
  cwd: '/',
  env: programEnvironment({ GIVEN: 'yes' }),
});

const run = (file: string, ...args: string[]): Promise<Ended> =>
  runProgram(program(file, ...args), { timeoutMs: EVENT_MS });

const start = (script: string, stop = new AbortController()): RunningProgram =>
  startProgram(program('sh', '-c', script), { timeoutMs: EVENT_MS, signal: stop.signal });

async function said({ stdout }: RunningProgram): Promise<string> {
  return String((await once(stdout, 'data'))[0]).trim();
}

test('report how they ended', async () => {
  const ended = await run('sh', '-c', 'echo out; echo err >&2; exit 7');
  assert.equal([ended.exitCode, ended.stdout, ended.stderr], [7, 'out', 'err']);
  assert.not.ok(ended.timedOut || ended.cancelled || ended.notFound);
});

test('get only the environment they are given', async () => {
  process.env['SECRET_OF_PARENT'] = 'x';
  const { stdout } = await run('env');
  delete process.env['SECRET_OF_PARENT'];
  assert.match(stdout, /^GIVEN=yes$/m);
  assert.match(stdout, /^LANG=C\.UTF-8$/m);
  assert.not.match(stdout, /SECRET_OF_PARENT/);
});

test('arguments are never interpreted by a shell', async () => {
  const argument = '$(id); `id` "x" \'y\'';
  assert.is((await run('printf', '%s', argument)).stdout, argument);
});

test('get no more memory than their limit', async () => {
  const limit = { timeoutMs: EVENT_MS, memoryBytes: 256 * 1024 * 1024 };
  const limited = await runProgram(program('sh', '-c', 'ulimit -v'), limit);
  assert.is(limited.stdout, String(256 * 1024));
  assert.ok((await runProgram(program('no-such-program'), limit)).notFound);
  assert.is((await run('sh', '-c', 'ulimit -v')).stdout, 'unlimited');
});

test('a missing program or directory is reported as an end, not thrown', async () => {
  const missing = await run('no-such-program');
  assert.ok(missing.notFound);
  assert.is.not(missing.exitCode, 0);
  const nowhere = { ...program('true'), cwd: '/nonexistent' };
  assert.is.not((await runProgram(nowhere, { timeoutMs: EVENT_MS })).exitCode, 0);
});

test('a program over its time limit is ended with all its children', async () => {
  const slow = program('sh', '-c', 'sleep 1000 & echo $!; wait');
  const { timedOut, stdout } = await within(EVENT_MS, runProgram(slow, { timeoutMs: 2000 }));
  assert.ok(timedOut);
  assert.is.not(stdout, '');
  assert.equal(await stillAlive([Number(stdout)]), []);
});

for (const [what, ignore, signal] of [
  ['is ended', '', 'SIGTERM'],
  ['that ignores SIGTERM is killed', 'trap "" TERM;', 'SIGKILL'],
] as const) {
  test(`a program ${what} and reports it when its signal is aborted`, async () => {
    const stop = new AbortController();
    const child = start(`${ignore} echo ready; exec sleep 1000`, stop);
    await said(child);
    stop.abort();
    const ended = await within(EVENT_MS, child.ended);
    assert.equal([ended.cancelled, ended.signal], [true, signal]);
  });
}

test('writing to a program that has ended is no error', async () => {
  const child = startProgram(program('true'), { timeoutMs: EVENT_MS });
  await child.ended;
  child.stdin.write('late\n');
  child.kill('SIGKILL');
});

test('a signal reaches the whole group', async () => {
  const child = start('sleep 1000 & echo $!; wait');
  const other = Number(await said(child));
  child.kill('SIGKILL');
  assert.is((await within(EVENT_MS, child.ended)).signal, 'SIGKILL');
  assert.equal(await stillAlive([other]), []);
});

test('dies with the process that started it, even by SIGKILL', async () => {
  const parent = `
    const { startProgram, programEnvironment } = await import(${JSON.stringify(new URL('../../helpers/child-process.ts', import.meta.url).href)});
    const child = startProgram({ file: 'sh', args: ['-c', 'echo $$; exec sleep 1000'], cwd: '/', env: programEnvironment() }, { timeoutMs: 60000 });
    child.stdout.pipe(process.stdout);
    setInterval(() => {}, 1000);
  `;
  const node = program(process.execPath, '--input-type=module', '-e', parent);
  const outer = startProgram(node, { timeoutMs: EVENT_MS });
  const grandchild = Number(await said(outer));
  process.kill(outer.pid ?? 0, 'SIGKILL');
  await within(EVENT_MS, outer.ended);
  assert.equal(await stillAlive([grandchild]), []);
});
