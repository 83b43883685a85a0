import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Failure } from '../../../../helpers/failure.ts';
import { callIdentity } from '../../../../service/archive/recorded-calls.ts';
import type { NewScanEvent } from '../../../../service/archive/scan-event.ts';
import { createScanId } from '../../../../service/archive/scan-id.ts';
import { feedPages } from '../../../support/scan-parts.ts';
import { begun, ended, fed, page, storeScan } from '../../../support/stored-scan.ts';
import { assert, EVENT_MS, failure, withFixture, within } from '../../../support/suite.ts';
import { createScanBench, JAM } from './scan-bench.ts';

const KEY = callIdentity('k', {});
const OTHER_KEY = callIdentity('other', {});

const BEGAN = new Date(Date.now() - 60_000);
const ID = createScanId(BEGAN);

const test = withFixture('a repeated call', async () => {
  const bench = await createScanBench();
  const paths = { output_dir: bench.root };
  const first = begun({ paths }, { scan_id: ID, call: { ...KEY, last_page: 0 } });
  return {
    ...bench,
    feeding: (feed = feedPages(2)) => bench.start({ feed }),
    /** Stores a scan that a call with KEY began in an earlier run of the service. */
    remembered: (...events: readonly NewScanEvent[]) =>
      storeScan(bench.root, [first, ...events], ID, BEGAN.getTime()),
    again: async (code: Failure['code']) => {
      const { scans, parts } = await bench.start({ feed: feedPages(1) });
      const error = await failure(code, scans.scan(bench.call(), KEY));
      assert.equal(parts.fed, []);
      return error;
    },
  };
});

test('with the same key gets the first result, even after a restart', async ({ call, feeding }) => {
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
  assert.equal([error.facts['scan_id'], parts.fed.length], [scan_id, 1]);
});

test('during the first is refused, and later gets its result', async ({ call, feeding }) => {
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

test('after a scan that fed nothing scans', async ({ call, feeding }) => {
  const empty = await feeding(feedPages(0));
  await failure('no_documents', empty.scans.scan(call(), KEY));
  const { scans } = await feeding();
  assert.is((await scans.scan(call(), KEY)).page_count, 2);
});

test('that continued and fed nothing continues again', async ({ jammed, feeding }) => {
  const id = await jammed(2);
  const empty = await feeding(feedPages(0));
  await failure('no_documents', empty.scans.continueScan(id, {}, KEY));
  const jams = await feeding(feedPages(1, JAM));
  await failure('scanner_jammed', jams.scans.continueScan(id, {}, KEY));
  const { scans, parts } = await feeding();
  const { facts } = await failure('scanner_jammed', scans.continueScan(id, {}, KEY));
  assert.equal([facts['page_count'], parts.fed], [3, []]);
  const result = await scans.continueScan(id, {}, OTHER_KEY);
  assert.is(result.page_count, 5);
  assert.equal(await scans.continueScan(id, {}, KEY), result);
  assert.is(parts.fed.length, 1);
});

test('keeps a key that fed a page, even without the page', async ({ jammed, file, feeding }) => {
  const id = await jammed(2);
  await rm(file(id, 'page-0001.tif'));
  const { scans } = await feeding(feedPages(1, JAM));
  await failure('scanner_jammed', scans.continueScan(id, {}, KEY));
  const { scans: again, parts } = await feeding();
  await failure('scanner_jammed', again.continueScan(id, {}, KEY));
  assert.equal(parts.fed, []);
});

test('with a key on a hung disk ends in time without feeding', async ({ call, start }) => {
  const disk = Promise.withResolvers<never>();
  const { scans, parts } = await start(
    { feed: feedPages(1) },
    { archive: () => ({ recall: () => disk.promise }) },
  );
  const late = scans.scan(call({ timeout_seconds: 1 }), KEY);
  await within(EVENT_MS, failure('timeout', late));
  disk.reject(new Error('at last'));
  await within(EVENT_MS, scans.drain());
  assert.equal(parts.fed, []);
});

test('scans if the directory of the first was removed', async ({ root, call, feeding }) => {
  const { scans, parts } = await feeding();
  const { scan_id } = await scans.scan(call(), KEY);
  await rm(path.join(root, scan_id), { recursive: true });
  await scans.scan(call(), KEY);
  assert.is(parts.fed.length, 2);
});

test('reports that the first is being resumed', async ({ call, start, jammed }) => {
  const id = await jammed(2, {}, KEY);
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

test('after a restart, failed by the deadline: reports the stage and the documents so far', async (bench) => {
  const error = { error: 'timeout', message: 'Too late.' } as const;
  await bench.remembered(page(1), fed(), ended({ error }));
  const { facts } = await bench.again('timeout');
  const { scan_id, page_count, stage, documents } = facts;
  assert.equal([scan_id, page_count, stage, documents], [ID, 1, 'process', []]);
});

/** In each row, the second page is missing on disk. */
for (const [what, events, code] of [
  ['ended by a jam', [page(1), page(2), fed(), ended()], 'scanner_jammed'],
  ['cut off while feeding', [page(1), page(2)], 'scan_interrupted'],
  ['cut off while processing', [page(1), page(2), fed()], 'scan_interrupted'],
] as const) {
  test(`after a restart, ${what}: promises exactly the pages on disk`, async (bench) => {
    await rm(path.join(await bench.remembered(...events), 'page-0002.tif'));
    const { facts, message } = await bench.again(code);
    assert.is(facts['page_count'], 1);
    assert.match(message, / 1 page is stored: POST \/scans\/.*\/resume/);
  });
}

test('after a restart, interrupted before a stored page was recorded: the page counts', async (bench) => {
  const directory = await bench.remembered(page(1), page(2));
  await bench.remembered();
  assert.ok((await readdir(directory)).includes('page-0002.tif'));
  assert.is((await bench.again('scan_interrupted')).facts['page_count'], 2);
});

test('after a restart, interrupted without a complete page: never scanned again automatically, since a sheet may have moved', async (bench) => {
  await writeFile(path.join(await bench.remembered(), 'page-0001.tif'), '');
  const { facts, message } = await bench.again('scan_interrupted');
  assert.match(message, /no page of it is stored\. Scan again with another key\.$/);
  assert.is(facts['page_count'], 0);
});
