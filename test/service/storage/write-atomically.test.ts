import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { writeAtomically } from '../../../service/storage/write-atomically.ts';
import { rejection } from '../../support/rejection.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.ts';

const test = suite<{ directory: TemporaryDirectory }>('writing a file atomically');

test.before.each(async (context) => {
  context.directory = await temporaryDirectory();
});

test.after.each(({ directory }) => directory.remove());

test('makes the file, and replaces it whole', async ({ directory }) => {
  const file = path.join(directory.path, 'a.json');
  await writeAtomically(file, 'first, and longer');
  await writeAtomically(file, 'second');
  assert.is(await readFile(file, 'utf8'), 'second');
  assert.equal(await readdir(directory.path), ['a.json']);
});

test('a write that fails leaves the old file and nothing else', async ({ directory }) => {
  const file = path.join(directory.path, 'a.json');
  await writeFile(file, 'old');
  await mkdir(path.join(directory.path, 'a.json.tmp'));
  assert.match(String(await rejection(writeAtomically(file, 'new'))), /EISDIR/);
  assert.is(await readFile(file, 'utf8'), 'old');
});

test.run();
