import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findTestFiles, SLOW_PATHS } from '../support/runner/files.ts';
import { describeFile, type FileResult } from '../support/runner/result.ts';
import { runFile } from '../support/runner/run-file.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const UVU = join(ROOT, 'node_modules', 'uvu', 'dist', 'index.mjs');
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

test('counts the tests that passed and failed, and shows what the latter said', async ({
  directory,
}) => {
  const result = await run(
    directory,
    `test('good', () => {}); test('bad', () => { throw new Error('the reason'); }); test.run();`,
  );
  assert.equal([result.passed, result.failed, result.problems], [1, 1, []]);
  assert.match(describeFile(result, 20), /FAIL[^]*"bad"[^]*the reason[^]*1 failed/);
});

const TRAPS: readonly (readonly [title: string, body: string, problem: RegExp])[] = [
  ['that never runs its suite', `test('a', () => {});`, /without the totals/],
  ['without a test', `test.run();`, /it has no test/],
  [
    'that skips a test',
    `test('a', () => {}); test.only('b', () => {}); test.run();`,
    /1 tests were skipped/,
  ],
  [
    'whose preparation fails',
    `test.before(() => { throw new Error(); }); test('a', () => {}); test.run();`,
    /a hook failed/,
  ],
  [
    'that fails after its tests',
    `test('a', () => {}); test.run(); process.on('exit', () => { process.exitCode = 3; });`,
    /exit code 3, though no test failed/,
  ],
  [
    'that leaves a handle open',
    `test('a', () => {}); test.run(); setInterval(() => {}, 1000);`,
    /still running after 2 s/,
  ],
  [
    'that leaves a process behind',
    `test('a', () => {
      spawn('sleep', ['60'], { detached: true, stdio: 'ignore', cwd: tmpdir(), env: { PATH: '/usr/bin:/bin' } }).unref();
    }); test.run();`,
    /left a process running: sleep 60/,
  ],
  [
    'that leaves files behind',
    `test('a', () => { mkdtempSync(tmpdir() + '/litter-'); }); test.run();`,
    /left in its temporary directory: litter-/,
  ],
];

for (const [title, body, problem] of TRAPS) {
  test(`fails a file ${title}`, async ({ directory }) => {
    const hangs = body.includes('setInterval');
    const result = await run(directory, body, hangs ? SHORT_DEADLINE_MS : DEADLINE_MS);
    assert.match(result.problems.join('\n'), problem);
    assert.ok(result.failed > 0);
  });
}

test('the fast run leaves out the slow paths, at each of which there are tests', () => {
  const all = findTestFiles(ROOT, { patterns: ['test/'], fast: false });
  const fast = findTestFiles(ROOT, { patterns: [], fast: true });
  assert.ok(fast.includes('test/meta/runner.test.ts'));
  for (const slow of SLOW_PATHS) {
    const inside = all.filter((path) => path.startsWith(slow));
    assert.ok(inside.length > 0, `there are no tests at ${slow}`);
    assert.not.ok(fast.includes(String(inside[0])));
  }
});

test.run();
