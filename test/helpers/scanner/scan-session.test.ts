import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { ScanRequest, StopReason } from '../../../helpers/ipc/messages.ts';
import { SCANIMAGE_MEMORY_BYTES } from '../../../helpers/scanner/scanimage.ts';
import { testConcurrently } from '../../support/test-concurrently.ts';
import { assertOutcome } from '../../support/fake-scanimage/assert-outcome.ts';
import { createFakeBench, type FakeBench } from '../../support/fake-scanimage/fake-bench.ts';
import { FEEDER_OPTIONS, type FakeScanimage } from '../../support/fake-scanimage/fake-scanimage.ts';
import { beforePage, type BenchOptions } from '../../support/fake-scanimage/scan-bench.ts';
import { syncedPaths } from '../../support/fake-scanimage/synced-paths.ts';
import { matchesPattern } from '../../support/matches-pattern.ts';
import { stillAlive } from '../../support/processes.ts';
import { assert, failure, suite, withFixture, within } from '../../support/suite.ts';

/**
 * A scanimage that misbehaves as no real one can be made to. For the meaning of exit codes, see
 * test/fault/exit-codes-scanimage.test.ts.
 */
const test = withFixture('one scan', async () => {
  const benches: FakeBench[] = [];
  return {
    open: async (fake: FakeScanimage, options: Partial<BenchOptions> = {}): Promise<FakeBench> => {
      const bench = await createFakeBench(fake, options);
      benches.push(bench);
      return bench;
    },
    close: async () => {
      for (const bench of benches) await bench.close();
    },
  };
});

const PAGE_BYTES = 6000;
const MEGABYTES_64 = 64 * 1024 * 1024;
/** How long a scanner may stay silent after a page. A page of the fake one takes about 10 ms. */
const SILENT_MS = 4000;
const PAGE_MS = 60_000;
/** Time limit for scanimage to exit after the last page. */
const CLOSE_MS = 300;
const THREE_PAGES = 'for n in 1 2 3; do prompt $n; page $n; done; prompt 4';
const FEEDING = 'touch "$FAKE_DIRECTORY/fed"; prompt 1; page 1';
const HANGING_AT_END = 'echo "Batch terminated, 1 page scanned" >&2; trap "" INT; sleep 100';
const SECOND_PAGE = 'Place document no. 2 on the scanner.';
const DUPLEX = { source: 'ADF Duplex' };
const AUTO_SOURCE = '    --source Auto|Flatbed [Auto]\n    --mode Gray [Gray]\n';
const says = (words: string): string => `echo "scanimage: ${words}" >&2`;
const EMPTY = says('sane_start: Document feeder out of documents');
const JAMMED = says('sane_read: Document feeder jammed');
const CUT_PAGE =
  'prompt 2; half 2; mv page-0002.tif.part page-0002.tif; echo page-0002.tif; prompt 3; page 3';
const UNCHECKED = `: > page-0001.tif; echo "${SECOND_PAGE}" >&2; sleep 0.1; echo page-0001.tif; read -r line && touch "$FAKE_DIRECTORY/fed"`;
const room = (bytes: number): Pick<Row, 'limits'> => ({
  limits: { free: async () => MEGABYTES_64 + bytes },
});

interface Row extends Omit<FakeScanimage, 'options'> {
  readonly device?: string;
  readonly limits?: Partial<BenchOptions>;
  readonly asks?: Partial<ScanRequest>;
  /** The page before which the scan is stopped, and why; 0 means before the scan. */
  readonly stop?: readonly [page: number, reason: StopReason];
  readonly warned?: string;
  readonly files?: readonly string[];
}

const ONE = 'prompt 1; page 1';
const HALF = `${ONE}; prompt 2; half 2`;
const TALL = { scan: THREE_PAGES, page: { height: 100 } };
const cropping = (swcrop: string | boolean): Row => ({
  ...TALL,
  asks: { scanner_options: { swcrop } },
});
const SILENT = { limits: { pageTimeoutMs: SILENT_MS } };
const HANGS = { limits: { closeMs: CLOSE_MS } };
// Hangs much longer than the watchdog waits; the scan must end nevertheless.
const hungDisk = beforePage(2, () => wait(10_000, undefined, { ref: false }));

const ROWS: Readonly<Record<string, string | Row>> = {
  'an odd number of pages in duplex → 3 pages: …duplex…': { scan: THREE_PAGES, asks: DUPLEX },
  'a source that may be a feeder → 1 page: …"Auto"…': {
    device: AUTO_SOURCE,
    scan: ONE,
    asks: { source: 'Auto' },
  },
  'a flatbed, without a warning → 1 page': {
    device: AUTO_SOURCE,
    scan: ONE,
    asks: { source: 'Flatbed' },
  },
  'pages of another size → 3 pages: Pages 1, 2, 3 measure 25.4 x 25.4 mm instead of 25.4 x 15.24 mm. Check the page size of the profile.':
    TALL,
  'pages that the driver crops → 3 pages': cropping(true),
  'pages that it crops by a word → 3 pages': cropping('yes'),
  'pages that it does not crop → 3 pages: Pages 1, 2, 3 measure 25.4 x 25.4 mm instead of 25.4 x 15.24 mm. Check the page size of the profile.':
    cropping(false),
  'an unfinished page that the scanner does not report → 1 page: …began another page and did not finish it…': `${HALF}; exit 0`,
  'an unfinished page, and a scanner that reports an empty feeder → 1 page: …began another page and did not finish it…': `${HALF}; exit 7`,
  'names that are none of its pages are passed over → 1 page':
    'prompt 1; echo ../../etc/passwd; echo page-0009.tif; echo; page 1; prompt 2',
  'a slow scanner is waited for as long as something comes, in all longer than it may be silent → 4 pages':
    {
      scan: 'for n in 1 2 3 4; do prompt $n; sleep 1.2; page $n; done; prompt 5',
      ...SILENT,
    },
  'a scanner that hangs after its last page is a success → 1 page': {
    scan: `${ONE}; prompt 2; ${EMPTY}; ${HANGING_AT_END}`,
    ...HANGS,
  },
  'one that hangs at max_pages is too → 1 page: …max_pages…': {
    scan: `${ONE}; printf "${SECOND_PAGE}\\n" >&2; read -r x; ${HANGING_AT_END}`,
    asks: { max_pages: 1 },
    ...HANGS,
  },
  'one that hangs after a failure tells the failure → scanner_jammed after 1 page': {
    scan: `${ONE}; prompt 2; ${JAMMED}; ${HANGING_AT_END}`,
    ...HANGS,
  },
  'one that talks for ever without a page is ended → scanner_error after 1 page': {
    scan: `${ONE}; while :; do echo noise; echo noise >&2; sleep 0.05; done`,
    asks: { max_pages: 1 },
    ...SILENT,
  },
  'a page of another resolution is kept, and ends the scan → scanner_error after 1 page: …200 dpi instead of 100 dpi…':
    {
      scan: `${THREE_PAGES}; page 4`,
      page: { dpi: 200, width: 200, height: 120 },
      files: ['page-0001.tif'],
    },
  'an incomplete page is set aside, and ends the scan → scanner_error after 1 page': {
    scan: `${ONE}; ${CUT_PAGE}`,
    files: ['page-0001.tif', 'page-0002.tif.incomplete'],
  },
  'a page is fed only when the one before is checked → scanner_error after 0 pages': `prompt 1; ${UNCHECKED}`,
  'a page that disappears before it is on disk for good → scanner_error after 0 pages: …Page 1 cannot be written…':
    'prompt 1; echo page-0001.tif; prompt 2; page 2',
  'a page that scanimage could not name before it was killed counts → scanner_error after 1 page': `${ONE} > /dev/null; kill -9 $$`,
  'room for one page → 1 page': { scan: `${ONE}; prompt 2`, ...room(2.5 * PAGE_BYTES) },
  'no room for both sides of a sheet → insufficient_storage after 0 pages': {
    scan: FEEDING,
    ...room(2.5 * PAGE_BYTES),
    asks: DUPLEX,
  },
  'no room for a page → insufficient_storage after 0 pages: …Free some space…': {
    scan: FEEDING,
    ...room(PAGE_BYTES - 1),
  },
  'a disk that hangs is blamed, and not the scanner → scanner_error after 1 page: The disk of … did not answer within 2 s…':
    {
      scan: THREE_PAGES,
      limits: { free: hungDisk, ...SILENT.limits },
    },
  // sane-airscan loses the pages of a quick job, so the message never claims that nothing was fed.
  'no page, exit code 0 → no_documents after 0 pages: The scanner reports that the feeder is empty…with any sheet that has just passed through it…': `prompt 1; ${EMPTY}; exit 0`,
  'no page, exit code 7 → no_documents after 0 pages: The scanner reports that the feeder is empty…with any sheet that has just passed through it…': `prompt 1; ${EMPTY}; exit 7`,
};

/** If a scan is stopped while it waits for disk space, the page is still fed. */
const STOPS: typeof ROWS = {
  'a stop before a broken page is reported instead of the page → timeout after 1 page': {
    scan: `${ONE}; prompt 2; : > page-0002.tif; echo page-0002.tif; prompt 3`,
    stop: [2, 'cancelled'],
  },
  'a stop in duplex, which takes the back of the sheet too → scanner_runtime_unreachable after 2 pages: …went away…':
    { scan: `${THREE_PAGES}; page 4`, asks: DUPLEX, stop: [1, 'connection_lost'] },
  'a stop before the scan → timeout after 0 pages': { scan: FEEDING, stop: [0, 'cancelled'] },
};
const AIRSCAN = { device: 'airscan:e0:Office' };
const SANED = { device: 'net:desk:test:0' };
const SIGNALLED = says('received signal 13');
/** Exit codes that do not describe the scan: at a second signal, scanimage exits with 0. */
const ENDS: typeof ROWS = {
  'a jam, and an end by a second signal → scanner_jammed after 1 page: Paper is jammed…': {
    scan: `${ONE}; prompt 2; ${JAMMED}; ${SIGNALLED}; exit 0`,
    asks: SANED,
  },
  'the same without a page → scanner_jammed after 0 pages: Paper is jammed…': `prompt 1; ${JAMMED}; ${SIGNALLED}; exit 0`,
  'a jam, and a crash at the end → scanner_jammed after 1 page: Paper is jammed…': `${ONE}; prompt 2; ${JAMMED}; kill -SEGV $$`,
  'the end of the stack, and a crash at the end → 1 page': `${ONE}; prompt 2; ${EMPTY}; kill -SEGV $$`,
  'the end of the stack, and an end by a second signal → 1 page': `${ONE}; prompt 2; ${EMPTY}; ${SIGNALLED}; exit 0`,
  'a saned that is gone before a page → scanner_error after 1 page: The saned on desk has ended or lost the connection.…':
    { scan: `${ONE}; prompt 2; ${SIGNALLED}; exit 0`, asks: SANED, warned: '…up to 1 sheet…' },
  'a pipe that breaks by itself → scanner_error after 1 page: …terminated by SIGPIPE…': {
    scan: `${ONE}; prompt 2; ${SIGNALLED}; exit 0`,
    warned: '…up to 1 sheet…',
  },
  'a signal that comes when the batch is over → 1 page': `${ONE}; prompt 2; echo "Batch terminated, 1 page scanned" >&2; ${SIGNALLED}; exit 0`,
};
/** Sheets that were lost. For the same with a real scanimage, see airscan.test.ts. */
const SHEETS: typeof ROWS = {
  'the end of the stack, without a lost sheet → 1 page': `${ONE}; prompt 2; exit 7`,
  'a scanner in use by someone else → scanner_busy_elsewhere after 0 pages: …another program or person is using it…':
    { scan: 'prompt 1; exit 3', warned: '' },
  'an end before anything is fed → scanner_error after 0 pages': { scan: 'exit 9', warned: '' },
  'memory that ran out before anything is fed → scanner_error after 0 pages': {
    scan: 'exit 10',
    asks: AIRSCAN,
    warned: '',
  },
  'a fault on the glass → scanner_error after 0 pages': {
    scan: 'prompt 1; exit 9',
    asks: { source: 'Flatbed' },
    warned: '',
  },
  'a driver that does not read ahead, stopped in the middle → scanner_error after 1 page': {
    scan: `${ONE}; prompt 2; kill -9 $$`,
    warned: 'After page 1, up to 1 sheet may have gone through the feeder…',
  },
  'one that is busy in the first page → scanner_busy_elsewhere after 0 pages: …another program or person is using it…':
    {
      scan: `prompt 1; ${says('sane_read: Device busy')}; exit 3`,
      warned: 'Up to 1 sheet may have gone through the feeder…',
    },
  'one that is busy after some pages → scanner_busy_elsewhere after 1 page: …another program or person is using it…':
    {
      scan: `${ONE}; prompt 2; ${says('sane_start: Device busy')}; exit 3`,
      warned: 'After page 1, up to 1 sheet may have gone through the feeder…',
    },
  'memory that ran out for what a driver has read ahead → scanner_error after 1 page': {
    scan: `${ONE}; prompt 2; exit 10`,
    asks: AIRSCAN,
    warned: 'After page 1, up to 2 sheets may…, and more where the scanner is faster than this…',
  },
};
testConcurrently(
  suite('outcomes of a scan'),
  { ...ROWS, ...STOPS, ...SHEETS, ...ENDS },
  async (row, title) => {
    const given = typeof row === 'string' ? { scan: row } : row;
    const { device = FEEDER_OPTIONS, limits, asks, stop, warned, files, ...fake } = given;
    const abort = new AbortController();
    const [page = -1, reason] = stop ?? [];
    const free = beforePage(page, () => abort.abort(reason));
    const bench = await createFakeBench(
      { ...fake, options: device },
      { ...(stop && { free }), ...limits },
    );
    const request = await bench.request(asks);
    if (page === 0) abort.abort(reason);
    const facts = await assertOutcome(title, bench.scan(request, abort.signal));
    if (limits?.free && title.includes('insufficient_storage'))
      assert.is(facts['free_bytes'], await limits.free(''));
    const warnings = String(facts['warnings']);
    if (warned !== undefined) assert.ok(matchesPattern(warned, warnings), warnings);
    assert.is(bench.pages.length, facts['page_count']);
    if (files) assert.equal((await readdir(request.directory)).toSorted(), files);
    assert.not((await bench.files()).includes('fed'));
    await bench.close();
  },
);

const PLACES = { first_page: 3, first_sheet: 4 };
const BOTH_SIDES = ['4 front', '4 back', '5 front'];
for (const [title, changes, sides] of [
  ['simplex', { source: 'ADF' }, ['4 front', '5 front', '6 front']],
  ['duplex', DUPLEX, BOTH_SIDES],
  ['duplex by an option', { source: 'ADF', scanner_options: { duplex: true } }, BOTH_SIDES],
] as const) {
  test(`in ${title} pages have number, sheet and side`, async ({ open }) => {
    const scan = 'for n in 3 4 5; do prompt $n; page $n; done; prompt 6';
    const bench = await open({ scan, options: `${FEEDER_OPTIONS}    --duplex[=(yes|no)] [no]\n` });
    const summary = await bench.scan(await bench.request({ ...PLACES, ...changes }));
    assert.is(summary.duplex, title !== 'simplex');
    const found = bench.pages.map(({ number, sheet, side }) => [number, `${sheet} ${side}`]);
    assert.equal(
      found,
      sides.map((side, index) => [3 + index, side]),
    );
  });
}

test('scanimage has a memory limit', async ({ open }) => {
  const bench = await open({
    scan: 'ulimit -v > "$FAKE_DIRECTORY/limit"; prompt 1; page 1; prompt 2',
  });
  await bench.scan(await bench.request());
  assert.is(Number(await bench.readFile('limit')) * 1024, SCANIMAGE_MEMORY_BYTES);
});

test('a half page from an earlier scan is removed', async ({ open }) => {
  const bench = await open({ scan: 'prompt 1; page 1' });
  const request = await bench.request();
  await writeFile(path.join(request.directory, 'page-0001.tif.part'), 'half');
  await bench.scan(request);
  assert.equal(await readdir(request.directory), ['page-0001.tif']);
});

test('a page is reported once it and its name are safely on disk', async ({ open }) => {
  const bench = await open({ scan: 'prompt 1; page 1; prompt 2; page 2; prompt 3' });
  const request = await bench.request();
  const synced = await syncedPaths(async () => {
    const page = bench.nextPage();
    const scanned = bench.scan(request);
    await page;
    await scanned;
  });
  const { directory } = request;
  const [first, second] = [1, 2].map((page) => path.join(directory, `page-000${page}.tif`));
  assert.equal(synced, [first, directory, second, directory]);
});

test('a vanishing directory is a failure', async ({ open }) => {
  const bench = await open({ scan: 'prompt 1; page 1; rm -r "$PWD"; prompt 2; page 2' });
  const { facts } = await failure('scanner_error', bench.scan(await bench.request()));
  assert.ok(Number(facts['page_count']) <= 1);
});

test('a scan needs its directory, before anything is fed', async ({ open }) => {
  const bench = await open({ scan: FEEDING });
  const request = await bench.request();
  await rm(request.directory, { recursive: true });
  const { facts } = await failure('scanner_error', bench.scan(request));
  assert.is(facts['page_count'], 0);
  assert.not((await bench.files()).includes('fed'));
});

test('a scanner that delivers nothing is stopped, with all its processes', async ({ open }) => {
  const scan =
    'prompt 1; page 1; prompt 2; half 2; sleep 100 & echo $! > "$FAKE_DIRECTORY/pid"; trap "" INT TERM; wait; wait; wait';
  const bench = await open({ scan }, { pageTimeoutMs: SILENT_MS });
  const request = await bench.request();
  const { message, facts } = await failure('scanner_error', bench.scan(request));
  assert.match(message, 'did not deliver page 2 within 4 s');
  assert.is(facts['page_count'], 1);
  assert.equal(await readdir(request.directory), ['page-0001.tif']);
  assert.equal(await stillAlive([Number(await bench.readFile('pid'))]), []);
});

test('after a stop, it waits for the current sheet only for the grace period', async ({ open }) => {
  // At a second prompt, the stop could come before it, and end the batch at once.
  const bench = await open({ scan: 'prompt 1; page 1; sleep 100' }, { stopGraceMs: 300 });
  const cancel = new AbortController();
  const scanned = bench.scan(await bench.request(), cancel.signal);
  await within(PAGE_MS, bench.nextPage(), 'page 1');
  const started = performance.now();
  cancel.abort('cancelled');
  const { message, facts } = await within(50_000, failure('timeout', scanned), 'the end');
  assert.is(facts['page_count'], 1);
  assert.match(message, 'was stopped before the feeder was empty');
  const took = performance.now() - started;
  assert.ok(took >= 295, `took ${took} ms`);
});

test('stopped before the first sheet, it feeds nothing', async ({ open }) => {
  const bench = await open({ scan: 'sleep 0.1; prompt 1; page 1' });
  const stop = new AbortController();
  const scanned = bench.scan(await bench.request(DUPLEX), stop.signal);
  await bench.started();
  stop.abort('shutting_down');
  const { facts, message } = await failure('scanner_runtime_unreachable', scanned);
  assert.is(facts['page_count'], 0);
  assert.match(message, 'is shutting down');
});

test('a cancelled scan is reported as such even if scanimage succeeds', async ({ open }) => {
  const scan = 'trap "exit 0" INT; prompt 1; page 1; sleep 100';
  const bench = await open({ scan }, { stopGraceMs: 100 });
  const cancel = new AbortController();
  const scanned = bench.scan(await bench.request(), cancel.signal);
  await within(PAGE_MS, bench.nextPage(), 'page 1');
  cancel.abort('cancelled');
  await failure('timeout', scanned);
});
