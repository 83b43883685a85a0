import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  keepScanRecord,
  newScanRecord,
  type ScanRecord,
} from '../../../service/scan/scan-record.ts';
import { testProfile } from '../../support/test-app.ts';
import { rejection } from '../../support/rejection.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.ts';

const test = suite<{ directory: TemporaryDirectory }>('scan.json');

const NEW = {
  scan_id: '20261121T063000Z-8f3a1c',
  profile: 'a',
  started_at: '2026-11-21T06:30:00Z',
  request: { title: 'Tea' },
  settings: testProfile({ name: 'a' }),
};

test.before.each(async (context) => {
  context.directory = await temporaryDirectory();
});

test.after.each(({ directory }) => directory.remove());

const read = async (directory: TemporaryDirectory): Promise<ScanRecord> =>
  JSON.parse(await readFile(path.join(directory.path, 'scan.json'), 'utf8')) as ScanRecord;

test('is there before the first page, in state scanning', async ({ directory }) => {
  const record = await keepScanRecord(directory.path, newScanRecord(NEW));
  assert.equal(await read(directory), record.current());
  assert.is(record.current().state, 'scanning');
  assert.equal(record.current().pages, []);
});

test('is durable when a change resolves', async ({ directory }) => {
  const record = await keepScanRecord(directory.path, newScanRecord(NEW));
  await record.update({ state: 'processing', pages: ['page-0001.tif'], page_count: 1 });
  const stored = await read(directory);
  assert.is(stored.state, 'processing');
  assert.equal(stored.pages, ['page-0001.tif']);
  assert.equal(await readdir(directory.path), ['scan.json']);
});

test('changes made at once are written one after the other and none is lost', async ({
  directory,
}) => {
  const record = await keepScanRecord(directory.path, newScanRecord(NEW));
  const changes = Array.from({ length: 20 }, (_, index) =>
    record.update({ warnings: [...record.current().warnings, `warning ${index}`] }),
  );
  await Promise.all(changes);
  assert.is((await read(directory)).warnings.length, 20);
});

test('a change that cannot be written rejects, and the next is tried again', async ({
  directory,
}) => {
  const record = await keepScanRecord(directory.path, newScanRecord(NEW));
  await rm(directory.path, { recursive: true });
  assert.match(String(await rejection(record.update({ state: 'failed' }))), /ENOENT/);
  assert.match(String(await rejection(record.update({ state: 'failed' }))), /ENOENT/);
});

test.run();
