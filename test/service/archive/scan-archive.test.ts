import { mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { EVENT_FILE } from '../../../service/archive/event-file.ts';
import { createRootReads, type RootReads } from '../../../service/archive/root-reads.ts';
import type { Begun } from '../../../service/archive/scan-event.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { ended, page, resumed, STORED_ID, storeScan } from '../../support/stored-scan.ts';
import { testProfile } from '../../support/test-app.ts';
import { assert, failure, rejection, withFixture } from '../../support/suite.ts';
import { idOf, startArchiveBench, storeAt } from './archive-bench.ts';

const test = withFixture('the archive', startArchiveBench);

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

/** What a new scan in that root begins with. */
function newScan(root: string, number = 1): Omit<Begun, 'at' | 'type' | 'format'> {
  const settings = testProfile({ name: 'a', paths: { output_dir: root } });
  return { scan_id: idOf(number), profile: 'a', request: {}, settings };
}

test('begins no scan in a directory that is there', async ({ root, open }) => {
  await storeAt(root, 1);
  const archive = open();
  assert.match(String(await rejection(archive.begin(newScan(root)))), /EEXIST|ENOTEMPTY/);
  assert.is((await archive.find(idOf(1))).record.state, 'failed');
  assert.match(
    String(await rejection(archive.begin(newScan(path.join(root, 'gone'))))),
    /ENOENT|EACCES/,
  );
  assert.is((await archive.list(10)).scans.length, 1);
});

test('a scan is there with its first event, or removed', async ({ root, open }) => {
  const unbegun = path.join(root, `${idOf(2)}.0123456789ab.tmp`);
  await mkdir(unbegun);
  await writeFile(path.join(unbegun, EVENT_FILE), '');
  await mkdir(path.join(root, 'mine.tmp'));
  assert.equal((await open().list(10)).scans, []);
  const archive = open();
  const scan = await archive.begin(newScan(root));
  await scan.close();
  assert.equal((await readdir(root)).filter((name) => !name.startsWith('.')).toSorted(), [
    idOf(1),
    'mine.tmp',
  ]);
});

test('a scan is known from memory until it is closed', async ({ root, open }) => {
  const archive = open();
  const scan = await archive.begin(newScan(root));
  await scan.append(page(1));
  // No other reader could know this much.
  await writeFile(path.join(scan.directory, EVENT_FILE), '');
  const found = await archive.find(idOf(1));
  assert.equal([found.isOpen, found.record.pages.length], [true, 1]);
  const [listed] = (await archive.list(10)).scans;
  assert.equal([listed?.summary?.state, listed?.summary?.page_count], ['scanning', 1]);
  await scan.close();
  await failure('scan_record_unreadable', archive.find(idOf(1)));
});

test('a scan that ends while read is not interrupted', async ({ root, open }) => {
  await storeScan(root);
  const reads = createRootReads(log);
  /** Called in the middle of each read, between its content and its answer. */
  let meanwhile = (): Promise<void> => Promise.resolve();
  const run: RootReads['run'] = async (where, read) => {
    const value = await reads.run(where, read);
    await meanwhile();
    return value;
  };
  const archive = open(() => [root], { ...reads, run });
  const scan = await archive.open(STORED_ID);
  await scan.append(resumed({ stage: 'process' }));
  await scan.close();
  const takenUp = async (): Promise<void> => {
    meanwhile = () => Promise.resolve();
    const again = await archive.open(STORED_ID);
    await again.append(resumed({ stage: 'process' }), ended({ state: 'finished', error: null }));
    await again.close();
  };
  meanwhile = takenUp;
  assert.is((await archive.find(STORED_ID)).record.state, 'finished');
  const last = await archive.open(STORED_ID);
  await last.append(resumed({ stage: 'process' }));
  await last.close();
  meanwhile = takenUp;
  assert.is((await archive.list(10)).scans[0]?.summary?.state, 'finished');
});

test('two services do not work in one output directory', async ({ root, open }) => {
  await storeScan(root);
  const [one, two] = [open(), open()];
  const scan = await one.open(STORED_ID);
  await scan.close();
  await failure('output_dir_in_use', two.open(STORED_ID));
  await failure('output_dir_in_use', two.begin(newScan(root)));
  assert.is((await two.find(STORED_ID)).record.state, 'failed', 'reading is free');
  assert.equal(await readdir(root), ['.service.lock', STORED_ID].toSorted());
  await one.close();
  await (await two.open(STORED_ID)).close();
});
