import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../helpers/failure.ts';
import { createDeviceLock } from '../../../service/scan/device-lock.ts';

const test = suite('the device lock');

test('one scan holds a scanner; the next is told at once, with the scan that holds it', () => {
  const lock = createDeviceLock();
  const release = lock.take('auto', 'first');
  try {
    lock.take('auto', 'second');
    assert.unreachable();
  } catch (error) {
    assert.instance(error, Failure);
    assert.is((error as Failure).code, 'scanner_busy');
    assert.equal((error as Failure).facts, { busy_with: 'first' });
  }
  release();
  lock.take('auto', 'third')();
});

test('another scanner is free', () => {
  const lock = createDeviceLock();
  lock.take('fujitsu', 'first');
  assert.type(lock.take('epson', 'second'), 'function');
});

test.run();
