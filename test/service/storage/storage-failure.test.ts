import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { storageFailure } from '../../../service/storage/storage-failure.ts';

const test = suite('what the file system says, in words');

const errorOf = (code: string): Error => Object.assign(new Error('told by the system'), { code });

for (const [code, advice] of [
  ['ENOSPC', /disk is full\. Free some space/],
  ['EROFS', /read-only\..*mount it writable/],
  ['EMFILE', /too many files/],
  ['ENOENT', /is gone.*unmounted/],
] as const) {
  test(`${code} is insufficient_storage, with what to do`, () => {
    const error = errorOf(code);
    const failure = storageFailure(error);
    assert.is(failure?.code, 'insufficient_storage');
    assert.match(failure?.message ?? '', advice);
    assert.is(failure?.cause, error);
  });
}

test('other errors are none of the storage', () => {
  for (const error of [errorOf('ECONNRESET'), errorOf('constructor'), new Error('x'), 'ENOSPC']) {
    assert.is(storageFailure(error), undefined);
  }
});

test.run();
