import { appendFile, rm, writeFile } from 'node:fs/promises';
import { Failure } from '../../../../helpers/failure.ts';
import { EVENT_FILE } from '../../../../service/archive/event-file.ts';
import { callIdentity } from '../../../../service/archive/recorded-calls.ts';
import { detailsOf, type PageState } from '../../../../service/archive/scan-details.ts';
import type { NewScanEvent } from '../../../../service/archive/scan-event.ts';
import type { ScanResult } from '../../../../service/archive/scan-view.ts';
import { tiffFile } from '../../../support/fake-scanimage/tiff-file.ts';
import {
  type Feed,
  feedDuplexPages,
  feedPages,
  type PartFaults,
} from '../../../support/scan-parts.ts';
import { page, resumed, timed } from '../../../support/stored-scan.ts';
import { assert, failure, withFixture } from '../../../support/suite.ts';
import { pagesOf } from '../../documents/stack.ts';
import { aborted, createScanBench, JAM, type BenchService } from './scan-bench.ts';

const HOLD = { hold: true } as const;
const KEY = callIdentity('k', { replaces: 2 });
const AGAIN = { replaces: 2 } as const;

type Held = BenchService & {
  readonly id: string;
  readonly first: ScanResult;
  readonly states: () => Promise<readonly PageState[]>;
};

const test = withFixture('a page that is scanned again', async () => {
  const bench = await createScanBench();
  return {
    ...bench,
    /** Begins a held scan. Each scan request uses up one feed; later ones find an empty feeder. */
    hold: async (
      feeds: readonly Feed[],
      profile: object = {},
      faults: PartFaults = {},
    ): Promise<Held> => {
      const left = [...feeds];
      const feed: Feed = (request, options) => (left.shift() ?? feedPages(0))(request, options);
      const service = await bench.start({ feed, ...faults });
      const first = await service.scans.scan({ ...bench.call(profile), ...HOLD });
      const id = first.scan_id;
      const states = async (): Promise<readonly PageState[]> =>
        detailsOf((await service.archive.find(id)).record, false).page_states;
      return { ...service, id, first, states };
    },
    /** Appends events as a service does that is killed after writing them. */
    leave: async (id: string, ...events: readonly NewScanEvent[]) => {
      const lines = timed(events, Date.now()).map((event) => `${JSON.stringify(event)}\n`);
      await appendFile(bench.file(id, EVENT_FILE), lines.join(''));
    },
  };
});

const placesOf = (states: readonly PageState[]): unknown[] =>
  states.map((one) => [one.page, one.dropped, one.replaces, one.replaced_by]);

test('replaces the old page, does not inherit its turn, and leaves the scan held', async ({
  hold,
  dms,
}) => {
  const { scans, parts, id, states } = await hold([feedPages(3), feedPages(1)]);
  await scans.editPage(id, 2, { turn: 90 });
  await scans.editPage(id, 2, { starts_document: true });
  const settings = { source: 'Flatbed', resolution: 600 };
  const result = await scans.scanPageAgain(id, { ...AGAIN, settings });
  assert.equal([result.state, result.page_count], ['held', 4]);
  assert.equal(result.dropped_pages, [{ page: 2, reason: 'replaced' }]);
  const after = await states();
  assert.equal(placesOf(after), [
    [1, null, null, null],
    [2, 'replaced', null, 4],
    [4, null, 2, null],
    [3, null, null, null],
  ]);
  assert.equal([after[2]?.turn, after[2]?.starts_document], [0, true]);
  const { source, resolution, first_page, max_pages } = parts.fed[1] ?? {};
  assert.equal([source, resolution, first_page, max_pages], ['Flatbed', 600, 4, 4]);
  assert.equal(parts.recognized.slice(3), ['page-0004.tif']);
  const filed = await scans.resume(id);
  assert.equal([pagesOf(filed), filed.warnings], [[[1], [4, 3]], []]);
  assert.is(dms.uploads().length, 2);
});

test('can be replaced and restored repeatedly, even after a restart', async ({ hold, start }) => {
  const { scans, id, states } = await hold([feedPages(3), feedPages(1), feedPages(1)]);
  await scans.editPage(id, 2, { turn: 180 });
  await scans.scanPageAgain(id, AGAIN);
  await scans.scanPageAgain(id, { replaces: 4 });
  const { page_states } = await scans.restorePage(id, 2);
  const back = page_states.find((one) => one.page === 2);
  assert.equal([back?.dropped, back?.turn, back?.replaced_by], [null, 180, null]);
  const inPlace = async (): Promise<unknown[]> =>
    (await states()).filter(({ dropped }) => dropped === null).map((one) => one.page);
  assert.equal(await inPlace(), [1, 2, 3]);
  assert.equal(
    (await states()).map((one) => one.replaced_by),
    [null, 2, 2, null, null],
  );
  await scans.restorePage(id, 4);
  assert.equal(await inPlace(), [1, 4, 3]);
  const again = await start();
  await again.scans.restorePage(id, 5);
  await again.scans.restorePage(id, 5);
  await again.scans.restorePage(id, 1);
  assert.equal(pagesOf(await again.scans.resume(id)), [[1, 5, 3]]);
});

for (const [wanted, by] of [
  [1, 5],
  [2, 6],
] as const) {
  test(`is page ${by} if both sides were fed to replace page ${wanted}`, async ({ hold }) => {
    const feeds = [feedDuplexPages(4), feedDuplexPages(2)];
    const { scans, archive, id } = await hold(feeds, {
      source: 'ADF Duplex',
      processing: { rotate_backs: 180 },
    });
    await scans.scanPageAgain(id, { replaces: wanted });
    const { record } = await archive.find(id);
    const unused = detailsOf(record, false).unused_pages;
    const other = by === 5 ? 6 : 5;
    const filename = `page-000${other}.tif`;
    assert.equal(unused, [{ page: other, filename, instead_of: wanted }]);
    const options = record.pages.find(({ number }) => number === by)?.recognized?.options;
    assert.is(options?.rotate, by === 6 ? 180 : 0);
    const filed = await scans.resume(id);
    const pages = by === 5 ? [5, 2, 3, 4] : [1, 6, 3, 4];
    assert.equal([pagesOf(filed), filed.warnings], [[pages], []]);
  });
}

test('from the glass is not rotated like backs from the feeder', async ({ hold }) => {
  const profile = { source: 'ADF Duplex', processing: { rotate_backs: 180 } };
  const { scans, archive, id } = await hold([feedDuplexPages(2), feedPages(1)], profile);
  await scans.scanPageAgain(id, { ...AGAIN, settings: { source: 'Flatbed' } });
  const { pages, duplex } = (await archive.find(id)).record;
  const again = pages.find(({ number }) => number === 3);
  assert.equal([again?.side, again?.recognized?.options?.rotate, duplex], ['back', 0, true]);
});

test('keeps the position of the old page if second sides are fed separately', async ({ hold }) => {
  const feeds = [feedPages(3), feedPages(1), feedPages(3), feedPages(1)];
  const { scans, id } = await hold(feeds);
  await scans.scanPageAgain(id, AGAIN);
  await scans.continueScan(id, { side: 'backs', ...HOLD });
  await scans.scanPageAgain(id, { replaces: 1 });
  const filed = await scans.resume(id);
  assert.equal([pagesOf(filed), filed.warnings], [[[8, 7, 4, 6, 3, 5]], []]);
});

const FAULTS: readonly [string, Failure['code'], Feed, readonly string[]][] = [
  ['an empty feeder', 'no_documents', feedPages(0), []],
  ['a jam', 'scanner_jammed', feedPages(0, JAM), []],
  ['a jam after a whole page', 'scanner_jammed', feedPages(1, JAM), ['page-0004.tif']],
  ['an open cover', 'cover_open', feedPages(0, new Failure('cover_open', 'Open.')), []],
  ['two sheets', 'too_many_sheets', feedPages(2), ['page-0004.tif', 'page-0005.tif']],
  [
    'two sheets with both sides',
    'too_many_sheets',
    feedDuplexPages(4),
    ['page-0004.tif', 'page-0005.tif', 'page-0006.tif', 'page-0007.tif'],
  ],
];

for (const [what, code, feed, unused] of FAULTS) {
  test(`is not accepted after ${what}, which changes nothing`, async ({ hold, start }) => {
    const { scans, id, states, archive } = await hold([feedPages(3), feed, feedPages(1)]);
    const before = await states();
    const error = await failure(code, scans.scanPageAgain(id, AGAIN, KEY));
    assert.match(error.message, /Page 2 is as it was, and the scan is still held\./);
    if (code === 'too_many_sheets') assert.is(error.facts['sheets'], 2);
    assert.equal(await states(), before);
    const { record } = await archive.find(id);
    assert.equal([record.state, record.stage], ['held', 'process']);
    const details = detailsOf(record, false);
    assert.equal(
      details.unused_pages.map(({ filename }) => filename),
      unused,
    );
    assert.equal([details.page_count, details.dropped_pages], [3, []]);
    // If a sheet moved, a call with the same key must not feed another.
    if (unused.length > 0) await failure(code, scans.scanPageAgain(id, AGAIN, KEY));
    const restarted = await start({ feed: feedPages(1) });
    const next = 4 + unused.length;
    await restarted.scans.scanPageAgain(id, AGAIN);
    const filed = await restarted.scans.resume(id);
    assert.equal([pagesOf(filed), filed.warnings], [[[1, next, 3]], []]);
  });
}

test('is not accepted after a stop, and the scan is filed without it', async ({ hold }) => {
  const fedOne = Promise.withResolvers<void>();
  const stopping: Feed = async (request, options) => {
    await feedPages(1)(request, options);
    fedOne.resolve();
    await aborted(options.signal);
    throw options.signal.reason;
  };
  const { scans, id, states } = await hold([feedPages(3), stopping]);
  const before = await states();
  const again = scans.scanPageAgain(id, AGAIN);
  await fedOne.promise;
  assert.is(await scans.stop(id), true);
  await failure('scan_stopped', again);
  assert.equal(await states(), before);
  assert.equal(pagesOf(await scans.resume(id)), [[1, 2, 3]]);
});

const CUT_OFF: readonly [string, readonly NewScanEvent[]][] = [
  ['before its page was recorded', []],
  ['after its page was recorded', [page(4, { instead_of: 2 })]],
];

for (const [when, events] of CUT_OFF) {
  test(`is named and not filed if the service is killed ${when}`, async ({
    hold,
    leave,
    start,
    file,
  }) => {
    const { id } = await hold([feedPages(3)]);
    const call = { ...KEY, last_page: 3 };
    await leave(id, resumed({ stage: 'scan', hold: true, replaces: 2, call }), ...events);
    await writeFile(file(id, 'page-0004.tif'), tiffFile());
    const { scans, archive, parts } = await start();
    const { record } = await archive.find(id);
    assert.equal([record.state, record.stage, record.pages.length], ['held', 'process', 3]);
    assert.is((await archive.list(1)).scans[0]?.summary?.state, 'held');
    const { message } = await failure('scan_interrupted', scans.scanPageAgain(id, AGAIN, KEY));
    assert.match(message, /Page 2 is as it was/);
    // Even after edits, page-0004.tif must not replace page 2.
    await scans.editPage(id, 1, { turn: 90 });
    await scans.editPage(id, 1, { turn: 0 });
    const filed = await scans.resume(id);
    assert.equal([pagesOf(filed), filed.page_count, parts.fed], [[[1, 2, 3]], 3, []]);
    assert.match(filed.warnings.join(), /page-0004\.tif was scanned in place of page 2/);
    assert.is(filed.warning_details[0]?.code, 'not_replaced');
  });
}

test('leaves the scan held if the service is killed twice', async ({ hold, leave, start }) => {
  const { id } = await hold([feedPages(3)]);
  const again = resumed({ stage: 'scan', hold: true, replaces: 2 });
  await leave(id, again);
  await leave(id, again);
  const { archive, scans } = await start({ feed: feedPages(1) });
  const { record } = await archive.find(id);
  assert.equal([record.state, record.stage], ['held', 'process']);
  await scans.scanPageAgain(id, AGAIN);
  const restarted = await start();
  const filed = await restarted.scans.resume(id);
  assert.equal([pagesOf(filed), filed.warnings], [[[1, 4, 3]], []]);
});

const AFTER_CUT_OFF: readonly [string, (scans: Held['scans'], id: string) => Promise<unknown>][] = [
  ['it is killed again', () => Promise.resolve()],
  ['a page was edited', (scans, id) => scans.editPage(id, 1, { turn: 90 })],
  [
    'the scan was discarded and restored',
    async (scans, id) => {
      await scans.discard(id, true);
      await scans.discard(id, false);
    },
  ],
  ['the page was scanned again', (scans, id) => scans.scanPageAgain(id, AGAIN)],
  [
    'an older page was brought back',
    async (scans, id) => {
      await scans.scanPageAgain(id, { replaces: 1 });
      await scans.restorePage(id, 1);
    },
  ],
];

for (const [what, change] of AFTER_CUT_OFF) {
  test(`leaves the scan held if the service is killed, ${what}, and it is killed once more`, async ({
    hold,
    leave,
    start,
  }) => {
    const { id } = await hold([feedPages(3)]);
    const begun = resumed({ stage: 'scan', hold: true, replaces: 2 });
    await leave(id, begun);
    const { scans, archive } = await start({ feed: feedPages(1) });
    await change(scans, id);
    const after = (await archive.find(id)).record;
    const shown = detailsOf(after, false);
    const read = await start();
    assert.equal(detailsOf((await read.archive.find(id)).record, false), shown);
    const current = after.pages.find(({ sheet, replaced }) => sheet === 2 && !replaced);
    await leave(id, { ...begun, replaces: current?.number ?? 0 });
    const again = await start();
    const { record } = await again.archive.find(id);
    assert.equal(
      [record.state, record.stage, record.ended_at],
      ['held', 'process', after.ended_at],
    );
    assert.not.match((await again.scans.resume(id)).warnings.join(), /feeder was stopped/);
  });
}

test('is not filed in addition if it arrives after the call has failed', async ({ hold, file }) => {
  const lost = new Failure('scanner_runtime_unreachable', 'Gone.');
  const { scans, id } = await hold([feedPages(3), feedPages(0, lost), feedPages(1)]);
  await failure('scanner_runtime_unreachable', scans.scanPageAgain(id, AGAIN));
  await writeFile(file(id, 'page-0004.tif'), tiffFile());
  const filed = await scans.continueScan(id);
  assert.equal(pagesOf(filed), [[1, 2, 3, 5]]);
  assert.match(filed.warnings.join(), /page-0004\.tif was scanned in place of page 2/);
});

test('is kept if its text could not be read, and read when the scan is resumed', async ({
  hold,
  start,
}) => {
  const recognize = async (file: string): Promise<void> => {
    if (file.endsWith('page-0004.tif')) throw new Failure('processing_failed', 'No.');
  };
  const { scans, id, states } = await hold([feedPages(3), feedPages(1)], {}, { recognize });
  const { message } = await failure('processing_failed', scans.scanPageAgain(id, AGAIN));
  assert.not.match(message, /as it was/);
  assert.is((await states())[1]?.replaced_by, 4);
  const restarted = await start();
  assert.is((await restarted.archive.find(id)).record.state, 'held');
  assert.equal(pagesOf(await restarted.scans.resume(id)), [[1, 4, 3]]);
});

test('is fed once: the same key gets the same result and feeds nothing', async ({
  hold,
  start,
}) => {
  const { scans, id } = await hold([feedPages(3), feedPages(1)]);
  const first = await scans.scanPageAgain(id, AGAIN, KEY);
  assert.equal(await scans.scanPageAgain(id, AGAIN, KEY), first);
  const { scans: restarted, parts } = await start();
  assert.equal(await restarted.scanPageAgain(id, AGAIN, KEY), first);
  const other = callIdentity('k', { replaces: 3 });
  await failure('idempotency_key_reused', restarted.scanPageAgain(id, { replaces: 3 }, other));
  assert.equal(parts.fed, []);
});

test('locks the scan: other calls and edits are refused until it is stored', async ({ hold }) => {
  const feeding = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const waiting: Feed = async (request, options) => {
    feeding.resolve();
    await goOn.promise;
    return feedPages(1)(request, options);
  };
  const { scans, archive, id } = await hold([feedPages(3), waiting]);
  const again = scans.scanPageAgain(id, AGAIN);
  await feeding.promise;
  const { record, isOpen } = await archive.find(id);
  assert.equal([detailsOf(record, isOpen).state, record.ended_at], ['scanning', null]);
  await failure('scan_in_progress', scans.resume(id));
  await failure('scan_in_progress', scans.continueScan(id));
  await failure('scan_in_progress', scans.scanPageAgain(id, { replaces: 1 }));
  await failure('scan_in_progress', scans.editPage(id, 2, { left_out: true }));
  await failure('scan_in_progress', scans.restorePage(id, 2));
  await failure('scan_in_progress', scans.discard(id, true));
  goOn.resolve();
  assert.is((await again).state, 'held');
});

test('is refused before feeding if the page cannot be scanned again', async ({
  hold,
  jammed,
  start,
  file,
}) => {
  const { scans, parts, archive, id } = await hold([feedPages(3), feedPages(1)]);
  await failure('not_found', scans.scanPageAgain(id, { replaces: 9 }));
  await scans.scanPageAgain(id, AGAIN);
  const { facts } = await failure('invalid_body', scans.scanPageAgain(id, AGAIN));
  assert.match(JSON.stringify(facts['fields']), /Page 4 is in its place now/);
  await scans.editPage(id, 1, { left_out: true });
  await failure('invalid_body', scans.scanPageAgain(id, { replaces: 1 }));
  await scans.discard(id, true);
  await failure('scan_discarded', scans.scanPageAgain(id, { replaces: 3 }));
  await failure('scan_discarded', scans.restorePage(id, 2));
  await scans.discard(id, false);
  await failure('not_found', scans.restorePage(id, 9));
  assert.is(parts.fed.length, 2);
  await rm(file(id, 'page-0002.tif'));
  await scans.resume(id);
  await failure('scan_not_resumable', scans.scanPageAgain(id, { replaces: 3 }));
  await failure('scan_not_editable', scans.restorePage(id, 2));
  assert.is((await archive.find(id)).record.state, 'finished');
  const other = await jammed(2);
  const { scans: after } = await start();
  await failure('scan_not_resumable', after.scanPageAgain(other, { replaces: 1 }));
  await failure('scan_not_found', after.scanPageAgain('20990101T000000Z-000000', AGAIN));
});
