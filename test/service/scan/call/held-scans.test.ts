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
import { pagesOf } from '../../documents/stack.ts';
import { type BenchService, createScanBench, JAM } from './scan-bench.ts';

type Held = BenchService & { readonly id: string; readonly first: ScanResult };

function feederOf(stacks: readonly (number | Feed)[]): Feed {
  const left = stacks.map((stack) => (typeof stack === 'number' ? feedPages(stack) : stack));
  return (request, options) => (left.shift() ?? feedPages(0))(request, options);
}

const test = withFixture('a held scan', async () => {
  const bench = await createScanBench();
  return {
    ...bench,
    hold: async (
      stacks: readonly (number | Feed)[] = [3, 3],
      profile: object = {},
      faults: PartFaults = {},
    ): Promise<Held> => {
      const service = await bench.start({ feed: feederOf(stacks), ...faults });
      const first = await service.scans.scan({ ...bench.call(profile), ...HOLD });
      return { ...service, id: first.scan_id, first };
    },
    stateOf: async (id: string) => (await bench.stored(id)).state,
    eventsOf: async (id: string) => {
      const lines = (await readFile(bench.file(id, EVENT_FILE), 'utf8')).trimEnd().split('\n');
      return lines.map((line) => JSON.parse(line) as { type: string });
    },
  };
});

const HOLD = { hold: true } as const;
const BACKS = { side: 'backs' } as const;
const HELD_BACKS = { ...HOLD, ...BACKS };

test('recognizes its pages, makes no document, and says so', async ({ hold, dms, stateOf }) => {
  const { first, id, parts, archive } = await hold([2]);
  assert.equal([first.state, first.page_count, first.documents], ['held', 2, []]);
  assert.is(parts.recognized.length, 2);
  assert.equal(dms.uploads(), []);
  assert.is(await stateOf(id), 'held');
  const { scans: listed } = await archive.list(10);
  assert.equal([listed[0]?.summary?.state, listed[0]?.summary?.error], ['held', null]);
});

test('accepts more paper, and is finished by a call without hold', async ({ hold, dms }) => {
  const { scans, parts, id } = await hold([1, 1, 2]);
  const second = await scans.continueScan(id, HOLD);
  assert.equal([second.state, second.page_count, pagesOf(second)], ['held', 2, []]);
  const result = await scans.continueScan(id);
  assert.equal([result.state, pagesOf(result)], ['finished', [[1, 2, 3, 4]]]);
  assert.equal(parts.recognized.toSorted(), result.pages, 'each page once');
  assert.is(dms.uploads().length, 1);
});

test('is finished by resume, even after a restart', async ({ hold, start }) => {
  const { id } = await hold([2]);
  const { scans, parts, archive } = await start();
  assert.is((await archive.find(id)).record.state, 'held');
  const result = await scans.resume(id);
  assert.equal([result.state, pagesOf(result), result.warnings], ['finished', [[1, 2]], []]);
  assert.equal([parts.fed, parts.recognized], [[], []]);
});

test('counts as failed after a jam, but can be continued', async ({ hold, stateOf }) => {
  const { scans, id } = await hold([1, feedPages(1, JAM), 1, 1]);
  await failure('scanner_jammed', scans.continueScan(id, HOLD));
  assert.is(await stateOf(id), 'failed');
  const held = await scans.continueScan(id);
  assert.equal([held.state, held.page_count], ['held', 3]);
  assert.equal(pagesOf(await scans.continueScan(id)), [[1, 2, 3, 4]]);
});

for (const [order, pages] of [
  ['reverse', [1, 6, 2, 5, 3, 4]],
  ['same', [1, 4, 2, 5, 3, 6]],
] as const) {
  test(`matches backs in ${order} order with their fronts`, async ({ hold, file }) => {
    const { scans, id } = await hold([3, 3], { assembly: { backs_order: order } });
    const result = await scans.continueScan(id, BACKS);
    const names = pages.map((number) => `page-000${number}.tif`);
    assert.equal([pagesOf(result), result.pages], [[pages], names]);
    const document = await readFile(file(id, 'document-0001.pdf'), 'utf8');
    assert.equal(document.match(/page-\d+\.tif/g), names);
  });
}

test('may have a stack larger than the feeder, and single-sided sheets after it', async ({
  hold,
}) => {
  const { scans, id } = await hold([2, 1, 1, 2, 1], { assembly: { page_grouping: 'per_sheet' } });
  await scans.continueScan(id, HOLD);
  await scans.continueScan(id, HELD_BACKS);
  await failure('scan_not_resumable', scans.continueScan(id));
  await scans.continueScan(id, HELD_BACKS);
  assert.equal(pagesOf(await scans.continueScan(id)), [[1, 6], [2, 5], [3, 4], [7]]);
});

for (const [how, before, added] of [
  ['which are named', 1, BACKS],
  ['which are not named', 1, {}],
  ['all of them', 0, {}],
] as const) {
  test(`continues with the remaining backs after a jam, ${how}`, async ({ hold }) => {
    const { scans, id } = await hold([3, feedPages(before, JAM), 3 - before]);
    await failure('scanner_jammed', scans.continueScan(id, BACKS));
    assert.equal(pagesOf(await scans.continueScan(id, added)), [[1, 6, 2, 5, 3, 4]]);
  });
}

for (const backs of [2, 4]) {
  test(`with ${backs} backs for 3 fronts keeps all, and accepts the backs again`, async (bench) => {
    const { scans, id } = await bench.hold([3, backs, 0, 3]);
    const { facts, message } = await failure('sheet_count_mismatch', scans.continueScan(id, BACKS));
    assert.equal([facts['fronts'], facts['backs'], facts['page_count']], [3, backs, 3 + backs]);
    assert.match(message, `3 fronts and ${backs} backs`);
    assert.is(await bench.stateOf(id), 'held');
    await failure('scan_not_resumable', scans.continueScan(id));
    await failure('no_documents', scans.continueScan(id, BACKS));
    const result = await scans.continueScan(id, BACKS);
    assert.equal(pagesOf(result), [[1, 6 + backs, 2, 5 + backs, 3, 4 + backs]]);
    assert.is(result.page_count, 6 + backs);
  });
}

test('with unmatched sides is filed in scanning order by resume, with a warning', async (bench) => {
  const { scans, id } = await bench.hold([3, 2]);
  await scans.continueScan(id, HELD_BACKS);
  await failure('sheet_count_mismatch', scans.resume(id));
  assert.is(await bench.stateOf(id), 'held');
  const result = await (await bench.start()).scans.resume(id);
  assert.equal(pagesOf(result), [[1, 2, 3, 4, 5]]);
  assert.match(result.warnings.join(), '3 fronts and 2 backs');
});

test('refuses impossible backs without feeding', async ({ hold }) => {
  const duplex = await hold([feedDuplexPages(2)]);
  await failure('scan_not_resumable', duplex.scans.continueScan(duplex.id, BACKS));
  const complete = await hold([1, 1]);
  await complete.scans.continueScan(complete.id, HELD_BACKS);
  await failure('scan_not_resumable', complete.scans.continueScan(complete.id, BACKS));
  assert.equal([duplex.parts.fed.length, complete.parts.fed.length], [1, 2]);
});

for (const code of ['scanner_busy', 'no_scanner_detected', 'cover_open'] as const) {
  test(`stays held if more paper meets ${code} without feeding, and is finished later`, async (bench) => {
    const { scans, id } = await bench.hold([2, feedPages(0, new Failure(code, 'No.')), 1]);
    await failure(code, scans.continueScan(id, HOLD));
    assert.is(await bench.stateOf(id), 'held');
    assert.equal(pagesOf(await scans.continueScan(id)), [[1, 2, 3]]);
  });
}

const LEFT_OUT = { left_out: true };
const STARTS = { starts_document: true };

test('becomes documents according to its edits, and an omitted page counts as dropped by a person', async (bench) => {
  const { scans, id } = await bench.hold();
  await scans.editPage(id, 1, LEFT_OUT);
  await scans.editPage(id, 3, { before: 2 });
  const { state, page_states, page_count } = await scans.editPage(id, 2, STARTS);
  assert.equal([state, page_count], ['held', 3]);
  assert.equal(
    page_states.map((one) => [one.page, one.dropped, one.starts_document]),
    [
      [1, 'person', false],
      [3, null, false],
      [2, null, true],
    ],
  );
  const result = await scans.resume(id);
  assert.equal([pagesOf(result), result.page_count], [[[3], [2]], 3]);
  assert.equal(result.dropped_pages, [{ page: 1, reason: 'person' }]);
  assert.is(bench.dms.uploads().length, 2);
});

test('has one event per effective edit, and a restart loses none', async (bench) => {
  const { scans, id } = await bench.hold();
  const before = (await bench.eventsOf(id)).length;
  const edits: PageEdit[] = [LEFT_OUT, { turn: 90 }, { before: null }, STARTS];
  for (const edit of [...edits, ...edits.slice(1)]) await scans.editPage(id, 2, edit);
  const written = (await bench.eventsOf(id)).slice(before).map(({ type }) => type);
  assert.equal(written, ['edited', 'edited', 'edited', 'edited']);
  const { archive } = await bench.start();
  const last = (await archive.find(id)).record.pages.at(-1);
  assert.equal(
    [last?.number, last?.left_out, last?.turn, last?.starts_document],
    [2, true, { from: 0, by: 90 }, true],
  );
  assert.is((await archive.list(1)).scans[0]?.summary?.state, 'held');
});

test('is unchanged after undoing everything, and nothing is recognized again', async ({ hold }) => {
  const { scans, parts, id } = await hold();
  const edits: PageEdit[] = [LEFT_OUT, { turn: 180 }, { before: 1 }, STARTS];
  edits.push({ left_out: false }, { turn: 0 }, { before: null }, { starts_document: false });
  for (const edit of edits) await scans.editPage(id, 3, edit);
  const result = await scans.resume(id);
  assert.equal([pagesOf(result), result.dropped_pages], [[[1, 2, 3]], []]);
  assert.is(parts.recognized.length, 3);
});

test('recognizes only a turned page again, which nothing else turns', async (bench) => {
  const { scans, parts, id } = await bench.hold([3], {}, { facts: () => ({ turned: 89.6 }) });
  await scans.editPage(id, 2, { turn: 180 });
  await scans.editPage(id, 2, { turn: 270 });
  await scans.resume(id);
  assert.equal(parts.recognized.slice(3), ['page-0002.tif']);
  const again = (await bench.eventsOf(id)).filter(({ type }) => type === 'recognized').at(-1);
  const { options } = again as unknown as { options: { rotate: number; rotate_pages: boolean } };
  assert.equal([options.rotate, options.rotate_pages], [0, false]);
});

for (const [what, added, pages] of [
  ['paper that is added later after the pages as they were arranged', {}, [3, 1, 2, 4, 5, 6]],
  ['second sides behind their fronts, wherever these were moved', BACKS, [3, 4, 1, 6, 2, 5]],
] as const) {
  test(`has ${what}`, async ({ hold }) => {
    const { scans, id } = await hold();
    await scans.editPage(id, 3, { before: 1 });
    assert.equal(pagesOf(await scans.continueScan(id, added)), [pages]);
  });
}

test('serves simultaneous callers in sequence, and the filing call waits for them', async (bench) => {
  const { scans, id } = await bench.hold();
  const edits = [1, 2, 3].map((number) => scans.editPage(id, number, STARTS));
  const resumed = scans.resume(id);
  await Promise.all(edits);
  assert.equal(pagesOf(await resumed), [[1], [2], [3]]);
  await failure('scan_not_editable', scans.editPage(id, 1, LEFT_OUT));
  await failure('scan_not_editable', scans.discard(id, true));
  assert.is(bench.dms.uploads().length, 3);
});

test('can be neither edited nor discarded while a call works on it', async (bench) => {
  const recognizing = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const recognize = (): Promise<void> => {
    recognizing.resolve();
    return goOn.promise;
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

test('cannot be edited once a destination may have part of it', async ({ root, dms, start }) => {
  const destinations = [{ kind: 'dms', base_url: dms.url }];
  const first = begun({ paths: { output_dir: root }, destinations });
  const made = [first, page(1), fed(), recognized(1), planned([1]), assembled()];
  const late = ended({ error: { error: 'timeout', message: 'Late.' } });
  for (const events of [[uploadBegun()], [uploadBegun(), uploadEnded(refused('No room.'))]]) {
    const { scans } = await start();
    await storeScan(root, [...made, ...events, late]);
    await failure('scan_not_editable', scans.editPage(STORED_ID, 1, LEFT_OUT));
    await failure('scan_not_editable', scans.discard(STORED_ID, true));
  }
});

test('refuses edits that do not fit, and writes nothing', async ({ hold, eventsOf }) => {
  const { scans, id } = await hold();
  const before = await eventsOf(id);
  await failure('not_found', scans.editPage(id, 4, LEFT_OUT));
  for (const other of [2, 4]) {
    const { facts } = await failure('invalid_body', scans.editPage(id, 2, { before: other }));
    assert.is((facts['fields'] as { field: string }[])[0]?.field, 'before');
  }
  await failure('scan_not_found', scans.editPage('20990101T000000Z-000000', 1, LEFT_OUT));
  assert.equal(await eventsOf(id), before);
});

test('is not filed with all pages omitted, until one is restored', async ({ hold }) => {
  const { scans, id } = await hold();
  for (const number of [1, 2, 3]) await scans.editPage(id, number, LEFT_OUT);
  const { message } = await failure('scan_not_resumable', scans.resume(id));
  assert.match(message, /left out/);
  await scans.editPage(id, 2, { left_out: false });
  assert.equal(pagesOf(await scans.resume(id)), [[2]]);
});

test('is neither filed, fed nor edited once discarded, until that is undone', async (bench) => {
  const { scans, archive, parts, id } = await bench.hold();
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
  assert.equal(pagesOf(await restarted.scans.resume(id)), [[1, 2, 3]]);
});

test('answers a repeat of its call with the discarded scan', async ({ call, start }) => {
  const { scans, parts } = await start({ feed: feedPages(1) });
  const identity = { key: sha256('key'), asked: sha256('the request') };
  const { scan_id: id } = await scans.scan({ ...call(), ...HOLD }, identity);
  await scans.discard(id, true);
  assert.is((await scans.scan({ ...call(), ...HOLD }, identity)).state, 'discarded');
  assert.is(parts.fed.length, 1);
});

test('accepts a limited number of edits, and can still be filed', async (bench) => {
  const { id } = await bench.hold();
  const file = bench.file(id, EVENT_FILE);
  const at = new Date().toISOString();
  const edit = JSON.stringify({ type: 'edited', at, page: 1, left_out: false });
  // A few long lines reach the limit faster than many edits.
  await appendFile(file, `${edit.padEnd(65_000)}\n`.repeat(100));
  const { scans } = await bench.start();
  const { size } = await stat(file);
  const { message } = await failure('scan_not_editable', scans.editPage(id, 1, LEFT_OUT));
  assert.match(message, `/scans/${id}/resume`);
  await failure('scan_not_editable', scans.discard(id, true));
  assert.is((await stat(file)).size, size);
  assert.equal(pagesOf(await scans.resume(id)), [[1, 2, 3]]);
});
