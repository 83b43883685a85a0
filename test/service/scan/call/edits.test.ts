import { appendFile, readFile, stat } from 'node:fs/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EVENT_FILE } from '../../../../service/archive/event-file.ts';
import type { PageEdit } from '../../../../service/archive/scan-event.ts';
import type { ScanResult } from '../../../../service/archive/scan-view.ts';
import { refused } from '../../../../service/paperless/destination.ts';
import { failure } from '../../../support/rejection.ts';
import { feedPages, sha256, type PartFaults } from '../../../support/scan-parts.ts';
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
import { withFixture } from '../../../support/with-fixture.ts';
import { createScanBench, type BenchService, type ScanBench } from './scan-bench.ts';

const test = withFixture<ScanBench>(suite('looking before filing'), createScanBench);

const LEFT_OUT = { left_out: true };

/** A held scan of three pages. */
async function held(
  bench: ScanBench,
  faults: PartFaults = {},
): Promise<BenchService & { id: string }> {
  const service = await bench.start({ feed: feedPages(3), ...faults });
  const { scan_id: id } = await service.scans.scan({ ...bench.call(), hold: true });
  return { ...service, id };
}

const pagesOf = ({ documents }: ScanResult): (readonly number[])[] =>
  documents.map(({ pages }) => pages);

async function eventsOf(bench: ScanBench, id: string): Promise<{ type: string }[]> {
  const lines = (await readFile(bench.file(id, EVENT_FILE), 'utf8')).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as { type: string });
}

test('documents are made as the pages were edited, and a page left out is dropped by a person', async (bench) => {
  const { scans, id } = await held(bench);
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
  assert.equal(pagesOf(result), [[3], [2]]);
  assert.equal(result.dropped_pages, [{ page: 1, reason: 'person' }]);
  assert.is(result.page_count, 3);
  assert.is(bench.dms.uploads().length, 2);
});

test('each edit is one event, one that changes nothing is none, and a restart loses none', async (bench) => {
  const { scans, id } = await held(bench);
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
  const { scans, parts, id } = await held(bench);
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
  assert.equal([pagesOf(result), result.dropped_pages], [[[1, 2, 3]], []]);
  assert.is(parts.recognized.length, 3);
});

test('only a page that was turned is recognised again, from how it stood, and nothing else turns it', async (bench) => {
  const { scans, parts, id } = await held(bench, { facts: () => ({ turned: 89.6 }) });
  await scans.editPage(id, 2, { turn: 180 });
  await scans.editPage(id, 2, { turn: 270 });
  await scans.resume(id);
  assert.equal(parts.recognized.slice(3), ['page-0002.tif']);
  const again = (await eventsOf(bench, id)).filter(({ type }) => type === 'recognized').at(-1);
  const { options } = again as unknown as { options: { rotate: number; rotate_pages: boolean } };
  assert.equal([options.rotate, options.rotate_pages], [0, false]);
});

test('paper that is added later comes after the pages as they were arranged', async (bench) => {
  const { scans, id } = await held(bench);
  await scans.editPage(id, 3, { before: 1 });
  assert.equal(pagesOf(await scans.continueScan(id)), [[3, 1, 2, 4, 5, 6]]);
});

test('second sides that are added later come behind their fronts, wherever these were moved', async (bench) => {
  const { scans, id } = await held(bench);
  await scans.editPage(id, 3, { before: 1 });
  assert.equal(pagesOf(await scans.continueScan(id, { side: 'backs' })), [[3, 4, 1, 6, 2, 5]]);
});

test('callers at the same moment are served one after the other, and the call that files waits for them', async (bench) => {
  const { scans, id } = await held(bench);
  const edits = [1, 2, 3].map((number) => scans.editPage(id, number, { starts_document: true }));
  const resumed = scans.resume(id);
  await Promise.all(edits);
  assert.equal(pagesOf(await resumed), [[1], [2], [3]]);
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
  const { scans, id } = await held(bench);
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
  const { scans, id } = await held(bench);
  for (const number of [1, 2, 3]) await scans.editPage(id, number, LEFT_OUT);
  const { message } = await failure('scan_not_resumable', scans.resume(id));
  assert.match(message, /left out/);
  await scans.editPage(id, 2, { left_out: false });
  assert.equal(pagesOf(await scans.resume(id)), [[2]]);
});

test('a discarded scan is neither filed nor fed nor edited, until that is taken back', async (bench) => {
  const { scans, archive, parts, id } = await held(bench);
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
  const { id } = await held(bench);
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
  assert.equal(pagesOf(await scans.resume(id)), [[1, 2, 3]]);
});

test.run();
