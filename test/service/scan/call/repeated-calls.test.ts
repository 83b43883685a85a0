import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../../../../helpers/failure.ts';
import { callIdentity } from '../../../../service/archive/recorded-calls.ts';
import type { NewScanEvent } from '../../../../service/archive/scan-event.ts';
import { createScanId } from '../../../../service/archive/scan-id.ts';
import { feedPages } from '../../../support/scan-parts.ts';
import { begun, ended, fed, page, storeScan } from '../../../support/stored-scan.ts';
import { assert, failure, withFixture, within } from '../../../support/suite.ts';
import { createScanBench, EVENT_MS, type ScanBench } from './scan-bench.ts';

const KEY = callIdentity('k', {});
const OTHER_KEY = callIdentity('other', {});
const JAM = new Failure('scanner_jammed', 'Paper is stuck.');

/** A minute before the call is made again. */
const BEGAN = new Date(Date.now() - 60_000);
const ID = createScanId(BEGAN);

/** The first event of a scan that is stored in `root`. */
const begunIn = ({ root }: ScanBench): NewScanEvent =>
  begun({ paths: { output_dir: root } }, { scan_id: ID, call: { ...KEY, last_page: 0 } });

const test = withFixture('a call that is made again', async () => {
  const bench = await createScanBench();
  return {
    ...bench,
    /** A service whose feeder holds two pages each time. */
    feeding: (feed = feedPages(2)) => bench.start({ feed }),
    /** Stores the scan that the key of the call stands for, as an earlier run of the service left it. */
    remembered: (events: readonly NewScanEvent[]) =>
      storeScan(bench.root, events, ID, BEGAN.getTime()),
    /** Makes the call again. */
    again: async () => {
      const { scans, parts } = await bench.start({ feed: feedPages(1) });
      return { result: scans.scan(bench.call(), KEY), parts };
    },
  };
});

test('with the same key has the first result, kept over a restart', async ({ call, feeding }) => {
  const first = await (await feeding()).scans.scan(call(), KEY);
  const { scans, parts } = await feeding();
  assert.equal(await scans.scan(call(), KEY), first);
  assert.equal(parts.fed, []);
});

test('with another request is refused', async ({ call, feeding }) => {
  const { scans, parts } = await feeding();
  const { scan_id } = await scans.scan(call(), KEY);
  const other = callIdentity('k', { title: 'x' });
  const error = await failure('idempotency_key_reused', scans.scan(call(), other));
  assert.is(error.facts['scan_id'], scan_id);
  assert.is(parts.fed.length, 1);
});

test('during the first is refused, then given its result', async ({ call, feeding }) => {
  const feeder = Promise.withResolvers<void>();
  const feeds = Promise.withResolvers<string>();
  const { scans, parts } = await feeding(async (request, options) => {
    feeds.resolve(path.basename(request.directory));
    await feeder.promise;
    return feedPages(2)(request, options);
  });
  const first = scans.scan(call(), KEY);
  await failure('scan_in_progress', scans.scan(call(), KEY));
  const id = await feeds.promise;
  const error = await failure('scan_in_progress', scans.scan(call(), KEY));
  assert.is(error.facts['scan_id'], id);
  feeder.resolve();
  const result = await first;
  assert.equal(await scans.scan(call(), KEY), result);
  assert.is(parts.fed.length, 1);
});

test('twenty times at once scans once', async ({ call, feeding }) => {
  const { scans, parts } = await feeding();
  const calls = Array.from({ length: 20 }, () => scans.scan(call(), KEY));
  const results = await Promise.allSettled(calls);
  assert.is(results.filter(({ status }) => status === 'fulfilled').length, 1);
  for (const one of results) {
    if (one.status === 'rejected') assert.is((one.reason as Failure).code, 'scan_in_progress');
  }
  assert.is(parts.fed.length, 1);
});

test('after a scan that fed nothing scans', async ({ call, feeding }) => {
  const empty = await feeding(feedPages(0));
  await failure('no_documents', empty.scans.scan(call(), KEY));
  const { scans } = await feeding();
  assert.is((await scans.scan(call(), KEY)).page_count, 2);
});

test('that continued and fed nothing continues again', async ({ call, feeding }) => {
  const first = await feeding(feedPages(2, JAM));
  const error = await failure('scanner_jammed', first.scans.scan(call()));
  const id = String(error.facts['scan_id']);
  const empty = await feeding(feedPages(0));
  await failure('no_documents', empty.scans.continueScan(id, {}, KEY));
  const jams = await feeding(feedPages(1, JAM));
  await failure('scanner_jammed', jams.scans.continueScan(id, {}, KEY));
  const { scans, parts } = await feeding();
  assert.is(
    (await failure('scanner_jammed', scans.continueScan(id, {}, KEY))).facts['page_count'],
    3,
  );
  assert.equal(parts.fed, []);
  const result = await scans.continueScan(id, {}, OTHER_KEY);
  assert.is(result.page_count, 5);
  assert.equal(await scans.continueScan(id, {}, KEY), result);
  assert.is(parts.fed.length, 1);
});

test('a key that fed a page stays, even without the page', async ({ call, file, feeding }) => {
  const first = await feeding(feedPages(2, JAM));
  const id = String((await failure('scanner_jammed', first.scans.scan(call()))).facts['scan_id']);
  await rm(file(id, 'page-0001.tif'));
  const { scans } = await feeding(feedPages(1, JAM));
  await failure('scanner_jammed', scans.continueScan(id, {}, KEY));
  const { scans: again, parts } = await feeding();
  await failure('scanner_jammed', again.continueScan(id, {}, KEY));
  assert.equal(parts.fed, []);
});

test('a key on a hung disk ends in time and feeds nothing', async ({ call, start }) => {
  const disk = Promise.withResolvers<never>();
  const { scans, parts } = await start(
    { feed: feedPages(1) },
    { archive: (archive) => ({ ...archive, recall: () => disk.promise }) },
  );
  const late = scans.scan(call({ timeout_seconds: 1 }), KEY);
  await within(EVENT_MS, failure('timeout', late));
  disk.reject(new Error('at last'));
  await within(EVENT_MS, scans.drain());
  assert.equal(parts.fed, []);
});

test('scans when somebody removed the directory of the first', async ({ root, call, feeding }) => {
  const { scans, parts } = await feeding();
  const { scan_id } = await scans.scan(call(), KEY);
  await rm(path.join(root, scan_id), { recursive: true });
  await scans.scan(call(), KEY);
  assert.is(parts.fed.length, 2);
});

test('is told that the first is being resumed', async ({ call, start, feeding }) => {
  const first = await feeding(feedPages(2, JAM));
  const error = await failure('scanner_jammed', first.scans.scan(call(), KEY));
  const id = String(error.facts['scan_id']);
  const reached = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const { scans, parts } = await start({
    assemble: () => {
      reached.resolve();
      return held.promise;
    },
  });
  const resumed = scans.resume(id);
  await within(EVENT_MS, reached.promise);
  const again = await failure('scan_in_progress', scans.scan(call(), KEY));
  assert.is(again.facts['scan_id'], id);
  held.resolve();
  await resumed;
  assert.equal(parts.fed, []);
});

test('by a service that began anew: failed by the deadline: with the stage and the documents so far', async (fixture) => {
  const { remembered, again } = fixture;
  const error = { error: 'timeout', message: 'Too late.' } as const;
  await remembered([begunIn(fixture), page(1), fed(), ended({ error })]);
  const { facts } = await failure('timeout', (await again()).result);
  assert.is(facts['scan_id'], ID);
  assert.is(facts['page_count'], 1);
  assert.is(facts['stage'], 'process');
  assert.equal(facts['documents'], []);
});

test('by a service that began anew: failed with pages that are no longer on disk: it promises none of them', async (fixture) => {
  const { remembered, again } = fixture;
  const directory = await remembered([begunIn(fixture), page(1), page(2), fed(), ended()]);
  await rm(path.join(directory, 'page-0001.tif'));
  const { result } = await again();
  const error = await failure('scanner_jammed', result);
  assert.is(error.facts['page_count'], 1);
  assert.match(error.message, /^Paper is stuck\. 1 page is stored: POST \/scans\/.*\/resume/);
});

/** How far a scan was when the service was killed. */
const CUT_OFF: [string, NewScanEvent[]][] = [
  ['feeding', [page(1), page(2)]],
  ['processing', [page(1), page(2), fed()]],
];

for (const [what, events] of CUT_OFF) {
  test(`by a service that began anew: cut off while ${what}: with the pages that are on disk`, async (fixture) => {
    const { remembered, again } = fixture;
    const directory = await remembered([begunIn(fixture), ...events]);
    await rm(path.join(directory, 'page-0002.tif'));
    const { result, parts } = await again();
    const error = await failure('scan_interrupted', result);
    assert.is(error.facts['page_count'], 1);
    assert.match(error.message, /1 page is stored: .*\/resume/);
    assert.equal(parts.fed, []);
  });
}

test('by a service that began anew: cut off before a page that is on disk was recorded: it counts', async (fixture) => {
  const { remembered, again } = fixture;
  const directory = await remembered([begunIn(fixture), page(1), page(2)]);
  await remembered([begunIn(fixture)]);
  assert.ok((await readdir(directory)).includes('page-0002.tif'));
  const { result } = await again();
  const error = await failure('scan_interrupted', result);
  assert.is(error.facts['page_count'], 2);
});

test('by a service that began anew: cut off without a whole page: never scanned anew by itself, a sheet may have moved', async (fixture) => {
  const { remembered, again } = fixture;
  const directory = await remembered([begunIn(fixture)]);
  await writeFile(path.join(directory, 'page-0001.tif'), '');
  const { result, parts } = await again();
  const error = await failure('scan_interrupted', result);
  assert.match(error.message, /no page of it is stored\. Scan again with another key\.$/);
  assert.is(error.facts['page_count'], 0);
  assert.equal(parts.fed, []);
});
