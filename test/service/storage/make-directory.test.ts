import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeDirectory } from '../../../service/storage/make-directory.ts';
import { rejection } from '../../support/rejection.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.ts';
import { within } from '../../support/within.ts';

const test = suite<{ directory: TemporaryDirectory }>('making a directory');

test.before.each(async (context) => {
  context.directory = await temporaryDirectory();
});

test.after.each(({ directory }) => directory.remove());

test('makes those above it too, and one that is there is fine', async ({ directory }) => {
  const deep = path.join(directory.path, 'a/b/c');
  await makeDirectory(deep);
  await makeDirectory(deep);
  assert.ok((await stat(deep)).isDirectory());
});

test('a file in the way is an error', async ({ directory }) => {
  const file = path.join(directory.path, 'a');
  await writeFile(file, '');
  assert.match(String(await rejection(makeDirectory(file))), /EEXIST/);
  assert.match(String(await rejection(makeDirectory(path.join(file, 'b')))), /ENOTDIR/);
});

test('a place where nothing can be made is an error, not a hang', async () => {
  const error = await within(60_000, rejection(makeDirectory('/proc/scans/deep')), 'the error');
  assert.match(String(error), /ENOENT/);
});

test.run();
