import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createGrowingFile } from '../../../service/storage/growing-file.ts';
import { rejection } from '../../support/rejection.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.ts';

const test = suite<{ directory: TemporaryDirectory }>('a file that grows');

test.before.each(async (context) => {
  context.directory = await temporaryDirectory();
});

test.after.each(({ directory }) => directory.remove());

test('takes the place of one of its name, and has all that was added', async ({ directory }) => {
  const file = path.join(directory.path, 'a.jsonl');
  await writeFile(file, 'of an earlier time, and longer');
  const growing = await createGrowingFile(file, 'one\n');
  await growing.append('two\n');
  await growing.append('three\n');
  await growing.close();
  assert.is(await readFile(file, 'utf8'), 'one\ntwo\nthree\n');
  assert.equal(await readdir(directory.path), ['a.jsonl']);
});

test('one that cannot be made leaves what was there', async ({ directory }) => {
  const file = path.join(directory.path, 'a.jsonl');
  await writeFile(file, 'old');
  await mkdir(`${file}.tmp`);
  assert.match(String(await rejection(createGrowingFile(file, 'new'))), /EISDIR/);
  assert.is(await readFile(file, 'utf8'), 'old');
});

test('nothing is added to one that was closed', async ({ directory }) => {
  const file = path.join(directory.path, 'a.jsonl');
  const growing = await createGrowingFile(file, 'one\n');
  await growing.close();
  assert.match(String(await rejection(growing.append('two\n'))), /EBADF|closed/);
  await rm(file);
});

test.run();
