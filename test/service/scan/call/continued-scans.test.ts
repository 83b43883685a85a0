import { readdir, rm, truncate } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../../helpers/failure.ts';
import { failure } from '../../../support/rejection.ts';
import { feedPages } from '../../../support/scan-parts.ts';
import {
  assembled,
  ended,
  jammedScan,
  planned,
  STORED_ID,
  storeScan,
} from '../../../support/stored-scan.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { createScanBench, type ScanBench } from './scan-bench.ts';

const test = withFixture<ScanBench>(suite('a scan that is continued'), createScanBench);

const JAM = new Failure('scanner_jammed', 'Stuck again.');

/** Stores a scan that jammed when two pages were stored. */
const store = (bench: ScanBench, profile: object = {}): Promise<string> =>
  storeScan(bench.root, jammedScan(settingsIn(bench, profile)));

const settingsIn = ({ root }: ScanBench, profile: object = {}): object => ({
  paths: { output_dir: root },
  ...profile,
});

test('feeds with the profile that it began with, page and sheet numbers going on', async (bench) => {
  const directory = await store(bench, { source: 'ADF', resolution: 150 });
  const { scans, parts } = await bench.start({ feed: feedPages(2) });
  const result = await scans.continueScan(STORED_ID);
  const [request] = parts.fed;
  assert.is(request?.first_page, 3);
  assert.is(request?.first_sheet, 3);
  assert.is(request?.resolution, 150);
  assert.is(request?.directory, directory);
  assert.equal(result.documents[0]?.pages, [1, 2, 3, 4]);
  assert.not.ok((await readdir(directory)).includes('recognized'));
});

/** What becomes of the pages that the record names; the next one is the third whatever it is. */
const CHANGES: [string, (directory: string) => Promise<unknown>, number[]][] = [
  ['both pages are whole', () => Promise.resolve(), [1, 2, 3]],
  ['the last page is cut off', (directory) => truncate(`${directory}/page-0002.tif`, 900), [1, 3]],
  ['the last page is gone', (directory) => rm(`${directory}/page-0002.tif`), [1, 3]],
  ['the first page is gone', (directory) => rm(`${directory}/page-0001.tif`), [2, 3]],
];

for (const [what, change, pages] of CHANGES) {
  test(`${what}: no number is given twice`, async (bench) => {
    await change(await store(bench));
    const { scans, parts } = await bench.start({ feed: feedPages(1) });
    const result = await scans.continueScan(STORED_ID);
    assert.is(parts.fed[0]?.first_page, 3);
    assert.equal(result.documents[0]?.pages, pages);
  });
}

test('a page that vanished after it was recognised never stands for a new one', async (bench) => {
  const directory = await store(bench);
  const first = await bench.start({ feed: feedPages(1, JAM) });
  await failure('scanner_jammed', first.scans.continueScan(STORED_ID));
  await rm(path.join(directory, 'page-0003.tif'));
  const empty = await bench.start();
  await failure('no_documents', empty.scans.continueScan(STORED_ID));
  const { scans, parts } = await bench.start({ feed: feedPages(1) });
  const result = await scans.continueScan(STORED_ID);
  assert.ok(parts.recognized.includes(result.pages.at(-1) ?? ''));
});

test('a second jam keeps the pages of both, and it can go on once more', async (bench) => {
  await store(bench);
  const first = await bench.start({ feed: feedPages(1, JAM) });
  const error = await failure('scanner_jammed', first.scans.continueScan(STORED_ID));
  assert.is(error.facts['page_count'], 3);
  assert.is((await bench.stored(STORED_ID)).state, 'failed');
  const { scans } = await bench.start({ feed: feedPages(1) });
  const result = await scans.continueScan(STORED_ID);
  assert.equal(result.documents[0]?.pages, [1, 2, 3, 4]);
});

test('a scan whose documents are made is not, and no paper moves', async (bench) => {
  const [first, ...rest] = jammedScan(settingsIn(bench));
  if (first === undefined) return;
  await storeScan(bench.root, [first, ...rest.slice(0, -1), planned([1, 2]), assembled(), ended()]);
  const { scans, parts } = await bench.start({ feed: feedPages(1) });
  await failure('scan_not_resumable', scans.continueScan(STORED_ID));
  assert.equal(parts.fed, []);
});

test.run();
