import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openKnownRoots, type KnownRoots } from '../../../service/archive/known-roots.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { assert, inDirectory } from '../../support/suite.ts';

const test = inDirectory('the output directories that are known');

const open = (outputDir: string, current: readonly string[] = []): Promise<KnownRoots> =>
  openKnownRoots(outputDir, { current: () => current, log: capturedLog().log });

test('one that held a scan stays known, also after a restart', async ({ directory }) => {
  const before = await open(directory, ['/mnt/nas']);
  await before.remember(directory);
  await before.remember('/mnt/nas');
  assert.equal(before.list(), [directory, '/mnt/nas']);
  assert.equal((await open(directory)).list(), [directory, '/mnt/nas']);
});

test('a file that somebody damaged is a file without any', async ({ directory }) => {
  const file = path.join(directory, '.output-directories.json');
  for (const content of ['', '{', '["../etc"]', '[7]', '{"a":"/b"}']) {
    await writeFile(file, content);
    assert.equal((await open(directory)).list(), [directory], content);
  }
  await (await open(directory)).remember('/mnt/nas');
  assert.equal(JSON.parse(await readFile(file, 'utf8')), ['/mnt/nas']);
});

test('a disk that cannot be written to costs no scan', async ({ directory }) => {
  const roots = await open(path.join(directory, 'missing'));
  await roots.remember('/mnt/nas');
  assert.ok(roots.list().includes('/mnt/nas'));
});
