import type { Failure } from '../../../helpers/failure.ts';
import type { ScanRequest } from '../../../helpers/ipc/messages.ts';
import type { Fault } from '../../../simulators/virtual-scanner/virtual-scanner.ts';
import { testConcurrently } from '../../support/test-concurrently.ts';
import { assertOutcome } from '../../support/fake-scanimage/assert-outcome.ts';
import { beforePage, createVirtualBench } from '../../support/fake-scanimage/scan-bench.ts';
import { shippedPage } from '../../support/pages.ts';
import { linkOfProcess, processesBelow } from '../../support/processes.ts';
import { assert, suite, within } from '../../support/suite.ts';

/**
 * Each scan has its own virtual scanner, which counts sheets. For refusals and failures within a
 * stack, see test/integration/failures.test.ts.
 */
const PAGES = ['invoice', 'letter-bank', 'report', 'minutes'].map((name) => shippedPage(name).file);
const DUPLEX = { source: 'ADF Duplex' };

const SCANS: Readonly<Record<string, readonly [fault?: Fault, asks?: Partial<ScanRequest>]>> = {
  'a stack, by a name with blanks and umlauts → 4 pages': [],
  'a sheet that is not picked looks like an empty feeder → 2 pages': [
    { kind: 'mispick', atPage: 3 },
  ],
  'so it does in duplex → 2 pages': [{ kind: 'mispick', atPage: 3 }, DUPLEX],
  'where it looks like a back that is missing → 1 page: …no side is missing…': [
    { kind: 'mispick', atPage: 2 },
    DUPLEX,
  ],
  'a scanner that is busy for a moment is waited for → 4 pages': [{ kind: 'busy', times: 1 }],
  'one that stays busy → scanner_busy_elsewhere after 0 pages: …another program or person…': [
    { kind: 'busy' },
  ],
  'one that refuses everything → no_scanner_detected after 0 pages': [
    { kind: 'refuse', where: 'all' },
  ],
};
testConcurrently(suite('a network scanner'), SCANS, async ([fault, asks], title) => {
  const bench = await createVirtualBench({ pages: PAGES });
  if (fault) bench.scanner.setFault(fault);
  const { device } = await assertOutcome(title, bench.scan(await bench.request(asks)));
  if (device === undefined) {
    bench.scanner.setFault(null);
    const again = await bench.scan(await bench.request());
    assert.is(again.page_count, PAGES.length, 'and it is free again');
  } else assert.is(device, 'airscan:e0:Büro 1');
  if (fault === undefined) {
    assert.is(bench.scanner.state.sheetsFed, PAGES.length);
    const { width_px, height_px, dpi } = bench.pages[0] ?? {};
    assert.equal([width_px, height_px, dpi], [827, 1169, 100]);
  }
  await bench.close();
});

const SHEETS = 12;
const STACK = Array.from({ length: 2 * SHEETS }, () => shippedPage('invoice').file);
const ENDS_MS = 90_000;

function reported(warnings: unknown): number {
  const sheets = /up to (?<most>\d+) sheets? may have gone through/iu.exec(String(warnings));
  return Number(sheets?.groups?.['most'] ?? 0);
}

interface Ending {
  readonly options?: Parameters<typeof createVirtualBench>[0];
  readonly asks?: Partial<ScanRequest>;
  readonly fault?: Fault;
  /** Runs just before page 3 is fed, when its sheet is already moving. */
  readonly meets?: (stop: () => void, directory: string) => void | Promise<void>;
}

function killScanimage(_stop: () => void, directory: string): void {
  for (const { pid, name } of processesBelow([process.pid])) {
    const isIts = linkOfProcess(pid, 'cwd') === directory;
    if (name === 'scanimage' && isIts) process.kill(pid, 'SIGKILL');
  }
}

const stop: Ending['meets'] = (abort) => abort();
const unsent = STACK.with(3, '/gone.jpg');
/** Each title says what happens, and how many sheets may have gone through without being stored. */
const ENDINGS: Readonly<Record<string, Ending>> = {
  'a stop, the sheet on its way in time: 1': { meets: stop },
  'a stop in duplex: 1': { asks: DUPLEX, meets: stop },
  'a stop, the sheet on its way too slow: 2': { options: { stopGraceMs: 100 }, meets: stop },
  'a killed scanimage: 2': { meets: killScanimage },
  'a jam: 1': { fault: { kind: 'jam', atPage: 4 } },
  'a page that the scanner cannot send: 1': { options: { pages: unsent } },
  'two sheets at once: 1': { fault: { kind: 'multipick', atPage: 4 } },
  'a lost connection to the scanner: 1': { fault: { kind: 'drop', atPage: 4, midBody: true } },
  'a scanner that hangs: 2': {
    options: { pageTimeoutMs: 10_000 },
    fault: { kind: 'hang', where: 'midBody', atPage: 4 },
  },
  'max_pages: 1': { asks: { max_pages: 3 } },
};
const lost = suite('sheets that may be lost are reported after');
testConcurrently(lost, ENDINGS, async ({ options, asks, fault, meets }, title) => {
  const abort = new AbortController();
  let directory = '';
  const free = beforePage(3, () => meets?.(() => abort.abort('cancelled'), directory));
  const bench = await createVirtualBench({ pages: STACK, pagesPerMinute: 60, free, ...options });
  if (fault) bench.scanner.setFault(fault);
  const request = await bench.request(asks);
  ({ directory } = request);
  const scanned = bench.scan(request, abort.signal).then(
    ({ warnings }) => warnings,
    (error: unknown) => (error as Failure).facts['warnings'],
  );
  const warnings = String(await within(ENDS_MS, scanned, 'the end'));
  const sheetsWithPages = new Set(bench.pages.map(({ sheet }) => sheet)).size;
  const sheets = bench.scanner.state.sheetsFed - sheetsWithPages;
  assert.ok(sheets <= reported(warnings), `${sheets} lost, but ${warnings}`);
  assert.is(`${reported(warnings)}`, title.split(': ')[1]);
  assert.match(warnings, `After page ${bench.pages.length}, `);
  if (title.includes('in time')) {
    assert.is(bench.scanner.state.jobsOpened, 1, 'no second job is begun');
    assert.is(bench.pages.length, 3, 'the sheet on its way becomes a page');
  }
  await bench.close();
});
