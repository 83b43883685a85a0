import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readScanRecord } from '../../../service/archive/scan-archive.ts';
import { accepted, unknown } from '../../../service/destinations/destination.ts';
import type { DeliveryNote } from '../../../service/scan/delivery-journal.ts';
import {
  keepScanRecord,
  newScanRecord,
  type ScannedDocument,
  type ScanRecord,
  type ScanRecordFile,
} from '../../../service/scan/scan-record.ts';
import { testProfile } from '../../support/test-app.ts';
import { rejection } from '../../support/rejection.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.ts';

type Outcomes = ScannedDocument['outcomes'] | undefined;

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

/** A record with a document that goes to two destinations. */
async function withDocument({ path: directory }: TemporaryDirectory): Promise<ScanRecordFile> {
  const document = {
    filename: 'document-0001.pdf',
    pages: [1],
    page_count: 1,
    bytes: 1,
    sha256: 'a'.repeat(64),
    title: 'Tea',
    destinations: [],
    outcomes: [],
  };
  const record = await keepScanRecord(directory, newScanRecord(NEW));
  await record.update({ state: 'delivering', stage: 'deliver', documents: [document] });
  return record;
}

const begun: DeliveryNote = { document: 0, destination: 0, ...unknown('cut off') };
const done: DeliveryNote = { document: 0, destination: 0, ...accepted('1') };
const next: DeliveryNote = { document: 0, destination: 1, ...unknown('cut off') };

const outcomesOf = ({ documents }: ScanRecord): Outcomes => documents[0]?.outcomes;

/** What a service that begins anew believes. */
async function outcomesOnDisk({ path: directory }: TemporaryDirectory): Promise<Outcomes> {
  const scan = path.join(directory, '..', NEW.scan_id);
  await rename(directory, scan);
  try {
    return outcomesOf(await readScanRecord(scan));
  } finally {
    await rename(scan, directory);
  }
}

test('has a higher revision at each write, also when it is taken up again', async ({
  directory,
}) => {
  const record = await keepScanRecord(directory.path, newScanRecord(NEW));
  assert.is((await read(directory)).revision, 1);
  await record.update({ state: 'failed' });
  assert.is((await read(directory)).revision, 2);
  await keepScanRecord(directory.path, await read(directory));
  assert.is((await read(directory)).revision, 3);
});

test('a note is known at once, durable when it resolves, and leaves scan.json alone', async ({
  directory,
}) => {
  const record = await withDocument(directory);
  const before = await read(directory);
  const written = record.note([begun]);
  assert.equal(outcomesOf(record.current()), ['unknown']);
  await written;
  assert.equal(await outcomesOnDisk(directory), ['unknown']);
  await record.note([done, next]);
  assert.equal(await outcomesOnDisk(directory), ['accepted', 'unknown']);
  assert.equal(await read(directory), before);
  await record.update({ state: 'failed' });
});

test('the change after a note has it in scan.json, and takes the journal away', async ({
  directory,
}) => {
  const record = await withDocument(directory);
  await record.note([begun]);
  await record.note([done, next]);
  await record.update({ state: 'failed' });
  assert.equal(await read(directory), record.current());
  assert.equal(outcomesOf(await read(directory)), ['accepted', 'unknown']);
  assert.equal(await readdir(directory.path), ['scan.json']);
});

test('a journal that could not be taken away is void, also when the scan is taken up again', async ({
  directory,
}) => {
  const record = await withDocument(directory);
  await record.note([begun]);
  const journal = path.join(directory.path, 'deliveries.jsonl');
  const old = await readFile(journal);
  await record.note([done]);
  await record.update({ state: 'failed' });
  await writeFile(journal, old);
  assert.equal(await outcomesOnDisk(directory), ['accepted']);
  const again = await keepScanRecord(directory.path, record.current());
  assert.equal(await readdir(directory.path), ['scan.json']);
  await again.note([next]);
  assert.equal(await outcomesOnDisk(directory), ['accepted', 'unknown']);
  await again.update({ state: 'failed' });
});

test('after a note that could not be written, the next one is written with all that is known', async ({
  directory,
}) => {
  const record = await withDocument(directory);
  const obstacle = path.join(directory.path, 'deliveries.jsonl.tmp');
  await mkdir(obstacle);
  assert.match(String(await rejection(record.note([done]))), /EISDIR/);
  await rmdir(obstacle);
  assert.equal(await outcomesOnDisk(directory), []);
  await record.note([next]);
  assert.equal(await outcomesOnDisk(directory), ['accepted', 'unknown']);
  await record.update({ state: 'failed' });
});

test('notes and changes made at once are written in their order, and none is lost', async ({
  directory,
}) => {
  const record = await withDocument(directory);
  await Promise.all([
    record.note([begun]),
    record.update({ warnings: ['tea'] }),
    record.note([done]),
    record.note([next]),
  ]);
  assert.equal(await outcomesOnDisk(directory), ['accepted', 'unknown']);
  await record.update({ state: 'failed' });
  assert.equal(await read(directory), record.current());
});

test.run();
