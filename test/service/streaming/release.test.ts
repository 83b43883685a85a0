import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { release } from '../../../service/streaming/release.ts';

const test = suite('giving memory back');

test('takes the memory of a buffer', () => {
  const bytes = Buffer.allocUnsafeSlow(1000);
  release(bytes);
  assert.is(bytes.length, 0);
});

test('leaves a part of a larger buffer alone: the rest belongs to others', () => {
  const whole = Buffer.alloc(1000, 'x');
  release(whole.subarray(0, 10));
  assert.is(whole.toString(), 'x'.repeat(1000));
});

test('leaves shared memory alone', () => {
  const bytes = new Uint8Array(new SharedArrayBuffer(10));
  release(bytes);
  assert.is(bytes.length, 10);
});

test.run();
