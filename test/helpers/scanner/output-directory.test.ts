import { chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  checkScanDirectory,
  pageBytes,
  removeUnfinished,
  syncToDisk,
} from '../../../helpers/scanner/output-directory.ts';
import { failure, rejection } from '../../support/rejection.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.ts';

const test = suite<{ directory: TemporaryDirectory; scan: string }>('the scan directory');

test.before.each(async (context) => {
  context.directory = await temporaryDirectory();
  context.scan = path.join(context.directory.path, 'scan');
  await mkdir(context.scan);
});
test.after.each(async ({ directory }) => directory.remove());

const touch = (directory: string, ...names: string[]): Promise<unknown> =>
  Promise.all(names.map((name) => writeFile(path.join(directory, name), 'x')));

test('pages before the first one, halves and other files are no hindrance', async ({ scan }) => {
  await touch(
    scan,
    'page-0001.tif',
    'page-0002.tif',
    'page-0003.tif.part',
    'page-0003.tif.incomplete',
    'scan.json',
  );
  await checkScanDirectory(scan, 3);
});

test('a page that would be overwritten is', async ({ scan }) => {
  await touch(scan, 'page-0001.tif', 'page-0004.tif');
  const { message } = await failure('scanner_error', checkScanDirectory(scan, 2));
  assert.match(message, 'page-0004.tif');
});

test('a directory that is not there is told with what to check', async ({ scan }) => {
  const { message } = await failure('scanner_error', checkScanDirectory(`${scan}/none`, 1));
  assert.match(message, `${scan}/none`);
  assert.match(message, 'same path');
});

test('a file, a link and a relative path are no directory', async ({ scan }) => {
  await touch(scan, 'file');
  await symlink(scan, path.join(scan, 'link'));
  await failure('scanner_error', checkScanDirectory(path.join(scan, 'file'), 1));
  await failure('scanner_error', checkScanDirectory(path.join(scan, 'link'), 1));
  await failure('scanner_error', checkScanDirectory('.', 1));
});

test('a directory that cannot be written to is refused', async ({ scan }) => {
  // Root may write everywhere but to a file system that takes no files.
  const isRoot = process.getuid?.() === 0;
  if (!isRoot) await chmod(scan, 0o500);
  const directory = isRoot ? `/proc/${process.pid}` : scan;
  const { message } = await failure('scanner_error', checkScanDirectory(directory, 1));
  assert.match(message, 'cannot write');
});

test('halves of pages are removed and nothing else', async ({ scan }) => {
  await touch(scan, 'page-0001.tif', 'page-0002.tif.part', 'page-0003.tif.incomplete', 'x.part');
  assert.equal(await removeUnfinished(scan), [2]);
  assert.equal((await readdir(scan)).toSorted(), [
    'page-0001.tif',
    'page-0003.tif.incomplete',
    'x.part',
  ]);
  assert.equal(await removeUnfinished(`${scan}/none`), []);
});

test('a page and its name are synced', async ({ scan }) => {
  await touch(scan, 'page-0001.tif');
  await syncToDisk(scan, 'page-0001.tif');
  const error = await rejection(syncToDisk(scan, 'page-0002.tif'));
  assert.is((error as NodeJS.ErrnoException).code, 'ENOENT');
});

const A4 = { width_mm: 210, height_mm: 297 };
const bytes = (
  mode: string,
  scanner_options: Record<string, string | number | boolean> = {},
): number => pageBytes({ page_size: A4, resolution: 300, mode, scanner_options });

test('the bytes of a page are never fewer than the file has', () => {
  // An A4 page at 300 dpi as scanimage writes it, in gray and colour, measured.
  assert.ok(bytes('Gray') >= 8_700_062);
  assert.ok(bytes('Gray') < 8_800_000);
  assert.ok(bytes('Color') >= 26_099_742);
  assert.ok(bytes('Color') < 26_300_000);
});

test('the bytes of a page depend on the mode', () => {
  for (const mode of ['Lineart', 'Halftone', 'Black & White'])
    assert.ok(bytes(mode) < 1_120_000, mode);
  assert.is(bytes('Grayscale'), bytes('Gray'));
  assert.is(bytes('True Grey'), bytes('Gray'));
  assert.is(bytes('24bit'), bytes('Color'));
});

test('the bytes of a page are twice as many with sixteen bits', () => {
  assert.ok(bytes('Gray', { depth: 16 }) > 17_400_000);
  assert.ok(bytes('Color', { depth: '16' }) > 52_000_000);
});

test.run();
