import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { lostOnPages, lostWords, median, percentile, spread } from './statistics.ts';

const test = suite('statistics of the benchmark');

test('the median is the middle value, or between the two middle ones', () => {
  assert.is(median([3, 1, 2]), 2);
  assert.is(median([4, 1, 3, 2]), 2.5);
});

test('a percentile lies between its two nearest values', () => {
  assert.is(percentile([0, 10], 25), 2.5);
  assert.is(percentile([1, 2, 3], 100), 3);
});

test('nothing has no median', () => {
  assert.throws(() => median([]), /no values/);
});

test('the spread is relative to the median', () => {
  assert.is(spread([9, 10, 12]), 0.3);
});

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
