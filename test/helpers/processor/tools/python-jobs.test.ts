import Joi from 'joi';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Failure } from '../../../../helpers/failure.ts';
import { createPythonJobs } from '../../../../helpers/processor/tools/python-jobs.ts';
import type { JobContext } from '../../../../helpers/processor/tools/toolbox.ts';
import { capturedLog } from '../../../support/captured-log.ts';
import { stillAlive } from '../../../support/processes.ts';
import { assert, rejection, withFixture, within } from '../../../support/suite.ts';
import { REAL_PATH } from '../support/fake-programs.ts';
import { jobContext } from '../support/job-context.ts';
import { startedProgram } from '../../../support/native-programs.ts';

const EVENT_MS = 60_000;

/** A worker whose jobs are lines of Python; `memory` is there to see what is left of a job for the next one. */
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
  const context = await jobContext(directory);
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

test('one after the other share a process, and two at once do not', async ({ run }) => {
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

test('a result of another shape is an error', async ({ run }) => {
  assert.match(String(await rejection(run('answer["result"] = {}'))), /"pid" is required/);
});

test('a job whose process died is done again in a new one', async ({ run, directory, logged }) => {
  const flag = JSON.stringify(path.join(directory, 'flag'));
  const code = `if not os.path.exists(${flag}):\n    open(${flag}, "w").close(); os.kill(os.getpid(), signal.SIGKILL)`;
  const before = await run('');
  const { pid } = await run(code);
  assert.is.not(pid, before.pid);
  assert.match(logged(), /a Python worker died/);
  assert.equal(await run(''), { pid });
});

test('a job that always kills its process is an error that says how', async ({ run }) => {
  assert.match(String(await rejection(run('os._exit(5)'))), /test: ended with exit code 5/);
  assert.match(String(await rejection(run('raise KeyError("x")'))), /exit code 1: KeyError/);
  await run('');
});

test('processes that were killed while they waited are replaced unnoticed', async ({ run }) => {
  const pids = await Promise.all([run('time.sleep(0.2)'), run('time.sleep(0.2)')]);
  for (const { pid } of pids) process.kill(pid, 'SIGKILL');
  const replaced = await run('');
  assert.not(pids.some(({ pid }) => pid === replaced.pid));
});

test('a process that prints something else is not believed', async ({ run }) => {
  assert.match(
    String(await rejection(run('print("hello", flush=True); time.sleep(60)'))),
    /SIGKILL/,
  );
  await run('');
});

/** Starts a program, and names itself and it in a file. */
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

test('a job given up rejects with the reason, and is killed', async ({ run, directory }) => {
  const stop = new AbortController();
  const given = rejection(run('time.sleep(600)', { signal: stop.signal }));
  const pid = await startedProgram('python3', directory);
  stop.abort(new Error('gone'));
  assert.match(String(await given), /gone/);
  assert.equal(await stillAlive([pid]), []);
  assert.match(String(await rejection(run('', { signal: stop.signal }))), /gone/);
});

test('a job at or after the end starts no process', async ({ run, python, directory, logged }) => {
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
