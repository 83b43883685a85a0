import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { slowestFirst } from '../support/runner/files.ts';
import { parseOptions, UsageError } from '../support/runner/options.ts';
import { describeFile, type FileResult } from '../support/runner/result.ts';
import { runFile } from '../support/runner/run-file.ts';

const UVU = join(import.meta.dirname, '..', '..', 'node_modules', 'uvu', 'dist', 'index.mjs');
const START = `
  import * as uvu from ${JSON.stringify(UVU)};
  import { spawn } from 'node:child_process';
  import { mkdtempSync } from 'node:fs';
  import { tmpdir } from 'node:os';
  const test = uvu.suite('fixture');
`;

/** Long enough for a file that ends by itself, on a busy machine too. */
const DEADLINE_MS = 60_000;
/** For a file that does not. */
const SHORT_DEADLINE_MS = 2000;

const test = suite<{ directory: string }>('test runner');

test.before((context) => {
  context.directory = mkdtempSync(join(tmpdir(), 'runner-'));
});

test.after((context) => {
  rmSync(context.directory, { recursive: true });
});

async function run(directory: string, body: string, deadlineMs = DEADLINE_MS): Promise<FileResult> {
  writeFileSync(join(directory, 'fixture.test.mjs'), START + body);
  return runFile('fixture.test.mjs', {
    root: directory,
    deadlineMs,
    signal: new AbortController().signal,
  });
}

test('counts the tests that passed', async ({ directory }) => {
  const result = await run(directory, `test('a', () => {}); test('b', () => {}); test.run();`);
  assert.is(result.passed, 2);
  assert.is(result.failed, 0);
  assert.match(describeFile(result, 20), /^ok {4}fixture\.test\.mjs +2 passed/);
});

test('counts the tests that failed, and shows what they said', async ({ directory }) => {
  const result = await run(
    directory,
    `test('good', () => {}); test('bad', () => { throw new Error('the reason'); }); test.run();`,
  );
  assert.is(result.passed, 1);
  assert.is(result.failed, 1);
  assert.equal(result.problems, []);
  assert.match(describeFile(result, 20), /FAIL[^]*"bad"[^]*the reason[^]*1 failed/);
});

const TRAPS: readonly {
  readonly title: string;
  readonly body: string;
  readonly problem: RegExp;
  readonly deadlineMs?: number;
}[] = [
  {
    title: 'a file that never runs its suite',
    body: `test('a', () => {});`,
    problem: /without the totals/,
  },
  { title: 'a file without a test', body: `test.run();`, problem: /it has no test/ },
  {
    title: 'a file that runs only one of its tests',
    body: `test('a', () => {}); test.only('b', () => {}); test.run();`,
    problem: /1 tests were skipped/,
  },
  {
    title: 'a file that skips a test',
    body: `test('a', () => {}); test.skip('b', () => {}); test.run();`,
    problem: /1 tests were skipped/,
  },
  {
    title: 'a file whose preparation fails',
    body: `test.before(() => { throw new Error(); }); test('a', () => {}); test.run();`,
    problem: /a hook failed/,
  },
  {
    title: 'a file that ends before its tests do',
    body: `test('a', () => new Promise(() => {})); test.run();`,
    problem: /without the totals/,
  },
  {
    title: 'a file that fails after its tests',
    body: `test('a', () => {}); test.run(); process.on('exit', () => { process.exitCode = 3; });`,
    problem: /exit code 3, though no test failed/,
  },
  {
    title: 'a file that leaves a handle open',
    body: `test('a', () => {}); test.run(); setInterval(() => {}, 1000);`,
    problem: /still running after 2 s/,
    deadlineMs: SHORT_DEADLINE_MS,
  },
  {
    title: 'a file that leaves a process behind',
    body: `test('a', () => {
      spawn('sleep', ['60'], { detached: true, stdio: 'ignore', cwd: tmpdir(), env: { PATH: '/usr/bin:/bin' } }).unref();
    }); test.run();`,
    problem: /left a process running: sleep 60/,
  },
  {
    title: 'a file that leaves files behind',
    body: `test('a', () => { mkdtempSync(tmpdir() + '/litter-'); }); test.run();`,
    problem: /left in its temporary directory: litter-/,
  },
];

for (const { title, body, problem, deadlineMs } of TRAPS) {
  test(`fails ${title}`, async ({ directory }) => {
    const result = await run(directory, body, deadlineMs);
    assert.match(result.problems.join('\n'), problem);
    assert.ok(result.failed > 0);
    assert.match(describeFile(result, 20), problem);
  });
}

test('runs slow files first, and before them those it does not know yet', ({ directory }) => {
  writeFileSync(join(directory, 'new'), 'text');
  const durations = { quick: 10, slow: 5000 };
  assert.equal(slowestFirst(['quick', 'slow', 'new'], { root: directory, durations }), [
    'new',
    'slow',
    'quick',
  ]);
});

test('takes the parts of paths to run, and refuses what it does not understand', () => {
  const options = parseOptions(['scanner', '--jobs', '4', 'ipc', '--deadline=5', '--fast']);
  assert.equal(options, { patterns: ['scanner', 'ipc'], fast: true, jobs: 4, deadlineMs: 5000 });
  for (const args of [['--watch'], ['--jobs', '0'], ['--deadline', 'soon']]) {
    assert.throws(
      () => parseOptions(args),
      (error: unknown) => error instanceof UsageError && error.message.includes('npm test --'),
    );
  }
});

test.run();
