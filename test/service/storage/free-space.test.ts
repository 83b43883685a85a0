import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkFreeSpace, isDiskFull } from '../../../service/storage/free-space.ts';
import { failure } from '../../support/rejection.ts';

const test = suite('free space');

test('enough space is no failure', async () => {
  await checkFreeSpace('/tmp', 1);
});

test('too little is told with how much there is and how much is needed', async () => {
  const error = await failure(
    'insufficient_storage',
    checkFreeSpace('/tmp', Number.MAX_SAFE_INTEGER),
  );
  assert.is(error.status, 507);
  assert.match(error.message, /MB are free in \/tmp.* Free some space/);
  assert.type(error.facts['free_bytes'], 'number');
  assert.is(error.facts['needed_bytes'], Number.MAX_SAFE_INTEGER);
});

test('a full disk and a full quota are recognised, other errors are not', () => {
  assert.ok(isDiskFull(Object.assign(new Error('x'), { code: 'ENOSPC' })));
  assert.ok(isDiskFull(Object.assign(new Error('x'), { code: 'EDQUOT' })));
  assert.not.ok(isDiskFull(Object.assign(new Error('x'), { code: 'EIO' })));
  assert.not.ok(isDiskFull('ENOSPC'));
});

test.run();
