import { mkdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EVENT_FILE } from '../../../service/archive/event-file.ts';
import { createScanIndex } from '../../../service/archive/scan-index.ts';
import { rejection } from '../../support/rejection.ts';
import { STORED_ID, storeScan } from '../../support/stored-scan.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.ts';

const test = suite<{ directory: TemporaryDirectory }>('the index of the scans');

test.before.each(async (context) => {
  context.directory = await temporaryDirectory();
});

test.after.each(({ directory }) => directory.remove());

/** So that what was read of it counts: it was changed a while ago. */
const settle = (file: string): Promise<void> => utimes(file, new Date(0), new Date(0));

test('what others add and take away shows at once', async ({ directory: { path: root } }) => {
  const index = createScanIndex();
  await settle(root);
  assert.equal(await index.ids(root), []);
  await storeScan(root);
  assert.equal(await index.ids(root), [STORED_ID]);
  const later = '20991231T235959Z-000000';
  await mkdir(path.join(root, later));
  assert.equal(await index.ids(root), [STORED_ID, later]);
  await rm(path.join(root, STORED_ID), { recursive: true });
  assert.equal(await index.ids(root), [later]);
  await rejection(index.ids(path.join(root, 'missing')));
});

test('a root that did not change is not read again, and callers at one moment share a read', async ({
  directory: { path: root },
}) => {
  const index = createScanIndex();
  await storeScan(root);
  const [one, two] = await Promise.all([index.ids(root), index.ids(root)]);
  assert.is(one, two);
  await settle(root);
  const before = await index.ids(root);
  assert.is(await index.ids(root), before);
});

test('a summary is read again when the events have changed, whoever changed them', async ({
  directory: { path: root },
}) => {
  const index = createScanIndex();
  const directory = await storeScan(root);
  const file = path.join(directory, EVENT_FILE);
  await settle(file);
  const before = await index.summary(directory);
  assert.is(await index.summary(directory), before);
  const lines = (await readFile(file, 'utf8')).split('\n');
  await writeFile(file, `${lines.slice(0, -2).join('\n')}\n`);
  assert.is((await index.summary(directory)).state, 'interrupted');
  await rm(file);
  await rejection(index.summary(directory));
});

test.run();
