import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EVENT_FILE } from '../../../service/archive/event-file.ts';
import { createRootReads, type RootReads } from '../../../service/archive/root-reads.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { failure, rejection } from '../../support/rejection.ts';
import { ended, jammedScan, resumed, STORED_ID, storeScan } from '../../support/stored-scan.ts';
import { withFixture } from '../../support/with-fixture.ts';
import { within } from '../../support/within.ts';
import { idOf, startArchiveBench, storeAt } from './archive-bench.ts';

const test = withFixture(suite('readings of the archive'), startArchiveBench);

const { log } = capturedLog();

test('lists scans newest first, over all roots, each once', async ({ root, open }) => {
  const [one, two] = [path.join(root, 'one'), path.join(root, 'two')];
  await Promise.all([storeAt(one, 1), storeAt(one, 3), storeAt(two, 2)]);
  const { scans, more } = await open(() => [one, two, one, path.join(root, 'missing')]).list(10);
  assert.equal(
    scans.map(({ id }) => id),
    [idOf(3), idOf(2), idOf(1)],
  );
  assert.is(more, false);
});

test('a page of the list goes on where the one before ended', async ({ root, open }) => {
  for (const number of [1, 2, 3, 4, 5]) await storeAt(root, number);
  const archive = open();
  const seen: string[][] = [];
  for (let before: string | undefined, more = true; more;) {
    const scans = await archive.list(2, before);
    seen.push(scans.scans.map(({ id }) => id));
    before = scans.scans.at(-1)?.id;
    more = scans.more;
  }
  assert.equal(seen, [[idOf(5), idOf(4)], [idOf(3), idOf(2)], [idOf(1)]]);
});

test('what is no scan directory is not in the list', async ({ root, open }) => {
  await storeAt(root, 1);
  await mkdir(path.join(root, '.idempotency'));
  await mkdir(path.join(root, 'lost+found'));
  await writeFile(path.join(root, idOf(2)), 'a file with the name of a scan');
  await symlink(path.join(root, idOf(1)), path.join(root, idOf(3)));
  const { scans } = await open().list(10);
  assert.equal(
    scans.map(({ id }) => id),
    [idOf(1)],
  );
});

test('a list needs only the last event of each scan that has ended', async ({ root, open }) => {
  const directory = await storeScan(root);
  const [, , , , last] = jammedScan();
  const line = JSON.stringify({ at: '2026-11-21T06:31:00Z', ...last });
  await writeFile(
    path.join(directory, EVENT_FILE),
    `no event\n${'x'.repeat(1_000_000)}\n${line}\n`,
  );
  const archive = open();
  assert.is((await archive.list(10)).scans[0]?.summary?.page_count, 2);
  await failure('scan_record_unreadable', archive.find(STORED_ID));
});

for (const id of [
  '..',
  '.',
  '',
  '__proto__',
  '.idempotency',
  `../${STORED_ID}`,
  `${STORED_ID}/`,
  `${STORED_ID}\n`,
  `${STORED_ID}\0`,
  STORED_ID.toUpperCase(),
]) {
  test(`${JSON.stringify(id)} is no scan`, async ({ root, open }) => {
    await storeScan(root);
    const archive = open();
    await failure('scan_not_found', archive.find(id));
    await failure('scan_not_found', archive.open(id));
    await failure('scan_not_found', archive.openFile(id, 'page-0001.tif'));
  });
}

test('a scan directory that is a link is not followed', async ({ root, open }) => {
  await storeScan(path.join(root, 'elsewhere'));
  await mkdir(path.join(root, 'scans'));
  await symlink(path.join(root, 'elsewhere', STORED_ID), path.join(root, 'scans', STORED_ID));
  const archive = open(() => [path.join(root, 'scans')]);
  await failure('scan_not_found', archive.find(STORED_ID));
  await failure('scan_not_found', archive.open(STORED_ID));
  await failure('scan_not_found', archive.openFile(STORED_ID, 'page-0001.tif'));
});

test('a tree that was moved is used where it is now', async ({ root, open }) => {
  await storeScan(path.join(root, 'old'));
  await rename(path.join(root, 'old'), path.join(root, 'new'));
  const { record } = await open(() => [path.join(root, 'new')]).find(STORED_ID);
  assert.is(record.settings.paths.output_dir, path.join(root, 'new'));
});

test('a root that cannot be read costs only its own scans', async ({ root, open }) => {
  const [good, loop] = [path.join(root, 'good'), path.join(root, 'loop')];
  await storeScan(good);
  await symlink('loop', loop);
  const archive = open(() => [loop, 'relative\0path', good]);
  assert.is((await archive.find(STORED_ID)).record.scan_id, STORED_ID);
  assert.is((await archive.list(10)).scans.length, 1);
  const scan = await archive.open(STORED_ID);
  await scan.append(resumed({ stage: 'process' }), ended());
  await scan.close();
  await (await archive.openFile(STORED_ID, 'page-0001.tif')).handle.close();
});

/** Reads of roots, of which all below one never come back until the test ends. */
function hungReads(hung: string): { rootReads: RootReads; release: () => void } {
  const disk = Promise.withResolvers<never>();
  disk.promise.catch(() => {});
  const reads = createRootReads(log, PATIENCE_MS);
  const hang = <T>(root: string, read: () => Promise<T>): Promise<T> =>
    reads.run(root, () => (root === hung ? disk.promise : read()));
  const rootReads: RootReads = {
    run: hang,
    first: (roots, read) =>
      reads.first(roots, (root) => (root === hung ? disk.promise : read(root))),
    all: (roots, read) => reads.all(roots, (root) => (root === hung ? disk.promise : read(root))),
  };
  return { rootReads, release: () => disk.reject(new Error('the test has ended')) };
}

/** How long a disk may be silent in a test, and by when an answer that does not wait for it has come. */
const PATIENCE_MS = 1500;
const SOON_MS = 60_000;

test('a root that hangs delays no scan of another, and the list no longer than a silent disk may', async ({
  root,
  open,
}) => {
  const [good, hung] = [path.join(root, 'good'), path.join(root, 'hung')];
  await storeScan(good);
  await storeAt(hung, 2);
  const { rootReads, release } = hungReads(hung);
  const archive = open(() => [hung, good], rootReads);
  const lost = Array.from({ length: 20 }, () => rejection(archive.find(idOf(2))));
  assert.is((await within(SOON_MS, archive.find(STORED_ID))).record.scan_id, STORED_ID);
  const file = await within(SOON_MS, archive.openFile(STORED_ID, 'page-0001.tif'));
  await file.handle.close();
  await (await within(SOON_MS, archive.open(STORED_ID))).close();
  const { scans } = await within(SOON_MS, archive.list(10));
  assert.equal(
    scans.map(({ id }) => id),
    [STORED_ID],
  );
  await within(SOON_MS, Promise.all(lost));
  await within(SOON_MS, failure('insufficient_storage', archive.find(idOf(2))));
  release();
});

test.run();
