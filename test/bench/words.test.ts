import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { lostOnPages, lostWords } from './words.ts';

const test = suite('words lost');

test('a word counts as often as it is expected, whatever its case and place', () => {
  assert.is(lostWords('The cat and the dog', 'dog. THE cat'), 2);
});

test('a word that was found and not printed makes up for none', () => {
  assert.is(lostWords('one two', 'one three four'), 1);
});

test('no page makes up for another', () => {
  assert.is(lostOnPages(['one', 'two'], ['two', 'one']), 2);
  assert.is(lostOnPages(['one', 'two'], ['one']), 1);
});

test.run();
