import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { FailureCode } from '../../../helpers/failure.ts';
import type { ScanRequest } from '../../../helpers/ipc/messages.ts';
import { SCANIMAGE_MEMORY_BYTES } from '../../../helpers/scanner/scanimage.ts';
import { createFakeBench, type FakeBench } from '../../support/fake-scanimage/fake-bench.ts';
import { FEEDER_OPTIONS, type FakeScanimage } from '../../support/fake-scanimage/fake-scanimage.ts';
import { beforePage, type BenchOptions } from '../../support/fake-scanimage/scan-bench.ts';
import { syncedPaths } from '../../support/fake-scanimage/synced-paths.ts';
import { stillAlive } from '../../support/processes.ts';
import { assert, failure, withFixture, within } from '../../support/suite.ts';

/**
 * With a scanimage that misbehaves as no real one can be made to; pages are 100 x 60 pixels at 100 dpi. What each of its exit codes
 * means is in test/fault/exit-codes-scanimage.test.ts.
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
/** How long a scanner may say nothing where a page comes before: a page of the fake one takes some 10 ms. */
const SILENT_MS = 4000;
/** For a page that comes, on a machine however busy. */
const PAGE_MS = 60_000;
/** How long it may take to end where it hangs at its end. */
const CLOSE_MS = 300;
const THREE_PAGES = 'for n in 1 2 3; do prompt $n; page $n; done; prompt 4';
const FEEDING = 'touch "$FAKE_DIRECTORY/fed"; prompt 1; page 1';
const HANGING_AT_END = 'echo "Batch terminated, 1 page scanned" >&2; trap "" INT; sleep 100';
const SECOND_PAGE = 'Place document no. 2 on the scanner.';
const DUPLEX = { source: 'ADF Duplex' };
const SWCROP = { scanner_options: { swcrop: true } };
const AUTO_SOURCE = '    --source Auto|Flatbed [Auto]\n    --mode Gray [Gray]\n';
const TALL = { scan: THREE_PAGES, page: { height: 100 } };
const TALL_PAGES =
  /^Pages 1, 2, 3 measure 25\.4 x 25\.4 mm instead of 25\.4 x 15\.24 mm\. Check the page size of the profile\.$/u;
const says = (words: string): string => `echo "scanimage: ${words}" >&2`;
const EMPTY = says('sane_start: Document feeder out of documents');
const CUT_PAGE =
  'prompt 2; half 2; mv page-0002.tif.part page-0002.tif; echo page-0002.tif; prompt 3; page 3';
const UNCHECKED = `: > page-0001.tif; echo "${SECOND_PAGE}" >&2; sleep 0.1; echo page-0001.tif; read -r line && touch "$FAKE_DIRECTORY/fed"`;
const room = (bytes: number) => (): Promise<number> => Promise.resolve(MEGABYTES_64 + bytes);

/** What a scan comes to. */
interface Row {
  readonly fake: FakeScanimage;
  readonly options?: Partial<BenchOptions>;
  readonly changes?: Partial<ScanRequest>;
  /** Of the failure; a scan without one succeeds. */
  readonly code?: FailureCode;
  readonly pages: number;
  /** The message of the failure, or the only warning. */
  readonly said?: RegExp | string;
  /** What is in the scan directory then. */
  readonly files?: readonly string[];
}

const ROWS: Readonly<Record<string, Row>> = {
  'an odd number of pages in duplex is warned of': {
    fake: { scan: THREE_PAGES },
    changes: DUPLEX,
    pages: 3,
    said: 'duplex',
  },
  'a source that may be a feeder is warned of': {
    fake: { options: AUTO_SOURCE, scan: 'prompt 1; page 1' },
    changes: { source: 'Auto' },
    pages: 1,
    said: '"Auto"',
  },
  'a glass is not': {
    fake: { options: AUTO_SOURCE, scan: 'prompt 1; page 1' },
    changes: { source: 'Flatbed' },
    pages: 1,
  },
  'pages of another size are warned of': { fake: TALL, pages: 3, said: TALL_PAGES },
  'not where the driver crops': { fake: TALL, changes: SWCROP, pages: 3 },
  'not where it crops by a word': {
    fake: TALL,
    changes: { scanner_options: { swcrop: 'yes' } },
    pages: 3,
  },
  'but where it does not crop': {
    fake: TALL,
    changes: { scanner_options: { swcrop: false } },
    pages: 3,
    said: TALL_PAGES,
  },
  'a page that was begun and not finished is warned of, where the scanner reports no fault': {
    fake: { scan: 'prompt 1; page 1; prompt 2; half 2; exit 0' },
    pages: 1,
    said: 'began another page and did not finish it',
  },
  'and where it reports an empty feeder': {
    fake: { scan: 'prompt 1; page 1; prompt 2; half 2; exit 7' },
    pages: 1,
    said: 'began another page and did not finish it',
  },
  'names that are none of its pages are passed over': {
    fake: {
      scan: 'prompt 1; echo ../../etc/passwd; echo page-0009.tif; echo; page 1; prompt 2',
    },
    pages: 1,
  },
  'a slow scanner is waited for as long as something comes, in all longer than it may be silent': {
    fake: { scan: 'for n in 1 2 3 4; do prompt $n; sleep 1.2; page $n; done; prompt 5' },
    options: { pageTimeoutMs: SILENT_MS },
    pages: 4,
  },
  'a scanner that hangs after its last page is a success': {
    fake: { scan: `prompt 1; page 1; prompt 2; ${EMPTY}; ${HANGING_AT_END}` },
    options: { closeMs: CLOSE_MS },
    pages: 1,
  },
  'one that hangs at max_pages is too': {
    fake: {
      scan: `prompt 1; page 1; printf "${SECOND_PAGE}\\n" >&2; read -r x; ${HANGING_AT_END}`,
    },
    options: { closeMs: CLOSE_MS },
    changes: { max_pages: 1 },
    pages: 1,
    said: 'max_pages',
  },
  'one that hangs after a failure tells the failure': {
    fake: {
      scan: `prompt 1; page 1; prompt 2; ${says('sane_read: Document feeder jammed')}; ${HANGING_AT_END}`,
    },
    options: { closeMs: CLOSE_MS },
    code: 'scanner_jammed',
    pages: 1,
  },
  'one that talks for ever without a page is ended': {
    fake: {
      scan: 'prompt 1; page 1; while :; do echo noise; echo noise >&2; sleep 0.05; done',
    },
    options: { pageTimeoutMs: SILENT_MS },
    changes: { max_pages: 1 },
    code: 'scanner_error',
    pages: 1,
  },
  'a page of another resolution is kept, and ends the scan': {
    fake: { scan: `${THREE_PAGES}; page 4`, page: { dpi: 200, width: 200, height: 120 } },
    code: 'scanner_error',
    pages: 1,
    said: '200 dpi instead of 100 dpi',
    files: ['page-0001.tif'],
  },
  'an incomplete page is set aside, and ends the scan': {
    fake: { scan: `prompt 1; page 1; ${CUT_PAGE}` },
    code: 'scanner_error',
    pages: 1,
    files: ['page-0001.tif', 'page-0002.tif.incomplete'],
  },
  'a page is fed only when the one before is checked': {
    fake: { scan: `prompt 1; ${UNCHECKED}` },
    code: 'scanner_error',
    pages: 0,
  },
  'a page that disappears before it is on disk for good is a failure': {
    fake: { scan: 'prompt 1; echo page-0001.tif; prompt 2; page 2' },
    code: 'scanner_error',
    pages: 0,
    said: 'Page 1 cannot be written',
  },
  'a page that scanimage could not name before it was killed counts': {
    fake: { scan: 'prompt 1; page 1 > /dev/null; kill -9 $$' },
    code: 'scanner_error',
    pages: 1,
  },
  'there is room for one page': {
    fake: { scan: 'prompt 1; page 1; prompt 2' },
    options: { free: room(2.5 * PAGE_BYTES) },
    pages: 1,
  },
  'there is no room for both sides of a sheet': {
    fake: { scan: FEEDING },
    options: { free: room(2.5 * PAGE_BYTES) },
    changes: DUPLEX,
    code: 'insufficient_storage',
    pages: 0,
  },
  'nothing is fed where there is no room for a page': {
    fake: { scan: FEEDING },
    options: { free: room(PAGE_BYTES - 1) },
    code: 'insufficient_storage',
    pages: 0,
    said: 'Free some space',
  },
  // Until long after the watchdog's time, so that a scan that waits for the disk ends too.
  'a disk that hangs is blamed, and not the scanner': {
    fake: { scan: THREE_PAGES },
    options: {
      free: beforePage(2, () => wait(5000, undefined, { ref: false })),
      pageTimeoutMs: 2000,
    },
    code: 'scanner_error',
    pages: 1,
    said: /The disk of .* did not answer within 1 s/u,
  },
  // sane-airscan loses the pages of a quick job.
  ...Object.fromEntries(
    [0, 7].map((code): [string, Row] => [
      `a scan without a page, exit code ${code}, never claims that nothing was fed`,
      {
        fake: { scan: `prompt 1; ${EMPTY}; exit ${code}` },
        code: 'no_documents',
        pages: 0,
        said: /The scanner reports that the feeder is empty.*with any sheet that has just passed through it/su,
      },
    ]),
  ),
};
for (const [title, { fake, options, changes, code, pages, said, files }] of Object.entries(ROWS)) {
  test(title, async ({ open }) => {
    const bench = await open(fake, options);
    const request = await bench.request(changes);
    const scanned = bench.scan(request);
    if (code === undefined) {
      const { page_count, warnings } = await scanned;
      assert.is(page_count, pages);
      assert.is(warnings.length, said === undefined ? 0 : 1, warnings.join());
      assert.match(warnings.join(), said ?? '');
    } else {
      const { facts, message } = await failure(code, scanned);
      assert.is(facts['page_count'], pages);
      assert.match(message, said ?? '');
      if (code === 'insufficient_storage')
        assert.is(facts['free_bytes'], await options?.free?.(''));
    }
    assert.is(bench.pages.length, pages);
    if (files) assert.equal((await readdir(request.directory)).toSorted(), files);
    assert.not((await bench.files()).includes('fed'));
  });
}

const PLACES = { first_page: 3, first_sheet: 4 };
const BOTH_SIDES = ['4 front', '4 back', '5 front'];
for (const [title, changes, sides] of [
  ['simplex', { source: 'ADF' }, ['4 front', '5 front', '6 front']],
  ['duplex', DUPLEX, BOTH_SIDES],
  ['duplex by an option', { source: 'ADF', scanner_options: { duplex: true } }, BOTH_SIDES],
] as const) {
  test(`in ${title} pages have their number, sheet and side`, async ({ open }) => {
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

test('scanimage has a limit of memory', async ({ open }) => {
  const bench = await open({
    scan: 'ulimit -v > "$FAKE_DIRECTORY/limit"; prompt 1; page 1; prompt 2',
  });
  await bench.scan(await bench.request());
  assert.is(Number(await bench.readFile('limit')) * 1024, SCANIMAGE_MEMORY_BYTES);
});

test('the half page that an earlier scan left is removed', async ({ open }) => {
  const bench = await open({ scan: 'prompt 1; page 1' });
  const request = await bench.request();
  await writeFile(path.join(request.directory, 'page-0001.tif.part'), 'half');
  await bench.scan(request);
  assert.equal(await readdir(request.directory), ['page-0001.tif']);
});

test('a page is told when it and its name are on disk for good', async ({ open }) => {
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

test('a directory that disappears is a failure', async ({ open }) => {
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

test('a scanner that delivers nothing is ended, with all that it started', async ({ open }) => {
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

test('a scan is told by what came first', async ({ open }) => {
  const broken = ': > page-0002.tif; echo page-0002.tif; prompt 3';
  const cancel = new AbortController();
  const free = beforePage(2, () => cancel.abort('cancelled'));
  const bench = await open({ scan: `prompt 1; page 1; prompt 2; ${broken}` }, { free });
  const { facts } = await failure('timeout', bench.scan(await bench.request(), cancel.signal));
  assert.is(facts['page_count'], 1);
});

test('stopped, it waits for the sheet on its way no longer than the grace', async ({ open }) => {
  const bench = await open({ scan: 'prompt 1; page 1; prompt 2; sleep 100' }, { stopGraceMs: 300 });
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

test('stopped in duplex, it takes the back of the sheet too', async ({ open }) => {
  const stop = new AbortController();
  const free = beforePage(1, () => stop.abort('connection_lost'));
  const scan = 'for n in 1 2 3 4; do prompt $n; page $n; done';
  const bench = await open({ scan }, { free });
  const scanned = bench.scan(await bench.request(DUPLEX), stop.signal);
  const { facts, message } = await failure('scanner_runtime_unreachable', scanned);
  assert.is(facts['page_count'], 2);
  assert.match(message, 'went away');
});

test('stopped before its first sheet, it feeds none', async ({ open }) => {
  const bench = await open({ scan: 'sleep 0.1; prompt 1; page 1' });
  const stop = new AbortController();
  const scanned = bench.scan(await bench.request(DUPLEX), stop.signal);
  await bench.started();
  stop.abort('shutting_down');
  const { facts, message } = await failure('scanner_runtime_unreachable', scanned);
  assert.is(facts['page_count'], 0);
  assert.match(message, 'is shutting down');
});

test('cancelled, it is told so even when scanimage ends well', async ({ open }) => {
  const scan = 'trap "exit 0" INT; prompt 1; page 1; prompt 2; sleep 100';
  const bench = await open({ scan }, { stopGraceMs: 100 });
  const cancel = new AbortController();
  const scanned = bench.scan(await bench.request(), cancel.signal);
  await within(PAGE_MS, bench.nextPage(), 'page 1');
  cancel.abort('cancelled');
  await failure('timeout', scanned);
});

test('cancelled before it began, it feeds nothing', async ({ open }) => {
  const bench = await open({ scan: FEEDING });
  const scanned = bench.scan(await bench.request(), AbortSignal.abort('cancelled'));
  assert.is((await failure('timeout', scanned)).facts['page_count'], 0);
  assert.not((await bench.files()).includes('fed'));
});
