import type { Failure } from '../../../helpers/failure.ts';
import type { ScanRequest } from '../../../helpers/ipc/messages.ts';
import type { Fault } from '../../../simulators/virtual-scanner/virtual-scanner.ts';
import { beforePage, createVirtualBench } from '../../support/fake-scanimage/scan-bench.ts';
import { createFakeBench } from '../../support/fake-scanimage/fake-bench.ts';
import { shippedPage } from '../../support/pages.ts';
import { processesBelow } from '../../support/processes.ts';
import { assert, failure, suite, within } from '../../support/suite.ts';

/** With the real scanimage and sane-airscan; the virtual scanner counts the sheets that it feeds. */
const test = suite('sheets that passed without becoming a page');

const SHEETS = 12;
const STACK = Array.from({ length: 2 * SHEETS }, () => shippedPage('invoice').file);
/** For a scan of a few sheets, on a machine however busy. */
const ENDS_MS = 90_000;

/** How many sheets a person is told may have passed. */
function reported(warnings: unknown): number {
  const sheets = /up to (?<most>\d+) sheets? may have passed/iu.exec(String(warnings));
  return Number(sheets?.groups?.['most'] ?? 0);
}

interface Ending {
  readonly options?: Parameters<typeof createVirtualBench>[0];
  readonly changes?: Partial<ScanRequest>;
  readonly fault?: Fault;
  /** What happens just before page 3 is fed: its sheet is on its way then. */
  readonly meets?: (stop: () => void) => void | Promise<void>;
  readonly most: number;
}

function killScanimage(): void {
  for (const { pid, name } of processesBelow([process.pid])) {
    if (name === 'scanimage') process.kill(pid, 'SIGKILL');
  }
}

const stop: Ending['meets'] = (abort) => abort();
const ENDINGS: Record<string, Ending> = {
  'a stop, the sheet on its way in time': { meets: stop, most: 1 },
  'a stop in duplex': { changes: { source: 'ADF Duplex' }, meets: stop, most: 1 },
  'a stop, the sheet on its way too slow': { options: { stopGraceMs: 100 }, meets: stop, most: 2 },
  'a killed scanimage': { meets: killScanimage, most: 2 },
  'a jam': { fault: { kind: 'jam', atPage: 4 }, most: 1 },
  'a page that the scanner cannot send': {
    options: { pages: STACK.with(3, '/gone.jpg') },
    most: 1,
  },
  'two sheets at once': { fault: { kind: 'multipick', atPage: 4 }, most: 1 },
  'a lost connection to the scanner': {
    fault: { kind: 'drop', atPage: 4, midBody: true },
    most: 1,
  },
  'a scanner that hangs': {
    options: { pageTimeoutMs: 6000 },
    fault: { kind: 'hang', where: 'midBody', atPage: 4 },
    most: 2,
  },
  max_pages: { changes: { max_pages: 3 }, most: 1 },
};
for (const [title, { options, changes, fault, meets, most }] of Object.entries(ENDINGS)) {
  test(`are reported after ${title}`, async () => {
    const abort = new AbortController();
    const free = beforePage(3, () => meets?.(() => abort.abort('cancelled')));
    const bench = await createVirtualBench({ pages: STACK, pagesPerMinute: 60, free, ...options });
    if (fault) bench.scanner.setFault(fault);
    const scanned = bench.scan(await bench.request(changes), abort.signal).then(
      ({ warnings }) => warnings,
      (error: unknown) => (error as Failure).facts['warnings'],
    );
    const warnings = await within(ENDS_MS, scanned, 'the end');
    const sheetsWithPages = new Set(bench.pages.map(({ sheet }) => sheet)).size;
    const lost = bench.scanner.state.sheetsFed - sheetsWithPages;
    assert.ok(lost <= reported(warnings), `${lost} lost, but ${String(warnings)}`);
    assert.is(reported(warnings), most);
    assert.match(String(warnings), `After page ${bench.pages.length}, `);
    if (title === 'a stop, the sheet on its way in time') {
      assert.is(bench.scanner.state.jobsOpened, 1, 'no second job is begun');
      assert.is(bench.pages.length, 3, 'the sheet on its way becomes a page');
    }
    await bench.close();
  });
}

const NONE: Record<string, { scan: string; changes?: Partial<ScanRequest> }> = {
  'the end of the stack': { scan: 'prompt 1; page 1; prompt 2; exit 7' },
  'a scanner that is busy': { scan: 'prompt 1; exit 3' },
  'an end before anything is fed': { scan: 'exit 9' },
  'memory that ran out before anything is fed': {
    scan: 'exit 10',
    changes: { device: 'airscan:e0:Office' },
  },
  'a fault on the glass': { scan: 'prompt 1; exit 9', changes: { source: 'Flatbed' } },
};
for (const [title, { scan, changes }] of Object.entries(NONE)) {
  test(`are none after ${title}`, async () => {
    const bench = await createFakeBench({ scan });
    const warnings = await bench.scan(await bench.request(changes)).then(
      (summary) => summary.warnings,
      (error: unknown) => (error as Failure).facts['warnings'],
    );
    assert.equal(warnings, []);
    await bench.close();
  });
}

test('may be more than two where the driver ran out of memory for what it has read ahead', async () => {
  const bench = await createFakeBench({ scan: 'prompt 1; page 1; prompt 2; exit 10' });
  const request = await bench.request({ device: 'airscan:e0:Office' });
  const error: unknown = await bench.scan(request).catch((error: unknown) => error);
  const warnings = String((error as Failure).facts['warnings']);
  assert.is(reported(warnings), 2);
  assert.match(warnings, ', and more where the scanner is faster than this computer.');
  await bench.close();
});

const ONE: Record<string, string> = {
  'a driver that does not read ahead is stopped in the middle':
    'prompt 1; page 1; prompt 2; kill -9 $$',
  'the first page cannot be sent': 'prompt 1; echo "scanimage: sane_read: Device busy" >&2; exit 3',
};
for (const [title, scan] of Object.entries(ONE)) {
  test(`may be one where ${title}`, async () => {
    const bench = await createFakeBench({ scan });
    const { facts } = await failure('scanner_error', bench.scan(await bench.request()));
    assert.is(reported(facts['warnings']), 1);
    await bench.close();
  });
}
