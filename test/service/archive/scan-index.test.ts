import { appendFile, mkdir, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { EVENT_FILE } from '../../../service/archive/event-file.ts';
import { createScanIndex, readSummary } from '../../../service/archive/scan-index.ts';
import { summaryOf, viewOf } from '../../../service/archive/scan-view.ts';
import {
  assembled,
  begun,
  ended,
  jammedScan,
  page,
  planned,
  recordOf,
  resumed,
  STORED_ID,
  storeScan,
} from '../../support/stored-scan.ts';
import { assert, inDirectory, rejection } from '../../support/suite.ts';

const test = inDirectory('the index of the scans');

/** So that what was read of it counts: it was changed a while ago. */
const settle = (file: string): Promise<void> => utimes(file, new Date(0), new Date(0));

test('what others add and take away shows at once', async ({ directory: root }) => {
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

test('an unchanged root is not read again, nor twice at once', async ({ directory: root }) => {
  const index = createScanIndex();
  await storeScan(root);
  // On a busy machine one may come when the read of another has ended, but never all of them.
  const all = await Promise.all(Array.from({ length: 50 }, () => index.ids(root)));
  assert.ok(new Set(all).size < all.length);
  await settle(root);
  const before = await index.ids(root);
  assert.is(await index.ids(root), before);
});

test('a summary is read again when its events change', async ({ directory: root }) => {
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

test('a summary is the same from one event as from all', async ({ directory: root }) => {
  for (const events of [
    jammedScan(),
    [...jammedScan(), resumed({ stage: 'process' })],
    [
      begun(),
      page(1),
      page(2),
      planned([1, 2]),
      assembled(),
      ended({ state: 'finished', error: null, document_count: 1 }),
    ],
  ]) {
    const directory = await storeScan(root, events);
    assert.equal(await readSummary(directory), summaryOf(viewOf(recordOf(events), false)));
  }
});

test('does not know the pages kept by an earlier version', async ({ directory: root }) => {
  const { kept_page_count: _, ...older } = ended();
  const directory = await storeScan(root, [...jammedScan().slice(0, -1), older]);
  assert.is((await readSummary(directory)).kept_page_count, null);
});

test('a summary of an ended scan takes only its last event', async ({ directory: root }) => {
  const directory = await storeScan(root);
  const file = path.join(directory, EVENT_FILE);
  const expected = await readSummary(directory);
  const last = (await readFile(file, 'utf8')).trimEnd().split('\n').at(-1) ?? '';
  // A sparse file larger than any that is read whole, in which no other event could be read.
  await truncate(file, 1_000_000_000);
  await appendFile(file, `\n${last}\n`);
  assert.equal(await readSummary(directory), expected);
});

test('a summary is read whole where the end is torn or none', async ({ directory: root }) => {
  const directory = await storeScan(root);
  const file = path.join(directory, EVENT_FILE);
  await appendFile(file, '{"type":"resumed","at":');
  assert.is((await readSummary(directory)).state, 'failed');
  await writeFile(file, (await readFile(file, 'utf8')).split('\n').slice(0, 4).join('\n') + '\n');
  assert.is((await readSummary(directory)).state, 'interrupted');
});

test('a summary takes no end whose line has no end', async ({ directory: root }) => {
  const file = path.join(await storeScan(root), EVENT_FILE);
  await truncate(file, (await readFile(file)).length - 1);
  assert.is((await readSummary(path.dirname(file))).state, 'interrupted');
});

test('a summary takes an end longer than the first read', async ({ directory: root }) => {
  const message = 'é'.repeat(20_000);
  const error = { error: 'scanner_error', message } as const;
  const directory = await storeScan(root, [begun(), page(1), ended({ error })]);
  assert.equal((await readSummary(directory)).error, error);
});

for (const [what, line] of [
  ['damaged', '{"type":"ended","state":"finished"}'],
  ['no JSON', '"ended'],
]) {
  test(`a summary is an error where the last event is ${what}`, async ({ directory: root }) => {
    const directory = await storeScan(root);
    await appendFile(path.join(directory, EVENT_FILE), `${line}\n`);
    assert.match(String(await rejection(readSummary(directory))), /line 6/);
  });
}
