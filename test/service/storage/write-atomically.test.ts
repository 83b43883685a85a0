import { mkdir, readdir, readFile } from 'node:fs/promises';
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
  await mkdir(path.join(file, 'in the way'), { recursive: true });
  assert.match(String(await rejection(writeAtomically(file, 'new'))), /EISDIR|ENOTEMPTY/);
  assert.equal(await readdir(directory.path), ['a.json']);
  assert.equal(await readdir(file), ['in the way']);
});

test('writers of one file at the same moment do not disturb each other', async ({ directory }) => {
  const file = path.join(directory.path, 'a.json');
  const contents = Array.from({ length: 20 }, (_, index) => String(index).repeat(100_000));
  await Promise.all(contents.map((content) => writeAtomically(file, content)));
  assert.ok(contents.includes(await readFile(file, 'utf8')));
  assert.equal(await readdir(directory.path), ['a.json']);
});

test.run();
