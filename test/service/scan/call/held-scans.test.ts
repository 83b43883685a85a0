import { readFile } from 'node:fs/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../../helpers/failure.ts';
import type { ScanResult } from '../../../../service/archive/scan-view.ts';
import { failure } from '../../../support/rejection.ts';
import { feedDuplexPages, feedPages, type Feed } from '../../../support/scan-parts.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { createScanBench, type BenchService, type ScanBench } from './scan-bench.ts';

const test = withFixture<ScanBench>(suite('a scan that is held'), createScanBench);

const HOLD = { hold: true } as const;
const BACKS = { side: 'backs' } as const;
const JAM = new Failure('scanner_jammed', 'Stuck.');

/** A service whose feeder holds these stacks, one for each call. */
function startWith(bench: ScanBench, ...stacks: readonly Feed[]): Promise<BenchService> {
  const left = [...stacks];
  const empty = feedPages(0);
  return bench.start({ feed: (request, options) => (left.shift() ?? empty)(request, options) });
}

/** Begins a held scan with the first of these stacks. */
async function hold(
  bench: ScanBench,
  stacks: readonly Feed[],
  profile: object = {},
): Promise<BenchService & { id: string; first: ScanResult }> {
  const service = await startWith(bench, ...stacks);
  const first = await service.scans.scan({ ...bench.call(profile), ...HOLD });
  return { ...service, id: first.scan_id, first };
}

/** Pages of each document, in their order. */
const pagesOf = ({ documents }: ScanResult): (readonly number[])[] =>
  documents.map(({ pages }) => pages);

test('has its pages recognised and no document, and says so', async (bench) => {
  const { first, parts, archive } = await hold(bench, [feedPages(2)]);
  assert.is(first.state, 'held');
  assert.equal([first.page_count, first.documents], [2, []]);
  assert.is(parts.recognized.length, 2);
  assert.equal(bench.dms.uploads(), []);
  assert.is((await bench.stored(first.scan_id)).state, 'held');
  const { scans: listed } = await archive.list(10);
  assert.equal([listed[0]?.summary?.state, listed[0]?.summary?.error], ['held', null]);
});

test('takes more paper, and is finished by the call that does not hold it', async (bench) => {
  const { scans, parts, id } = await hold(
    bench,
    [1, 1, 2].map((count) => feedPages(count)),
  );
  const second = await scans.continueScan(id, HOLD);
  assert.equal([second.state, second.page_count, pagesOf(second)], ['held', 2, []]);
  const result = await scans.continueScan(id);
  assert.equal([result.state, pagesOf(result)], ['finished', [[1, 2, 3, 4]]]);
  assert.equal(parts.recognized.toSorted(), result.pages, 'each page once');
  assert.is(bench.dms.uploads().length, 1);
});

test('is finished by resume, after a restart as well', async (bench) => {
  const { id } = await hold(bench, [feedPages(2)]);
  const { scans, parts, archive } = await bench.start();
  assert.is((await archive.find(id)).record.state, 'held');
  const result = await scans.resume(id);
  assert.equal([result.state, pagesOf(result), result.warnings], ['finished', [[1, 2]], []]);
  assert.equal([parts.fed, parts.recognized], [[], []]);
});

test('is a failed one after a jam, and goes on all the same', async (bench) => {
  const stacks = [feedPages(1), feedPages(1, JAM), feedPages(1), feedPages(1)];
  const { scans, id } = await hold(bench, stacks);
  await failure('scanner_jammed', scans.continueScan(id, HOLD));
  assert.is((await bench.stored(id)).state, 'failed');
  const held = await scans.continueScan(id);
  assert.equal([held.state, held.page_count], ['held', 3]);
  assert.equal(pagesOf(await scans.continueScan(id)), [[1, 2, 3, 4]]);
});

for (const [order, pages] of [
  ['reverse', [1, 6, 2, 5, 3, 4]],
  ['same', [1, 4, 2, 5, 3, 6]],
] as const) {
  test(`has second sides in ${order} order on the sheets of their fronts`, async (bench) => {
    const profile = { assembly: { backs_order: order } };
    const { scans, id } = await hold(bench, [feedPages(3), feedPages(3)], profile);
    const result = await scans.continueScan(id, BACKS);
    assert.equal(pagesOf(result), [pages]);
    assert.equal(
      result.pages,
      pages.map((number) => `page-000${number}.tif`),
    );
    const document = await readFile(bench.file(id, 'document-0001.pdf'), 'utf8');
    assert.equal(document.match(/page-\d+\.tif/g), result.pages);
  });
}

test('may have a stack that is larger than the feeder, and sheets with one side after it', async (bench) => {
  const stacks = [2, 1, 1, 2, 1].map((count) => feedPages(count));
  const profile = { assembly: { page_grouping: 'per_sheet' } };
  const { scans, id } = await hold(bench, stacks, profile);
  await scans.continueScan(id, HOLD);
  await scans.continueScan(id, { ...HOLD, ...BACKS });
  await failure('scan_not_resumable', scans.continueScan(id));
  await scans.continueScan(id, { ...HOLD, ...BACKS });
  assert.equal(pagesOf(await scans.continueScan(id)), [[1, 6], [2, 5], [3, 4], [7]]);
});

for (const [how, before, added] of [
  ['which are named', 1, BACKS],
  ['which are not named', 1, {}],
  ['all of them', 0, {}],
] as const) {
  test(`goes on with the backs that are left after a jam, ${how}`, async (bench) => {
    const stacks = [feedPages(3), feedPages(before, JAM), feedPages(3 - before)];
    const { scans, id } = await hold(bench, stacks);
    await failure('scanner_jammed', scans.continueScan(id, BACKS));
    assert.equal(pagesOf(await scans.continueScan(id, added)), [[1, 6, 2, 5, 3, 4]]);
  });
}

for (const backs of [2, 4]) {
  test(`with ${backs} backs for 3 fronts keeps all, and takes the backs again`, async (bench) => {
    const stacks = [feedPages(3), feedPages(backs), feedPages(0), feedPages(3)];
    const { scans, id } = await hold(bench, stacks);
    const error = await failure('sheet_count_mismatch', scans.continueScan(id, BACKS));
    assert.equal([error.facts['fronts'], error.facts['backs']], [3, backs]);
    assert.is(error.facts['page_count'], 3 + backs);
    assert.match(error.message, `3 fronts and ${backs} backs`);
    assert.is((await bench.stored(id)).state, 'held');
    await failure('scan_not_resumable', scans.continueScan(id));
    await failure('no_documents', scans.continueScan(id, BACKS));
    const result = await scans.continueScan(id, BACKS);
    const [a, b, c] = [4 + backs, 5 + backs, 6 + backs];
    assert.equal(pagesOf(result), [[1, c, 2, b, 3, a]]);
    assert.is(result.page_count, 6 + backs);
  });
}

test('whose sides do not match is filed as it was scanned by resume, and says so', async (bench) => {
  const { scans, id } = await hold(bench, [feedPages(3), feedPages(2)]);
  await scans.continueScan(id, { ...HOLD, ...BACKS });
  await failure('sheet_count_mismatch', scans.resume(id));
  assert.is((await bench.stored(id)).state, 'held');
  const restarted = await bench.start();
  const result = await restarted.scans.resume(id);
  assert.equal(pagesOf(result), [[1, 2, 3, 4, 5]]);
  assert.match(result.warnings.join(), '3 fronts and 2 backs');
});

test('takes no backs that cannot be any, and no paper moves', async (bench) => {
  const duplex = await hold(bench, [feedDuplexPages(2)]);
  await failure('scan_not_resumable', duplex.scans.continueScan(duplex.id, BACKS));
  const complete = await hold(bench, [feedPages(1), feedPages(1)]);
  await complete.scans.continueScan(complete.id, { ...HOLD, ...BACKS });
  await failure('scan_not_resumable', complete.scans.continueScan(complete.id, BACKS));
  assert.equal([duplex.parts.fed.length, complete.parts.fed.length], [1, 2]);
});

for (const code of ['scanner_busy', 'no_scanner_detected', 'cover_open'] as const) {
  test(`stays held where more paper meets ${code} and no page moves, and is finished later`, async (bench) => {
    const refuses = feedPages(0, new Failure(code, 'No.'));
    const { scans, id } = await hold(bench, [feedPages(2), refuses, feedPages(1)]);
    await failure(code, scans.continueScan(id, HOLD));
    assert.is((await bench.stored(id)).state, 'held');
    assert.equal(pagesOf(await scans.continueScan(id)), [[1, 2, 3]]);
  });
}

test.run();
