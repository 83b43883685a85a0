import { existsSync } from 'node:fs';
import { readFile, readlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Ended } from '../../../../helpers/child-process.ts';
import {
  startWarmPython,
  type ScriptOptions,
} from '../../../../helpers/processor/tools/warm-python.ts';
import { capturedLog } from '../../../support/captured-log.ts';
import { parentOf, stillAlive } from '../../../support/processes.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { within } from '../../../support/within.ts';
import { startedProgram } from '../support/own-programs.ts';

/** For a script that does next to nothing, the start of Python included, on a machine that is busy with OCR. */
const SCRIPT_MS = 20_000;

/** What `run` gives where the warm Python gives nothing. */
const LOST: Ended = {
  exitCode: undefined,
  signal: 'lost',
  stdout: '',
  stderr: '',
  timedOut: false,
  cancelled: false,
  notFound: false,
  durationMs: 0,
};

const test = withFixture(suite('a warm Python'), async () => {
  const temporary = await temporaryDirectory();
  const directory = temporary.path;
  const captured = capturedLog();
  const python = startWarmPython(captured.log);
  let scripts = 0;
  return {
    directory,
    python,
    logged: captured.text,
    run: async (
      lines: readonly string[],
      {
        args = [],
        ...options
      }: Partial<ScriptOptions> & { readonly args?: readonly string[] } = {},
    ): Promise<Ended> => {
      const file = path.join(directory, `script-${(scripts += 1)}.py`);
      await writeFile(file, lines.join('\n'));
      const signal = new AbortController().signal;
      const script = { file, args, cwd: directory, env: { GREETING: 'hello' } };
      const ended = await within(
        SCRIPT_MS,
        python.run(script, { timeoutMs: SCRIPT_MS, signal, ...options }),
      );
      return ended ?? LOST;
    },
    close: async () => {
      await python.close();
      await temporary.remove();
    },
  };
});

/** Lines that write the id of the process that they run in to a file. */
const TELL_PID = ['import os, time', 'open("pid", "a").write(f"{os.getpid()}\\n")'];

async function toldPids(directory: string): Promise<number[]> {
  return (await readFile(path.join(directory, 'pid'), 'utf8')).trim().split('\n').map(Number);
}

test('runs a script in its directory, with its arguments and nothing but its environment', async ({
  run,
  directory,
}) => {
  const lines = [
    'import os, sys, json',
    'print(json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ), __name__, sys.stdin.read()]))',
  ];
  const ended = await run(lines, { args: ['a b', '$(id)', ''] });
  const expected = [['a b', '$(id)', ''], directory, { GREETING: 'hello' }, '__main__', ''];
  assert.equal(JSON.parse(ended.stdout), expected);
  assert.equal([ended.exitCode, ended.signal], [0, undefined]);
});

test('tells every way in which a script can end as Python itself does', async ({ run }) => {
  const ends: readonly (readonly [string, number | undefined, string | undefined, RegExp])[] = [
    ['pass', 0, undefined, /^$/],
    ['import sys; sys.exit(7)', 7, undefined, /^$/],
    ['raise SystemExit', 0, undefined, /^$/],
    ['raise SystemExit("no paper")', 1, undefined, /^no paper$/],
    ['1/0', 1, undefined, /ZeroDivisionError: division by zero$/],
    ['import', 1, undefined, /SyntaxError/],
    ['import missing_module', 1, undefined, /ModuleNotFoundError/],
    ['import os; os._exit(15)', 15, undefined, /^$/],
    ['import os; os.kill(os.getpid(), 11)', undefined, 'SIGSEGV', /^$/],
    ['import os; os.abort()', undefined, 'SIGABRT', /^$/],
  ];
  for (const [line, exitCode, signal, stderr] of ends) {
    const ended = await run([line]);
    assert.equal([ended.exitCode, ended.signal, ended.timedOut], [exitCode, signal, false], line);
    assert.match(ended.stderr, stderr, line);
  }
});

test('a script leaves nothing behind for the next one', async ({ run }) => {
  await run(['import os, sys', 'sys.marked = os.environ["MARK"] = "x"', 'os.chdir("/")']);
  const seen = await run(['import os, sys', 'print(hasattr(sys, "marked"), "MARK" in os.environ)']);
  assert.is(seen.stdout, 'False False');
});

test('what loads long is loaded already', async ({ run }) => {
  const { stdout } = await run(['import sys', 'print("PIL.Image" in sys.modules)']);
  assert.is(stdout, 'True');
  const pdf = await run([
    'import sys',
    'print("pikepdf" in sys.modules, "ocrmypdf" in sys.modules)',
  ]);
  assert.is(pdf.stdout, 'True True');
});

test('writes what is no text to a file', async ({ run, directory }) => {
  const stdoutFile = path.join(directory, 'out');
  const lines = ['import sys, os', 'sys.stdout.buffer.write(bytes([0, 255, 13, 10]))'];
  assert.is((await run(lines, { stdoutFile })).stdout, '');
  assert.equal([...(await readFile(stdoutFile))], [0, 255, 13, 10]);
});

test('a script that cannot write all of its output has failed', async ({ run }) => {
  const ended = await run(['print("x" * 10)'], { stdoutFile: '/dev/full' });
  assert.is(ended.exitCode, 1);
});

test('a script that cannot be begun says why', async ({ run, directory }) => {
  const ended = await run(['pass'], { stdoutFile: path.join(directory, 'nowhere/out') });
  assert.is(ended.exitCode, 1);
  assert.match(ended.stderr, /No such file or directory: '.*nowhere\/out'/);
});

test('runs scripts beside each other', async ({ run, directory }) => {
  const waiting = ['import os, time', 'while not os.path.exists("go"): time.sleep(0.01)'];
  const first = run(waiting);
  const second = run(waiting);
  await run(['open("go", "w")']);
  assert.equal([(await first).exitCode, (await second).exitCode], [0, 0]);
  assert.ok(existsSync(path.join(directory, 'go')));
});

test('a script that takes too long is killed, with all it has started', async ({
  run,
  directory,
}) => {
  const lines = [...TELL_PID, 'os.fork()', ...TELL_PID, 'time.sleep(600)'];
  const ended = await run(lines, { timeoutMs: 1500 });
  assert.equal([ended.signal, ended.timedOut, ended.cancelled], ['SIGKILL', true, false]);
  assert.equal(await stillAlive(await toldPids(directory)), []);
});

test('what a script left running ends with it', async ({ run, directory }) => {
  const lines = [
    ...TELL_PID,
    'told, tell = os.pipe()',
    'if os.fork(): os.read(told, 1), os._exit(3)',
    ...TELL_PID,
    'os.write(tell, b"x")',
    'time.sleep(600)',
  ];
  const ended = await run(lines);
  assert.is(ended.exitCode, 3);
  assert.equal(await stillAlive(await toldPids(directory)), []);
});

test('a script that was given up is killed', async ({ run, directory }) => {
  const given = new AbortController();
  const ended = run([...TELL_PID, 'time.sleep(600)'], { signal: given.signal });
  const pid = await startedProgram('script-1.py', directory);
  given.abort();
  const { signal, cancelled, timedOut } = await ended;
  assert.equal([signal, cancelled, timedOut], ['SIGKILL', true, false]);
  assert.equal(await stillAlive([pid]), []);
  const before = await run(['import time; time.sleep(600)'], { signal: AbortSignal.abort() });
  assert.ok(before.cancelled);
});

test('a script that prints without end is killed, and its first megabytes are kept', async ({
  run,
}) => {
  const ended = await run(['import sys', 'while True: sys.stdout.write("x" * 100_000)']);
  assert.is(ended.signal, 'SIGKILL');
  assert.ok(ended.stdout.length > 1_000_000 && ended.stdout.length <= 4_000_000);
});

test('when it dies, its scripts are lost and gone, and the next one finds a new one', async ({
  run,
  directory,
  logged,
}) => {
  const ended = run([...TELL_PID, 'time.sleep(600)']);
  const pid = await startedProgram('script-1.py', directory);
  const parent = parentOf(pid);
  process.kill(parent, 'SIGKILL');
  assert.is((await ended).signal, 'lost');
  assert.equal(await stillAlive([pid, parent]), []);
  assert.is((await run(['print("again")'])).stdout, 'again');
  assert.match(logged(), /the warm Python died/);
});

test('one that is stuck is ended with its script', async ({ run, directory }) => {
  const given = new AbortController();
  const ended = run([...TELL_PID, 'time.sleep(600)'], { signal: given.signal });
  const pid = await startedProgram('script-1.py', directory);
  const parent = parentOf(pid);
  process.kill(parent, 'SIGSTOP');
  given.abort();
  assert.is((await ended).signal, 'SIGKILL');
  assert.equal(await stillAlive([pid, parent]), []);
});

test('a script has no file open that is not its own', async ({ run, directory }) => {
  const other = run([...TELL_PID, 'time.sleep(600)'], { timeoutMs: 4000 });
  const pid = await startedProgram('script-1.py', directory);
  const { stdout } = await run(['import os', 'print(os.listdir("/proc/self/fd"))']);
  // The last one is the listing itself.
  assert.is(stdout, "['0', '1', '2', '3']");
  assert.is(await readlink(`/proc/${pid}/fd/0`), '/dev/null');
  await other;
});

test('ends with all that it runs when it is closed', async ({ run, python, directory }) => {
  const ended = run([...TELL_PID, 'time.sleep(600)']);
  const pid = await startedProgram('script-1.py', directory);
  await within(SCRIPT_MS, python.close());
  assert.is((await ended).signal, 'lost');
  assert.equal(await stillAlive([pid]), []);
});

test.run();
