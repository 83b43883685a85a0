import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SLOW_PATHS, findTestFiles } from '../support/runner/files.ts';
import { describeFile, runFile, type FileResult } from '../support/runner/run-file.ts';
import { assert, suite, temporaryDirectory } from '../support/suite.ts';

const test = suite('the tests themselves');

const ROOT = join(import.meta.dirname, '../..');
const ALL = findTestFiles(ROOT, { patterns: ['test/'], fast: false });

/**
 * The tests in a table's last column. A bare name such as `edited-pages` is in the directory of the
 * name before it.
 */
function namedTests(file: string, heading: string): string[] {
  const [, part = ''] = readFileSync(join(ROOT, file), 'utf8').split(`\n## ${heading}\n`);
  const rows = part.split('\n## ')[0]?.match(/^\|.*`.*\|$/gm) ?? [];
  return rows.flatMap((row) => {
    let folder = '';
    const names = (row.split('|').at(-2) ?? '').matchAll(/`([^`]+)`/g);
    return [...names].map(([, name = '']) => {
      if (name.includes('/')) folder = name.slice(0, name.lastIndexOf('/'));
      return name.includes('/') ? name : `${folder}/${name}`;
    });
  });
}

for (const [file, heading] of [
  ['docs/reliability.md', 'Which test proves what'],
  ['test/README.md', 'Breaking it on purpose'],
] as const) {
  test(`every test named in ${file} exists`, () => {
    const names = namedTests(file, heading);
    assert.ok(names.length > 20, `${names.length}`);
    assert.equal(
      names.filter((name) => !existsSync(join(ROOT, 'test', `${name}.test.ts`))),
      [],
    );
  });
}

const breaking = (rule: (text: string) => boolean): string[] =>
  ALL.filter((path) => rule(readFileSync(join(ROOT, path), 'utf8')));

test('none passes an async function to assert.throws, which would never see it fail', () => {
  assert.equal(
    breaking((text) => /assert(?:\.not)?\.throws\(\s*async\b/.test(text)),
    [],
  );
});

const START = `
  import { suite } from ${JSON.stringify(join(ROOT, 'test/support/suite.ts'))};
  import { spawn } from 'node:child_process';
  import { mkdtempSync } from 'node:fs';
  import { tmpdir } from 'node:os';
  const test = suite('fixture');
  const good = () => test('good', () => {});
`;

/** Time limits for a test file that ends, even on a busy machine, and for one that does not. */
const DEADLINE_MS = 60_000;
const SHORT_DEADLINE_MS = 2000;

async function run(body: string): Promise<FileResult> {
  const directory = await temporaryDirectory();
  try {
    writeFileSync(join(directory.path, 'fixture.test.mjs'), START + body);
    const deadlineMs = body.includes('setInterval') ? SHORT_DEADLINE_MS : DEADLINE_MS;
    const { signal } = new AbortController();
    return await runFile('fixture.test.mjs', { root: directory.path, deadlineMs, signal });
  } finally {
    await directory.remove();
  }
}

test('the runner counts passed and failed tests, and shows the output of the latter', async () => {
  const result = await run(`good(); test('bad', () => { throw new Error('the reason'); });`);
  assert.equal([result.passed, result.failed, result.problems], [1, 1, []]);
  assert.match(describeFile(result, 20), /FAIL[^]*"bad"[^]*the reason[^]*1 failed/);
});

const SLEEP = `spawn('sleep', ['60'], { detached: true, stdio: 'ignore', cwd: tmpdir(), env: { PATH: '/usr/bin:/bin' } }).unref();`;

const TRAPS: Readonly<Record<string, readonly [body: string, problem: RegExp]>> = {
  'that throws before its end': [`good(); throw new Error();`, /without the totals/],
  'without a test': [``, /it has no test/],
  'that skips a test': [`good(); test.only('b', () => {});`, /1 tests were skipped/],
  'whose preparation fails': [
    `test.before(() => { throw new Error(); }); good();`,
    /a hook failed/,
  ],
  'that fails after its tests': [
    `good(); process.on('exit', () => { process.exitCode = 3; });`,
    /exit code 3, though no test failed/,
  ],
  'that leaves a handle open': [`good(); setInterval(() => {}, 1000);`, /still running after 2 s/],
  'that leaves a process behind': [
    `test('a', () => { ${SLEEP} });`,
    /left a process running: sleep 60/,
  ],
  'that leaves files behind': [
    `test('a', () => { mkdtempSync(tmpdir() + '/litter-'); });`,
    /left in its temporary directory: litter-/,
  ],
};

for (const [title, [body, problem]] of Object.entries(TRAPS)) {
  test(`the runner fails a file ${title}`, async () => {
    const { problems, failed } = await run(body);
    assert.match(problems.join('\n'), problem);
    assert.ok(failed > 0);
  });
}

test('the fast run skips the slow paths, all of which have tests', () => {
  const fast = findTestFiles(ROOT, { patterns: [], fast: true });
  assert.ok(fast.includes('test/meta/tests.test.ts'));
  for (const slow of SLOW_PATHS) {
    const inside = ALL.filter((path) => path.startsWith(slow));
    assert.ok(inside.length > 0, `there are no tests at ${slow}`);
    assert.not.ok(fast.includes(String(inside[0])));
  }
});
