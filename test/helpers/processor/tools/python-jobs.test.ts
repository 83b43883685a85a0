import Joi from 'joi';
import { existsSync } from 'node:fs';
import { readFile, writeFile, rename } from 'node:fs/promises';
import path from 'node:path';
import type { Failure } from '../../../../helpers/failure.ts';
import { createPythonJobs } from '../../../../helpers/processor/tools/python-jobs.ts';
import {
  type JobContext,
  describeEnd,
  runTool,
} from '../../../../helpers/processor/tools/toolbox.ts';
import type { Ended } from '../../../../helpers/child-process.ts';
import {
  findTools,
  type InstalledTools,
} from '../../../../helpers/processor/tools/installed-tools.ts';
import { capturedLog } from '../../../support/captured-log.ts';
import { stillAlive } from '../../../support/processes.ts';
import {
  assert,
  EVENT_MS,
  rejection,
  thrown,
  until,
  withFixture,
  within,
} from '../../../support/suite.ts';
import { REAL_PATH, fakePrograms } from '../support/fake-programs.ts';
import { jobContext, toolboxAt, keptToolbox, oneShotPython } from '../support/job-context.ts';
import { startedProgram } from '../../../support/native-programs.ts';

/** Executes jobs as lines of Python. `memory` reveals what a job leaves for the next one. */
const WORKER = `
import json, os, signal, subprocess, sys, time
memory = {}
for line in sys.stdin:
    order = json.loads(line)
    scope = {"memory": memory, "order": order, "answer": {"result": {"pid": os.getpid()}}}
    exec(order["options"]["code"], globals(), scope)
    print(json.dumps(scope["answer"]), flush=True)
`;

const test = withFixture('jobs in Python', async (directory) => {
  const script = path.join(directory, 'worker.py');
  await writeFile(script, WORKER);
  const { log, text } = capturedLog();
  const python = createPythonJobs({ searchPath: REAL_PATH, log, script });
  const context = jobContext(directory);
  return {
    directory,
    python,
    logged: text,
    run: (code: string, given: Partial<JobContext> = {}): Promise<{ pid: number }> => {
      const schema = Joi.object<{ pid: number }>({ pid: Joi.number().required() });
      const job = { job: 'test', options: { code }, schema };
      return within(EVENT_MS, python.run(job, { ...context, ...given }), code);
    },
    close: () => python.close(),
  };
});

test('share a process in sequence, but not in parallel', async ({ run }) => {
  const first = await run('');
  assert.equal(await run(''), first);
  const [one, two] = await Promise.all([run('time.sleep(0.2)'), run('time.sleep(0.2)')]);
  assert.is.not(one.pid, two.pid);
  assert.ok([one.pid, two.pid].includes(first.pid));
});

test('an error is a failure of its kind', async ({ run }) => {
  for (const [kind, expected] of [
    ['unreadable', /unreadable_page: because/],
    ['no_space', /insufficient_storage: /],
    ['no_memory', /page_too_large: .*because/],
    ['failed', /undefined: test: because/],
  ] as const) {
    const error = await rejection(
      run(`answer.clear(); answer.update(error="${kind}", message="because")`),
    );
    const { code, message } = error as Error & { code?: string };
    assert.match(`${code}: ${message}`, expected);
  }
});

test('a malformed result is an error', async ({ run }) => {
  assert.match(String(await rejection(run('answer["result"] = {}'))), /"pid" is required/);
});

test('a job whose process died is retried in a new one', async ({ run, directory, logged }) => {
  const flag = JSON.stringify(path.join(directory, 'flag'));
  const code = `if not os.path.exists(${flag}):\n    open(${flag}, "w").close(); os.kill(os.getpid(), signal.SIGKILL)`;
  const before = await run('');
  const { pid } = await run(code);
  assert.is.not(pid, before.pid);
  assert.match(logged(), /a Python worker died/);
  assert.equal(await run(''), { pid });
});

test('a job that always kills its process fails and reports how', async ({ run }) => {
  assert.match(String(await rejection(run('os._exit(5)'))), /test: ended with exit code 5/);
  assert.match(String(await rejection(run('raise KeyError("x")'))), /exit code 1: KeyError/);
  await run('');
});

test('processes killed while idle are replaced silently', async ({ run }) => {
  const pids = await Promise.all([run('time.sleep(0.2)'), run('time.sleep(0.2)')]);
  for (const { pid } of pids) process.kill(pid, 'SIGKILL');
  const replaced = await run('');
  assert.not(pids.some(({ pid }) => pid === replaced.pid));
});

test('unexpected output of a process is not accepted', async ({ run }) => {
  assert.match(
    String(await rejection(run('print("hello", flush=True); time.sleep(60)'))),
    /SIGKILL/,
  );
  await run('');
});

const STARTING =
  'child = subprocess.Popen(["sleep", "600"]); open("pids", "w").write(f"{os.getpid()} {child.pid}")';
const HANGING = `${STARTING}; time.sleep(600)`;

test('a job that takes too long is killed, with its children', async ({ run, directory }) => {
  await run(`os.chdir(order["directory"]); ${STARTING}`);
  const late = rejection(run('time.sleep(600)', { timeoutMs: 300 }));
  assert.match(String(await late), /was ended after \d+ s/);
  const pids = (await readFile(path.join(directory, 'pids'), 'utf8')).split(' ');
  assert.equal(await stillAlive(pids.map(Number)), []);
  await run('');
});

test('an aborted job rejects with the reason, and is killed', async ({ run, directory }) => {
  const stop = new AbortController();
  const given = rejection(run('time.sleep(600)', { signal: stop.signal }));
  const pid = await startedProgram('python3', directory);
  stop.abort(new Error('gone'));
  assert.match(String(await given), /gone/);
  assert.equal(await stillAlive([pid]), []);
  assert.match(String(await rejection(run('', { signal: stop.signal }))), /gone/);
});

test('a job during or after closing starts no process', async ({
  run,
  python,
  directory,
  logged,
}) => {
  const hanging = rejection(run(`os.chdir(order["directory"]); ${HANGING}`));
  await startedProgram('sleep', directory);
  await python.close();
  const ran = path.join(directory, 'ran');
  const late = rejection(run(`open(${JSON.stringify(ran)}, "w")`));
  for (const failed of [hanging, late])
    assert.is(((await failed) as Failure).code, 'shutting_down');
  assert.not(existsSync(ran));
  assert.not.match(logged(), /a Python worker died/);
});

const tool = withFixture('running a program for a request', async (directory) => {
  return {
    directory,
    run: async (
      script: string,
      { stdoutFile, ...where }: Partial<JobContext> & { stdoutFile?: string } = {},
    ): Promise<Ended> => {
      const found = toolboxAt(await fakePrograms(directory, { tool: script }));
      const context = jobContext(directory, found, { timeoutMs: 60_000, ...where });
      const file = stdoutFile === undefined ? {} : { stdoutFile };
      return runTool({ file: 'tool', args: [], ...file }, context);
    },
  };
});

tool("runs in the request's directory, with one thread and its memory, no more", async (given) => {
  const { run, directory } = given;
  const { stdout } = await run('pwd; ulimit -v; env', { memoryBytes: 512 * 1024 * 1024 });
  const [cwd, memory, ...lines] = stdout.split('\n');
  assert.equal([cwd, memory], [directory, String(512 * 1024)]);
  const names = lines.map((line) => line.replace(/=.*/, '')).filter((name) => name !== 'PWD');
  const expected = ['HOME', 'LANG', 'OMP_THREAD_LIMIT', 'PATH', 'TMPDIR'];
  // The shell sets `_`, and the test runner sets NODE_V8_COVERAGE.
  const own = names.filter((name) => name !== '_' && name !== 'NODE_V8_COVERAGE');
  assert.equal(own.toSorted(), expected);
  assert.ok(lines.includes('OMP_THREAD_LIMIT=1'));
  assert.ok(lines.includes(`TMPDIR=${directory}`));
});

tool('writes binary output to a file', async ({ run, directory }) => {
  const stdoutFile = path.join(directory, 'out');
  await run(String.raw`printf '\000\377\r\n'`, { stdoutFile });
  assert.equal([...(await readFile(stdoutFile))], [0, 255, 13, 10]);
});

tool("rejects with the reason of the signal, not the program's", async ({ run }) => {
  const signal = AbortSignal.timeout(200);
  assert.is(await rejection(run('sleep 600', { signal })), signal.reason);
  const aborted = AbortSignal.abort(new Error('given up'));
  assert.match(String(await rejection(run('exit 0', { signal: aborted }))), /given up/);
});

tool('reports how a program ended', async ({ run, directory }) => {
  assert.is(
    describeEnd(await run('echo one >&2; echo "the last" >&2; exit 3')),
    'ended with exit code 3: the last',
  );
  assert.is(describeEnd(await run('exit 3')), 'ended with exit code 3');
  assert.is(describeEnd(await run('kill -ABRT $$')), 'was killed by SIGABRT');
  const late = await run('sleep 600', { timeoutMs: 100 });
  assert.ok(late.timedOut && late.durationMs >= 95, `${late.durationMs} ms`);
  assert.is(describeEnd({ ...late, durationMs: 600 }), 'was ended after 1 s');
  const missing = await runTool({ file: 'nothing', args: [] }, jobContext(directory));
  assert.is(describeEnd(missing), 'is not installed');
});

tool('reports at most a line of bounded length', async ({ run }) => {
  const said = describeEnd(await run('head -c 100000 /dev/zero | tr "\\0" x >&2; exit 1'));
  assert.is(said, `ended with exit code 1: ${'x'.repeat(200)}`);
});

const REFRESH_MS = 50;

const kept = await keptToolbox();
const installed = withFixture('the programs that are installed', async (directory) => {
  const { log, text } = capturedLog();
  const found: InstalledTools[] = [];
  await fakePrograms(directory, {});
  return {
    directory,
    logged: text,
    /** Replaces Tesseract atomically, since the processor may call it at any time. */
    install: async (body: string) => {
      const file = path.join(directory, 'fake-bin', 'tesseract');
      await writeFile(`${file}.new`, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
      await rename(`${file}.new`, file);
    },
    find: async (programs: Record<string, string> = {}): Promise<InstalledTools> => {
      const searchPath = await fakePrograms(directory, programs);
      const context = jobContext(directory, { ...kept, searchPath });
      const tools = await findTools(context, log, REFRESH_MS);
      found.push(tools);
      return tools;
    },
    close: () => Promise.all(found.map((tools) => tools.close())),
  };
});

installed.after(() => kept.close());

const LANGUAGES = String.raw`printf '%s\n' 'List of available languages (3):' eng osd script/Latin`;

installed('an encoder for JBIG2 is used once it works', async ({ find }) => {
  assert.is((await find({ jbig2: 'echo "jbig2enc 0.30" >&2' })).versions['jbig2'], '0.30');
  const tools = await find({ jbig2: 'mkdir asked 2>&1 && exit 1; echo "jbig2enc 0.30"' });
  assert.not.ok('jbig2' in tools.versions);
  await until(() => 'jbig2' in tools.versions, 'jbig2');
  assert.is(tools.versions['jbig2'], '0.30');
});

installed(
  'one that is missing or broken is named, with how to get it',
  async ({ find, install }) => {
    await install('echo gone >&2; exit 127');
    const error = String(await rejection(find()));
    assert.match(error, /tesseract --list-langs ended with exit code 127: gone/);
    assert.match(error, /apt-get install ocrmypdf/);
  },
);

for (const [what, part] of [
  ['OCRmyPDF', 'python'],
  ['Tesseract', 'recognizers'],
] as const) {
  installed(`a Python without ${what} is reported with its output`, async ({ directory }) => {
    const script = path.join(directory, 'worker.py');
    await writeFile(script, 'import no_such_module');
    const toolbox = { ...kept, [part]: oneShotPython(REAL_PATH, script) };
    const context = jobContext(directory, toolbox);
    const error = String(await rejection(findTools(context, capturedLog().log)));
    assert.match(error, new RegExp(`^Error: ${what} for Python cannot be used`));
    assert.match(error, /No module named 'no_such_module'.*apt-get install ocrmypdf/s);
  });
}

installed(
  'languages are those of Tesseract without its other models',
  async ({ find, install }) => {
    await install(LANGUAGES);
    const tools = await find();
    assert.equal(tools.languages(), ['eng', 'script/Latin']);
    tools.checkLanguages(['eng']);
    const { code, message } = thrown(() => tools.checkLanguages(['eng', 'chi_sim']));
    assert.is(code, 'language_missing');
    assert.match(message, /language chi_sim.*tesseract-ocr-chi-sim/);
  },
);

installed('a language installed later is detected', async ({ find, install }) => {
  await install(LANGUAGES);
  const tools = await find();
  await install(LANGUAGES.replace('eng osd', 'eng osd chi_sim'));
  await until(() => tools.languages().includes('chi_sim'), 'the language');
  tools.checkLanguages(['eng', 'chi_sim']);
});

/** An empty model directory, such as an unmounted volume. Tesseract 5.5 ignores a missing one. */
const NO_MODELS =
  'mkdir -p no-models; TESSDATA_PREFIX=no-models exec /usr/bin/tesseract --list-langs';

for (const [what, body, reason] of [
  ['broke', 'echo broken >&2; exit 1', '--list-langs ended with exit code 1: broken'],
  ['no longer finds models', NO_MODELS, 'Tesseract has no languages'],
] as const) {
  installed(`a Tesseract that ${what} keeps its languages`, async ({ find, install, logged }) => {
    const tools = await find();
    await install(body);
    await until(() => logged().includes(reason), 'the line in the log');
    tools.checkLanguages(['eng']);
  });
}

installed('without languages, the error explains how to install one', async ({ find, install }) => {
  await install(NO_MODELS);
  const error = String(await rejection(find()));
  assert.match(error, /Tesseract has no languages \(.*"no-models\/.*apt-get.* tesseract-ocr-eng/);
});
