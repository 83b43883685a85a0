import { appendFile, readFile, stat } from 'node:fs/promises';
import { Failure } from '../../../../helpers/failure.ts';
import { EVENT_FILE } from '../../../../service/archive/event-file.ts';
import type { PageEdit } from '../../../../service/archive/scan-event.ts';
import type { ScanResult } from '../../../../service/archive/scan-view.ts';
import { refused } from '../../../../service/paperless/destination.ts';
import {
  type Feed,
  feedDuplexPages,
  feedPages,
  type PartFaults,
  sha256,
} from '../../../support/scan-parts.ts';
import {
  assembled,
  begun,
  ended,
  fed,
  page,
  planned,
  recognized,
  STORED_ID,
  storeScan,
  uploadBegun,
  uploadEnded,
} from '../../../support/stored-scan.ts';
import { assert, failure, withFixture } from '../../../support/suite.ts';
import { type BenchService, createScanBench, type ScanBench } from './scan-bench.ts';

const test = withFixture<ScanBench>('a scan that is held', () => createScanBench());

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

const LEFT_OUT = { left_out: true };

/** A held scan of three pages. */
async function holdThree(
  bench: ScanBench,
  faults: PartFaults = {},
): Promise<BenchService & { id: string }> {
  const service = await bench.start({ feed: feedPages(3), ...faults });
  const { scan_id: id } = await service.scans.scan({ ...bench.call(), hold: true });
  return { ...service, id };
}

const pagesIn = ({ documents }: ScanResult): (readonly number[])[] =>
  documents.map(({ pages }) => pages);

async function eventsOf(bench: ScanBench, id: string): Promise<{ type: string }[]> {
  const lines = (await readFile(bench.file(id, EVENT_FILE), 'utf8')).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as { type: string });
}

test('documents are made as the pages were edited, and a page left out is dropped by a person', async (bench) => {
  const { scans, id } = await holdThree(bench);
  await scans.editPage(id, 1, LEFT_OUT);
  await scans.editPage(id, 3, { before: 2 });
  const { state, page_states, page_count } = await scans.editPage(id, 2, { starts_document: true });
  assert.equal([state, page_count], ['held', 3]);
  assert.equal(
    page_states.map(({ page: number, dropped, starts_document }) => [
      number,
      dropped,
      starts_document,
    ]),
    [
      [1, 'person', false],
      [3, null, false],
      [2, null, true],
    ],
  );
  const result = await scans.resume(id);
  assert.equal(pagesIn(result), [[3], [2]]);
  assert.equal(result.dropped_pages, [{ page: 1, reason: 'person' }]);
  assert.is(result.page_count, 3);
  assert.is(bench.dms.uploads().length, 2);
});

test('each edit is one event, one that changes nothing is none, and a restart loses none', async (bench) => {
  const { scans, id } = await holdThree(bench);
  const before = (await eventsOf(bench, id)).length;
  const edits: PageEdit[] = [LEFT_OUT, { turn: 90 }, { before: null }, { starts_document: true }];
  for (const edit of [...edits, ...edits.slice(1)]) await scans.editPage(id, 2, edit);
  const written = (await eventsOf(bench, id)).slice(before);
  assert.equal(
    written.map(({ type }) => type),
    ['edited', 'edited', 'edited', 'edited'],
  );
  const { archive } = await bench.start();
  const { record } = await archive.find(id);
  const [last] = record.pages.slice(-1);
  assert.equal(
    [last?.number, last?.left_out, last?.turn, last?.starts_document],
    [2, true, { from: 0, by: 90 }, true],
  );
  const { scans: listed } = await archive.list(1);
  assert.is(listed[0]?.summary?.state, 'held');
});

test('everything can be undone, and then nothing is recognised again', async (bench) => {
  const { scans, parts, id } = await holdThree(bench);
  for (const edit of [LEFT_OUT, { turn: 180 }, { before: 1 }, { starts_document: true }] as const)
    await scans.editPage(id, 3, edit);
  for (const edit of [
    { left_out: false },
    { turn: 0 },
    { before: null },
    { starts_document: false },
  ] as const)
    await scans.editPage(id, 3, edit);
  const result = await scans.resume(id);
  assert.equal([pagesIn(result), result.dropped_pages], [[[1, 2, 3]], []]);
  assert.is(parts.recognized.length, 3);
});

test('only a page that was turned is recognised again, from how it stood, and nothing else turns it', async (bench) => {
  const { scans, parts, id } = await holdThree(bench, { facts: () => ({ turned: 89.6 }) });
  await scans.editPage(id, 2, { turn: 180 });
  await scans.editPage(id, 2, { turn: 270 });
  await scans.resume(id);
  assert.equal(parts.recognized.slice(3), ['page-0002.tif']);
  const again = (await eventsOf(bench, id)).filter(({ type }) => type === 'recognized').at(-1);
  const { options } = again as unknown as { options: { rotate: number; rotate_pages: boolean } };
  assert.equal([options.rotate, options.rotate_pages], [0, false]);
});

test('paper that is added later comes after the pages as they were arranged', async (bench) => {
  const { scans, id } = await holdThree(bench);
  await scans.editPage(id, 3, { before: 1 });
  assert.equal(pagesIn(await scans.continueScan(id)), [[3, 1, 2, 4, 5, 6]]);
});

test('second sides that are added later come behind their fronts, wherever these were moved', async (bench) => {
  const { scans, id } = await holdThree(bench);
  await scans.editPage(id, 3, { before: 1 });
  assert.equal(pagesIn(await scans.continueScan(id, { side: 'backs' })), [[3, 4, 1, 6, 2, 5]]);
});

test('callers at the same moment are served one after the other, and the call that files waits for them', async (bench) => {
  const { scans, id } = await holdThree(bench);
  const edits = [1, 2, 3].map((number) => scans.editPage(id, number, { starts_document: true }));
  const resumed = scans.resume(id);
  await Promise.all(edits);
  assert.equal(pagesIn(await resumed), [[1], [2], [3]]);
  await failure('scan_not_editable', scans.editPage(id, 1, LEFT_OUT));
  await failure('scan_not_editable', scans.discard(id, true));
  assert.is(bench.dms.uploads().length, 3);
});

test('a scan that a call works on is neither edited nor discarded', async (bench) => {
  const recognizing = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const recognize = async (): Promise<void> => {
    recognizing.resolve();
    await goOn.promise;
  };
  const { scans, archive } = await bench.start({ feed: feedPages(1), recognize });
  const scan = scans.scan(bench.call());
  await recognizing.promise;
  const id = (await archive.list(1)).scans[0]?.id ?? '';
  await failure('scan_in_progress', scans.editPage(id, 1, LEFT_OUT));
  await failure('scan_in_progress', scans.discard(id, true));
  goOn.resolve();
  assert.is((await scan).state, 'finished');
});

test('a scan of which a destination may have something is not edited', async (bench) => {
  for (const events of [[uploadBegun()], [uploadBegun(), uploadEnded(refused('No room.'))]]) {
    const { scans } = await bench.start();
    const profile = {
      paths: { output_dir: bench.root },
      destinations: [{ kind: 'dms', base_url: bench.dms.url }],
    };
    await storeScan(bench.root, [
      begun(profile),
      page(1),
      fed(),
      recognized(1),
      planned([1]),
      assembled(),
      ...events,
      ended({ error: { error: 'timeout', message: 'Late.' } }),
    ]);
    await failure('scan_not_editable', scans.editPage(STORED_ID, 1, LEFT_OUT));
    await failure('scan_not_editable', scans.discard(STORED_ID, true));
  }
});

test('what does not fit the scan is refused, and nothing is written', async (bench) => {
  const { scans, id } = await holdThree(bench);
  const before = await readFile(bench.file(id, EVENT_FILE), 'utf8');
  await failure('not_found', scans.editPage(id, 4, LEFT_OUT));
  for (const other of [2, 4]) {
    const { facts } = await failure('invalid_body', scans.editPage(id, 2, { before: other }));
    assert.is((facts['fields'] as { field: string }[])[0]?.field, 'before');
  }
  await failure('scan_not_found', scans.editPage('20990101T000000Z-000000', 1, LEFT_OUT));
  assert.is(await readFile(bench.file(id, EVENT_FILE), 'utf8'), before);
});

test('a scan whose pages are all left out is not filed, until one is taken back', async (bench) => {
  const { scans, id } = await holdThree(bench);
  for (const number of [1, 2, 3]) await scans.editPage(id, number, LEFT_OUT);
  const { message } = await failure('scan_not_resumable', scans.resume(id));
  assert.match(message, /left out/);
  await scans.editPage(id, 2, { left_out: false });
  assert.equal(pagesIn(await scans.resume(id)), [[2]]);
});

test('a discarded scan is neither filed nor fed nor edited, until that is taken back', async (bench) => {
  const { scans, archive, parts, id } = await holdThree(bench);
  assert.is((await scans.discard(id, true)).state, 'discarded');
  await scans.discard(id, true);
  for (const ask of [
    () => scans.resume(id),
    () => scans.continueScan(id),
    () => scans.editPage(id, 1, LEFT_OUT),
  ]) {
    const { message } = await failure('scan_discarded', ask());
    assert.match(message, `/scans/${id}/discard`);
  }
  assert.is((await archive.list(1)).scans[0]?.summary?.state, 'discarded');
  assert.equal([parts.fed.length, bench.dms.uploads().length], [1, 0]);
  assert.is((await bench.stored(id)).page_count, 3);
  const restarted = await bench.start();
  await failure('scan_discarded', restarted.scans.resume(id));
  assert.is((await restarted.scans.discard(id, false)).state, 'held');
  assert.equal(pagesIn(await restarted.scans.resume(id)), [[1, 2, 3]]);
});

test('the same request again after its scan was discarded is answered that it was', async (bench) => {
  const { scans, parts } = await bench.start({ feed: feedPages(1) });
  const identity = { key: sha256('key'), asked: sha256('the request') };
  const call = { ...bench.call(), hold: true };
  const { scan_id: id } = await scans.scan(call, identity);
  await scans.discard(id, true);
  assert.is((await scans.scan(call, identity)).state, 'discarded');
  assert.is(parts.fed.length, 1);
});

test('a scan that was edited without end takes no more edits, and is filed as it is', async (bench) => {
  const { id } = await holdThree(bench);
  const file = bench.file(id, EVENT_FILE);
  const at = new Date().toISOString();
  const edit = JSON.stringify({ type: 'edited', at, page: 1, left_out: false });
  // Long lines stand for many.
  await appendFile(file, `${edit.padEnd(65_000)}\n`.repeat(100));
  const { scans } = await bench.start();
  const { size } = await stat(file);
  const { message } = await failure('scan_not_editable', scans.editPage(id, 1, LEFT_OUT));
  assert.match(message, `/scans/${id}/resume`);
  await failure('scan_not_editable', scans.discard(id, true));
  assert.is((await stat(file)).size, size);
  assert.equal(pagesIn(await scans.resume(id)), [[1, 2, 3]]);
});
