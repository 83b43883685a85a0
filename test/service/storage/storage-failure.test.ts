import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { storageFailure } from '../../../service/storage/storage-failure.ts';

const test = suite('what a file system that refuses means for a scan');

const SCANS = "/mnt/big disk/the scans'";

for (const place of [SCANS, `${SCANS}/20261121T063000Z-8f3a1c/page-0001.tif`]) {
  test(`a remedy that can be pasted: ${place}`, () => {
    const error = Object.assign(new Error('EACCES'), { code: 'EACCES', path: place });
    const owner = `${process.getuid?.()}:${process.getgid?.()}`;
    assert.is(
      storageFailure(error)?.message,
      `The service may not read or write in the scan directory (EACCES). Run: sudo chown -R ${owner} '/mnt/big disk/the scans'\\'''`,
    );
  });
}

test('an error of something else is none of the storage', () => {
  assert.is(storageFailure(Object.assign(new Error('no'), { code: 'ECONNREFUSED' })), undefined);
  assert.is(storageFailure(new TypeError('toString')), undefined);
});

test.run();
