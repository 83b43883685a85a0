import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findTestFiles, SLOW_PATHS } from '../support/runner/files.ts';

const ROOT = join(import.meta.dirname, '..', '..');

const files = findTestFiles(ROOT, { patterns: ['test/'], fast: false }).map((path) => ({
  path,
  text: readFileSync(join(ROOT, path), 'utf8'),
}));

const test = suite('test files');

/** Paths of the files whose text breaks a rule. */
function breaking(rule: (text: string) => boolean): string[] {
  return files.filter(({ text }) => rule(text)).map(({ path }) => path);
}

test('there are some', () => {
  assert.ok(files.length > 10, `only ${files.length} found below ${ROOT}`);
});

test('each runs every suite it makes, the last one at its end', () => {
  const offenders = breaking((text) => {
    const suites = text.match(/(?<!\.)\bsuite(?:<[^']*?>)?\(\s*'/g) ?? [];
    const runs = text.match(/^\s*\w+\.run\(\);$/gm) ?? [];
    const atEnd = text.trimEnd().endsWith('.run();');
    return suites.length === 0 || runs.length !== suites.length || !atEnd;
  });
  assert.equal(offenders, []);
});

test('none leaves a test out', () => {
  assert.equal(
    breaking((text) => /^\s*\w+\.(?:only|skip)\(/m.test(text)),
    [],
  );
});

test('none hands an async function to assert.throws, which never sees it fail', () => {
  assert.equal(
    breaking((text) => /assert(?:\.not)?\.throws\(\s*async\b/.test(text)),
    [],
  );
});

test('the fast run leaves out the slow paths, at each of which there are tests', () => {
  const fast = findTestFiles(ROOT, { patterns: [], fast: true });
  assert.ok(fast.includes('test/meta/test-files.test.ts'));
  for (const slow of SLOW_PATHS) {
    const inside = files.map(({ path }) => path).filter((path) => path.startsWith(slow));
    assert.ok(inside.length > 0, `there are no tests at ${slow}`);
    assert.not.ok(fast.includes(String(inside[0])));
  }
});

test.run();
