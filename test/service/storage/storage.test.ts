import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { storageFailure } from '../../../service/storage/storage-failure.ts';
import { writeAtomically } from '../../../service/storage/write-atomically.ts';
import { assert, inDirectory, rejection } from '../../support/suite.ts';

const test = inDirectory('writing files, and failures of the file system');

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

test('errors of other kinds are not storage errors', () => {
  assert.is(storageFailure(Object.assign(new Error('no'), { code: 'ECONNREFUSED' })), undefined);
  assert.is(storageFailure(new TypeError('toString')), undefined);
});

test('creates the file, and replaces it atomically', async ({ directory }) => {
  const file = path.join(directory, 'a.json');
  await writeAtomically(file, 'first, and longer');
  await writeAtomically(file, 'second');
  assert.is(await readFile(file, 'utf8'), 'second');
  assert.equal(await readdir(directory), ['a.json']);
});

test('a failed write leaves only the old file', async ({ directory }) => {
  const file = path.join(directory, 'a.json');
  await mkdir(path.join(file, 'in the way'), { recursive: true });
  assert.match(String(await rejection(writeAtomically(file, 'new'))), /EISDIR|ENOTEMPTY/);
  assert.equal(await readdir(directory), ['a.json']);
  assert.equal(await readdir(file), ['in the way']);
});

test('concurrent writers of one file do not disturb each other', async ({ directory }) => {
  const file = path.join(directory, 'a.json');
  const contents = Array.from({ length: 20 }, (_, index) => String(index).repeat(100_000));
  await Promise.all(contents.map((content) => writeAtomically(file, content)));
  assert.ok(contents.includes(await readFile(file, 'utf8')));
  assert.equal(await readdir(directory), ['a.json']);
});
