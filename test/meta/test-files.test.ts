import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findTestFiles } from '../support/runner/files.ts';

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

test('each runs every suite it makes, the last one at its end', () => {
  const offenders = breaking((text) => {
    const suites = text.match(/(?<!\.)\bsuite(?:<[^']*?>)?\(\s*'/g) ?? [];
    const runs = text.match(/^\s*\w+\.run\(\);$/gm) ?? [];
    const atEnd = text.trimEnd().endsWith('.run();');
    return suites.length === 0 || runs.length !== suites.length || !atEnd;
  });
  assert.equal(offenders, []);
});

test('none hands an async function to assert.throws, which never sees it fail', () => {
  assert.equal(
    breaking((text) => /assert(?:\.not)?\.throws\(\s*async\b/.test(text)),
    [],
  );
});

test.run();
