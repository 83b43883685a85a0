import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  programEnvironment,
  runProgram,
  startProgram,
  type Program,
} from '../../helpers/child-process.ts';
import { stillAlive } from '../support/processes.ts';
import { within } from '../support/within.ts';

const test = suite('child processes');

/** For what a test waits for, on a machine however busy. */
const EVENT_MS = 60_000;

const program = (file: string, ...args: string[]): Program => ({
  file,
  args,
  cwd: '/',
  env: programEnvironment({ GIVEN: 'yes' }),
});

test('tell how they ended', async () => {
  const ended = await runProgram(program('sh', '-c', 'echo out; echo err >&2; exit 7'), {
    timeoutMs: EVENT_MS,
  });
  assert.is(ended.exitCode, 7);
  assert.is(ended.stdout, 'out');
  assert.is(ended.stderr, 'err');
  assert.not.ok(ended.timedOut || ended.cancelled || ended.notFound);
});

test('get only the environment they are given', async () => {
  process.env['SECRET_OF_PARENT'] = 'x';
  const { stdout } = await runProgram(program('env'), { timeoutMs: EVENT_MS });
  delete process.env['SECRET_OF_PARENT'];
  assert.match(stdout, /^GIVEN=yes$/m);
  assert.match(stdout, /^LANG=C\.UTF-8$/m);
  assert.not.match(stdout, /SECRET_OF_PARENT/);
});

test('arguments are never read by a shell', async () => {
  const { stdout } = await runProgram(program('printf', '%s', '$(id); `id` "x" \'y\''), {
    timeoutMs: EVENT_MS,
  });
  assert.is(stdout, '$(id); `id` "x" \'y\'');
});

test('get no more memory than they are given', async () => {
  const limit = { timeoutMs: EVENT_MS, memoryBytes: 256 * 1024 * 1024 };
  const limited = await runProgram(program('sh', '-c', 'ulimit -v'), limit);
  assert.is(limited.stdout, String(256 * 1024));
  const missing = await runProgram(program('no-such-program'), limit);
  assert.ok(missing.notFound);
  const { stdout } = await runProgram(program('sh', '-c', 'ulimit -v'), { timeoutMs: EVENT_MS });
  assert.is(stdout, 'unlimited');
});

test('a program that is not there is an end, not an exception', async () => {
  const ended = await runProgram(program('no-such-program'), { timeoutMs: EVENT_MS });
  assert.ok(ended.notFound);
  assert.is.not(ended.exitCode, 0);
});

test('a directory that is not there is an end, not an exception', async () => {
  const ended = await runProgram(
    { ...program('true'), cwd: '/nonexistent' },
    { timeoutMs: EVENT_MS },
  );
  assert.is.not(ended.exitCode, 0);
});

test('a program over its time is ended with all that it started', async () => {
  const ended = await within(
    EVENT_MS,
    runProgram(program('sh', '-c', 'sleep 1000 & echo $!; wait'), { timeoutMs: 2000 }),
  );
  assert.ok(ended.timedOut);
  assert.is.not(ended.stdout, '');
  assert.equal(await stillAlive([Number(ended.stdout)]), []);
});

test('a program that ignores SIGTERM is killed', async () => {
  const stop = new AbortController();
  const child = startProgram(program('sh', '-c', 'trap "" TERM; echo ready; sleep 1000'), {
    timeoutMs: EVENT_MS,
    signal: stop.signal,
  });
  await once(child.stdout, 'data');
  stop.abort();
  assert.is((await within(EVENT_MS, child.ended)).signal, 'SIGKILL');
});

test('is ended when its signal is aborted, and says so', async () => {
  const stop = new AbortController();
  const child = startProgram(program('sh', '-c', 'echo ready; sleep 1000'), {
    timeoutMs: 60_000,
    signal: stop.signal,
  });
  await once(child.stdout, 'data');
  stop.abort();
  assert.ok((await within(EVENT_MS, child.ended)).cancelled);
});

test('is spoken to while it runs', async () => {
  const child = startProgram(program('cat'), { timeoutMs: EVENT_MS });
  child.stdin.write('hello\n');
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  assert.is(String(chunk), 'hello\n');
  child.stdin.end();
  assert.is((await child.ended).exitCode, 0);
});

test('writing to a program that has ended is no error', async () => {
  const child = startProgram(program('true'), { timeoutMs: EVENT_MS });
  await child.ended;
  child.stdin.write('late\n');
  child.kill('SIGKILL');
});

test('a signal reaches the whole group', async () => {
  const child = startProgram(program('sh', '-c', 'sleep 1000 & echo $!; wait'), {
    timeoutMs: 60_000,
  });
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  child.kill('SIGKILL');
  assert.is((await within(EVENT_MS, child.ended)).signal, 'SIGKILL');
  assert.equal(await stillAlive([Number(String(chunk))]), []);
});

test('dies with the process that started it, even by SIGKILL', async () => {
  const parent = `
    const { startProgram, programEnvironment } = await import(${JSON.stringify(new URL('../../helpers/child-process.ts', import.meta.url).href)});
    const child = startProgram({ file: 'sh', args: ['-c', 'echo $$; exec sleep 1000'], cwd: '/', env: programEnvironment() }, { timeoutMs: 60000 });
    child.stdout.pipe(process.stdout);
    setInterval(() => {}, 1000);
  `;
  const outer = startProgram(program(process.execPath, '--input-type=module', '-e', parent), {
    timeoutMs: 60_000,
  });
  const [chunk] = (await once(outer.stdout, 'data')) as [Buffer];
  const grandchild = Number(String(chunk));
  process.kill(outer.pid ?? 0, 'SIGKILL');
  await within(EVENT_MS, outer.ended);
  assert.equal(await stillAlive([grandchild]), []);
});

test.run();
