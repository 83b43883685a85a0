import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { scaled } from '../../../../helpers/processor/tools/time-limits.ts';

const test = suite('time limits');

test('a usual page, and a smaller one, has the usual limit', () => {
  assert.is(scaled(1000, { width: 2480, height: 3508 }), 1000);
  assert.is(scaled(1000, { width: 10, height: 10 }), 1000);
});

test('a larger page has more in proportion', () => {
  assert.is(scaled(1000, { width: 2480 * 2, height: 3508 * 2 }), 4000);
});

test.run();
