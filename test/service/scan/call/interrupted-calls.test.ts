import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callIdentity } from '../../../../service/archive/recorded-calls.ts';
import type { NewScanEvent } from '../../../../service/archive/scan-event.ts';
import { createScanId } from '../../../../service/archive/scan-id.ts';
import type { ScanResult } from '../../../../service/archive/scan-view.ts';
import { failure } from '../../../support/rejection.ts';
import { feedPages, type PlayedParts } from '../../../support/scan-parts.ts';
import { begun, ended, fed, page, storeScan } from '../../../support/stored-scan.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { createScanBench, type ScanBench } from './scan-bench.ts';

interface Fixture extends ScanBench {
  /** Stores the scan that the key of the call stands for, as an earlier run of the service left it. */
  readonly remembered: (events: readonly NewScanEvent[]) => Promise<string>;
  /** Makes the call again. */
  readonly again: () => Promise<{
    readonly result: Promise<ScanResult>;
    readonly parts: PlayedParts;
  }>;
}

const KEY = callIdentity('k', {});

/** A minute before the call is made again. */
const BEGAN = new Date(Date.now() - 60_000);
const ID = createScanId(BEGAN);

const test = withFixture<Fixture>(
  suite('a call that is made again after the service was stopped'),
  async () => {
    const bench = await createScanBench();
    return {
      ...bench,
      remembered: (events) => storeScan(bench.root, events, ID, BEGAN.getTime()),
      again: async () => {
        const { scans, parts } = await bench.start({ feed: feedPages(1) });
        return { result: scans.scan(bench.call(), KEY), parts };
      },
    };
  },
);

/** The first event of a scan that is stored in `root`. */
const begunIn = ({ root }: ScanBench): NewScanEvent =>
  begun({ paths: { output_dir: root } }, { scan_id: ID, call: { ...KEY, last_page: 0 } });

test('failed by the deadline: with the stage and the documents so far', async (fixture) => {
  const { remembered, again } = fixture;
  const error = { error: 'timeout', message: 'Too late.' } as const;
  await remembered([begunIn(fixture), page(1), fed(), ended({ error })]);
  const { facts } = await failure('timeout', (await again()).result);
  assert.is(facts['scan_id'], ID);
  assert.is(facts['page_count'], 1);
  assert.is(facts['stage'], 'process');
  assert.equal(facts['documents'], []);
});

test('failed with pages that are no longer on disk: it promises none of them', async (fixture) => {
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
  test(`cut off while ${what}: with the pages that are on disk`, async (fixture) => {
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

test('cut off before a page that is on disk was recorded: it counts', async (fixture) => {
  const { remembered, again } = fixture;
  const directory = await remembered([begunIn(fixture), page(1), page(2)]);
  await remembered([begunIn(fixture)]);
  assert.ok((await readdir(directory)).includes('page-0002.tif'));
  const { result } = await again();
  const error = await failure('scan_interrupted', result);
  assert.is(error.facts['page_count'], 2);
});

test('cut off without a whole page: never scanned anew by itself, a sheet may have moved', async (fixture) => {
  const { remembered, again } = fixture;
  const directory = await remembered([begunIn(fixture)]);
  await writeFile(path.join(directory, 'page-0001.tif'), '');
  const { result, parts } = await again();
  const error = await failure('scan_interrupted', result);
  assert.match(error.message, /no page of it is stored\. Scan again with another key\.$/);
  assert.is(error.facts['page_count'], 0);
  assert.equal(parts.fed, []);
});

test.run();
