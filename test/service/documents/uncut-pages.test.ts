import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { planOf, TEXT, type Side } from './stack.ts';

const test = suite('pages that could not be cut to the paper');

function warningsOf(...pages: readonly Side[]): readonly string[] {
  return planOf(
    {},
    pages.map((page) => [page]),
  ).warnings;
}

const UNCUT = { ...TEXT, cropped: false };

test('are named in one warning, with what to do', () => {
  const advice =
    'its edges cannot be told from the backing of the scanner. Set page_size to the size of the paper.';
  assert.equal(warningsOf(TEXT, UNCUT), [`Page 2 was not cut to the paper: ${advice}`]);
  assert.equal(warningsOf(UNCUT, { ...TEXT, cropped: true }, UNCUT), [
    `Pages 1, 3 were not cut to the paper: ${advice}`,
  ]);
});

test('are counted after the first twenty', () => {
  assert.match(
    warningsOf(...Array.from({ length: 22 }, () => UNCUT)).join(),
    /^Pages 1, 2, .*, 19, 20, … were not cut/,
  );
});

test('are not looked for where nothing was to be cut, or all was', () => {
  assert.equal(warningsOf(TEXT, { ...TEXT, cropped: true }), []);
});

test.run();
