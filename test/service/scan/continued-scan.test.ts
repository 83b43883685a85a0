import { readdir, rm, truncate } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../helpers/failure.ts';
import { readScanRecord } from '../../../service/archive/scan-archive.ts';
import { continuedScan } from '../../../service/scan/continued-scan.ts';
import { createDeadline } from '../../../service/scan/deadline.ts';
import { runScan } from '../../../service/scan/run-scan.ts';
import type { ScanResult } from '../../../service/scan/scan-call.ts';
import type { ScanRecord } from '../../../service/scan/scan-record.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { failure } from '../../support/rejection.ts';
import { feedPages, playedParts, type PlayedParts } from '../../support/scan-parts.ts';
import { STORED_ID, storedRecord, storeScan } from '../../support/stored-scan.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { withFixture } from '../../support/with-fixture.ts';

interface Fixture {
  readonly root: string;
  readonly store: (change?: Partial<ScanRecord>, profile?: object) => Promise<string>;
  readonly goOn: (parts: PlayedParts, seconds?: number) => Promise<ScanResult>;
  close(): Promise<void>;
}

const test = withFixture<Fixture>(suite('a scan that is continued'), async () => {
  const temporary = await temporaryDirectory();
  const root = temporary.path;
  // Timers of deadlines do not keep a process alive; a server does.
  const keepAlive = setInterval(() => {}, 1000);
  return {
    root,
    store: (change, profile) => storeScan(root, storedRecord(change, profile)),
    goOn: (parts, seconds = 20) => {
      const stored = { directory: path.join(root, STORED_ID), record: storedRecord() };
      const options = { id: STORED_ID, deadline: createDeadline(seconds), log: capturedLog().log };
      return runScan(continuedScan(stored, parts), options).ended;
    },
    close: async () => {
      clearInterval(keepAlive);
      await temporary.remove();
    },
  };
});

test('feeds with the profile that it began with, page numbers going on', async ({
  root,
  store,
  goOn,
}) => {
  await store({}, { source: 'ADF', resolution: 150 });
  const parts = playedParts({ feed: feedPages(2) });
  const result = await goOn(parts);
  assert.is(parts.fed[0]?.first_page, 3);
  assert.is(parts.fed[0]?.resolution, 150);
  assert.is(parts.fed[0]?.directory, path.join(root, STORED_ID));
  assert.equal(result.documents[0]?.pages, [1, 2, 3, 4]);
  const names = await readdir(path.join(root, STORED_ID));
  assert.not.ok(names.includes('recognized'));
});

/** Pages that the record names, what becomes of them, and the number that the next one gets. */
const NUMBERS: [string, (directory: string) => Promise<unknown>, string, number][] = [
  ['both pages are whole', () => Promise.resolve(), 'ADF', 3],
  ['the last page is cut off', (dir) => truncate(`${dir}/page-0002.tif`, 900), 'ADF', 3],
  ['the last page is gone', (dir) => rm(`${dir}/page-0002.tif`), 'ADF', 3],
  ['the first page is gone', (dir) => rm(`${dir}/page-0001.tif`), 'ADF', 3],
  ['a back is gone', (dir) => rm(`${dir}/page-0002.tif`), 'ADF Duplex', 3],
];

for (const [what, change, source, next] of NUMBERS) {
  test(`${what} (${source}): the next page is ${next}, no number is given twice`, async ({
    store,
    goOn,
  }) => {
    await change(await store({}, { source }));
    const parts = playedParts({ feed: feedPages(1) });
    const result = await goOn(parts);
    assert.is(parts.fed[0]?.first_page, next);
    assert.is(result.pages.at(-1), `page-000${next}.tif`);
  });
}

test('a front without its back is followed by a front', async ({ store, goOn }) => {
  await store({ pages: ['page-0001.tif'], page_count: 1 }, { source: 'ADF Duplex' });
  const parts = playedParts({ feed: feedPages(2) });
  assert.equal((await goOn(parts)).documents[0]?.pages, [1, 3, 4]);
});

test('a page that vanished after it was recognised never stands for a new one', async ({
  root,
  store,
  goOn,
}) => {
  await store();
  const jam = new Failure('scanner_jammed', 'again');
  await failure('scanner_jammed', goOn(playedParts({ feed: feedPages(1, jam) })));
  await rm(path.join(root, STORED_ID, 'page-0003.tif'));
  await failure('no_documents', goOn(playedParts()));
  const parts = playedParts({ feed: feedPages(1) });
  const result = await goOn(parts);
  assert.ok(parts.recognized.includes(result.pages.at(-1) ?? ''));
});

test('a second jam keeps the pages of both, and it can go on once more', async ({
  store,
  goOn,
  root,
}) => {
  await store();
  const jam = new Failure('scanner_jammed', 'again');
  const error = await failure('scanner_jammed', goOn(playedParts({ feed: feedPages(1, jam) })));
  assert.is(error.facts['page_count'], 3);
  assert.is((await readScanRecord(path.join(root, STORED_ID))).state, 'failed');
  const result = await goOn(playedParts({ feed: feedPages(1) }));
  assert.equal(result.documents[0]?.pages, [1, 2, 3, 4]);
});

test('an empty feeder loses nothing', async ({ root, store, goOn }) => {
  await store();
  const error = await failure('no_documents', goOn(playedParts()));
  assert.is(error.facts['page_count'], 2);
  const record = await readScanRecord(path.join(root, STORED_ID));
  assert.equal(record.pages, ['page-0001.tif', 'page-0002.tif']);
});

test('a scan whose documents are made is not, and no paper moves', async ({ store, goOn }) => {
  const document = {
    filename: 'document-0001.pdf',
    pages: [1, 2],
    page_count: 2,
    bytes: 1,
    sha256: 'a'.repeat(64),
    title: '',
    destinations: [],
    outcomes: [],
  };
  await store({ documents: [document] });
  const parts = playedParts({ feed: feedPages(1) });
  await failure('scan_not_resumable', goOn(parts));
  assert.equal(parts.fed, []);
});

test('a record that became unreadable ends it before paper moves', async ({ store, goOn }) => {
  const directory = await store();
  await truncate(path.join(directory, 'scan.json'), 10);
  const parts = playedParts({ feed: feedPages(1) });
  await failure('scan_record_unreadable', goOn(parts));
  assert.equal(parts.fed, []);
});

test('a deadline that passes while it feeds keeps what came until then', async ({
  root,
  store,
  goOn,
}) => {
  await store();
  const parts = playedParts({
    feed: async (request, options) => {
      await feedPages(1)(request, options);
      await new Promise((resolve) => {
        options.signal.addEventListener('abort', resolve, { once: true });
      });
      throw options.signal.reason as Error;
    },
  });
  const error = await failure('timeout', goOn(parts, 1));
  assert.is(error.facts['page_count'], 3);
  assert.is(error.facts['stage'], 'scan');
  const record = await readScanRecord(path.join(root, STORED_ID));
  assert.is(record.pages.at(-1), 'page-0003.tif');
});

test.run();
