import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { firstResult } from '../../../service/scan/first-result.ts';
import { toResult } from '../../../service/scan/scan-call.ts';
import type { ScanRecord } from '../../../service/scan/scan-record.ts';
import { failure } from '../../support/rejection.ts';
import { STORED_ID, storedRecord, storeScan } from '../../support/stored-scan.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { withFixture } from '../../support/with-fixture.ts';

interface Fixture {
  readonly store: (
    change: Partial<ScanRecord>,
  ) => Promise<{ directory: string; record: ScanRecord }>;
  close(): Promise<void>;
}

const test = withFixture<Fixture>(suite('what a call that is made again is answered'), async () => {
  const temporary = await temporaryDirectory();
  const store: Fixture['store'] = async (change) => {
    const record = storedRecord(change);
    return { directory: await storeScan(temporary.path, record), record };
  };
  return { store, close: () => temporary.remove() };
});

test('finished: the result', async ({ store }) => {
  const scan = await store({ state: 'finished', error: null });
  assert.equal(await firstResult(scan), toResult(scan.record));
});

test('failed with pages: the same failure, with the ways on', async ({ store }) => {
  const error = await failure('scanner_jammed', firstResult(await store({})));
  assert.match(error.message, /^paper is stuck \(2 pages are safe: POST \/scans\/.*\/resume/);
  assert.equal(error.facts, { scan_id: STORED_ID, page_count: 2 });
});

test('failed by the deadline: with the stage and the documents so far', async ({ store }) => {
  const error = { error: 'timeout', message: 'too late' } as const;
  const told = await failure('timeout', firstResult(await store({ error, stage: 'process' })));
  assert.is(told.facts['stage'], 'process');
  assert.equal(told.facts['documents'], []);
});

test('failed without a page: nothing, so that it scans', async ({ store }) => {
  const error = { error: 'no_documents', message: 'empty' } as const;
  assert.is(await firstResult(await store({ error, page_count: 0, pages: [] })), undefined);
});

for (const state of ['scanning', 'processing', 'delivering'] as const) {
  test(`${state}, and nobody at it: cut off, with the pages that are on disk`, async ({
    store,
  }) => {
    const scan = await store({ state, error: null });
    await rm(path.join(scan.directory, 'page-0002.tif'));
    const error = await failure('scan_interrupted', firstResult(scan));
    assert.is(error.facts['page_count'], 1);
    assert.match(error.message, /1 page is safe: .*\/resume/);
  });
}

test('cut off before the record named a page that is on disk: it counts', async ({ store }) => {
  const scan = await store({ state: 'scanning', error: null });
  const record = { ...scan.record, pages: [], page_count: 0 };
  const error = await failure('scan_interrupted', firstResult({ ...scan, record }));
  assert.is(error.facts['page_count'], 2);
});

test('cut off without a whole page: never scanned anew by itself, a sheet may have moved', async ({
  store,
}) => {
  const scan = await store({ state: 'scanning', error: null, pages: [], page_count: 0 });
  await writeFile(path.join(scan.directory, 'page-0001.tif'), '');
  const error = await failure('scan_interrupted', firstResult(scan));
  assert.match(error.message, /no page of it is safe: scan again with another key$/);
  assert.is(error.facts['page_count'], 0);
});

test.run();
