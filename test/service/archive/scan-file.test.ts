import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openPlainFile, openScanFile } from '../../../service/archive/scan-file.ts';
import { makePipe } from '../../support/make-pipe.ts';
import { takeAllDescriptors } from '../../support/take-all-descriptors.ts';
import { assert, failure, inDirectory, rejection, within } from '../../support/suite.ts';

const test = inDirectory('a file of a scan');

test('a link is not followed, wherever it leads', async ({ directory }) => {
  await writeFile(path.join(directory, 'page-0002.tif'), 'page');
  await symlink('/etc/passwd', path.join(directory, 'page-0001.tif'));
  await symlink('page-0002.tif', path.join(directory, 'page-0003.tif'));
  await failure('not_found', openScanFile(directory, 'page-0001.tif'));
  await failure('not_found', openScanFile(directory, 'page-0003.tif'));
});

test('a pipe, a directory or nothing is not found, at once', async ({ directory }) => {
  await makePipe(path.join(directory, 'page-0001.tif'));
  await mkdir(path.join(directory, 'page-0002.tif'));
  for (const name of ['page-0001.tif', 'page-0002.tif', 'page-0003.tif']) {
    await within(60_000, failure('not_found', openScanFile(directory, name)), `the end of ${name}`);
  }
});

test('a disk that fails, or too many open files, is no missing page', async ({ directory }) => {
  await writeFile(path.join(directory, 'page-0001.tif'), 'page');
  const giveBack = await takeAllDescriptors();
  try {
    await failure('insufficient_storage', openScanFile(directory, 'page-0001.tif'));
  } finally {
    await giveBack();
  }
});

test('what is not a plain file says so', async ({ directory }) => {
  await makePipe(path.join(directory, 'pipe'));
  assert.match(
    String(await rejection(openPlainFile(path.join(directory, 'pipe')))),
    /not a plain file/,
  );
  assert.match(String(await rejection(openPlainFile('/dev/zero'))), /not a plain file/);
});
