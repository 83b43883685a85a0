import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { programEnvironment } from '../../helpers/child-process.ts';
import type { FedStack, ScannedPage, ScanRequest } from '../../helpers/ipc/messages.ts';
import { serveRequests } from '../../helpers/ipc/request-server.ts';
import { createScannerRuntime } from '../../helpers/scanner/runtime.ts';
import { createScannerClient, type ScannerClient } from '../../service/scanner/scanner-client.ts';
import { PAGE_NAME } from '../../helpers/page-names.ts';
import { capturedLog } from '../support/captured-log.ts';
import { assertOutcome } from '../support/fake-scanimage/assert-outcome.ts';
import { copyTestDriver } from '../support/sane-test-driver.ts';
import { createSaned } from '../support/saned.ts';
import {
  assert,
  EVENT_MS,
  failure,
  suite,
  temporaryDirectory,
  until,
  within,
} from '../support/suite.ts';

/**
 * The runtime behind its socket with the real scanimage and SANE's `test` backend, both local and
 * through saned and the `net` backend. Its feeder holds ten sheets; its area is 200 x 200 mm.
 */
const test = suite("SANE's test backend");

const PAGE_TIMEOUT_MS = 120_000;

const directory = await temporaryDirectory();
const drivers = await copyTestDriver(directory.path);
const saned = await createSaned(directory.path, drivers);
const config = path.join(directory.path, 'sane.d');
await mkdir(config);
await writeFile(path.join(config, 'dll.conf'), 'test\nnet\n');
await writeFile(path.join(config, 'net.conf'), `connect_timeout = 5\n${saned.address}\n`);
const socketPath = path.join(directory.path, 'scanner.sock');
const env = programEnvironment({ ...drivers, SANE_CONFIG_DIR: config });
const { log } = capturedLog();
const runtime = createScannerRuntime({
  scanimage: { file: 'scanimage', env },
  limits: { pageTimeoutMs: PAGE_TIMEOUT_MS },
  log,
});
const server = await serveRequests(socketPath, runtime, log);
let client: ScannerClient;

test.before(async () => {
  await saned.start();
  client = createScannerClient({ socketPath, log });
});
test.after(async () => {
  await client.close();
  await runtime.close();
  await server.close();
  await saned.kill();
  await directory.remove();
});

const HERE = 'test:0';
const THERE = `net:${saned.address}:test:0`;

const FEEDER = 'Automatic Document Feeder';
const DEFAULTS = {
  source: FEEDER,
  mode: 'Gray',
  resolution: 100,
  page_size: { width_mm: 100, height_mm: 100 },
  max_pages: 100,
  scanner_options: {},
  first_page: 1,
  first_sheet: 1,
};

type Asks = Partial<ScanRequest>;

async function requestFor(device: string, asks: Asks = {}): Promise<ScanRequest> {
  const scans = await mkdtemp(path.join(directory.path, 'scan-'));
  return { ...DEFAULTS, device, directory: scans, ...asks };
}

function scan(request: ScanRequest, pages: ScannedPage[] = []): Promise<FedStack> {
  const { signal } = new AbortController();
  return client.scan(request, { signal, onPage: (page) => void pages.push(page) });
}

const options = (scanner_options: ScanRequest['scanner_options'], more: Asks = {}): Asks => ({
  scanner_options: { 'test-picture': 'Color pattern', ...scanner_options },
  ...more,
});
const THREE = { max_pages: 3 };
const COLOUR = { mode: 'Color', ...THREE };
const SLOW = {
  'read-limit': true,
  'read-limit-size': 16_384,
  'read-delay': true,
  'read-delay-duration': 50_000,
};
const IN_PASSES = { 'three-pass': true };

/** Pixels of 100 mm at 100 dpi, and the bytes of a page file beyond its samples. */
const [SIDE, HEADER] = [393, 300];

/**
 * Pages of 10 MB exceed the socket buffers between saned and the `net` backend. saned reads ahead,
 * and after a complete page the `test` backend returns fuzzy parameters again. scanimage asks for
 * them after the page has begun, when saned must not yet have read the page to its end.
 */
const LARGE_SIDE = 3149;
const LARGE = { resolution: 400, page_size: { width_mm: 200, height_mm: 200 } };

/** The bits per pixel, the request, and the pixels of a side. The title states the outcome. */
const SCANS: Readonly<Record<string, readonly [bits: number, Asks, side?: number]>> = {
  'ten pages, to the end of the stack → 10 pages': [8, options({})],
  'gray of 1 bit → 3 pages: …max_pages…': [1, options({ depth: 1 }, THREE)],
  'gray of 16 bits → 3 pages: …max_pages…': [16, options({ depth: 16 }, THREE)],
  'colour of 8 bits → 3 pages: …max_pages…': [24, options({}, COLOUR)],
  'colour of 16 bits → 3 pages: …max_pages…': [48, options({ depth: 16 }, COLOUR)],
  'fuzzy parameters before the scan → 3 pages: …max_pages…': [
    8,
    options({ 'fuzzy-parameters': true }, { ...THREE, ...LARGE }),
    LARGE_SIDE,
  ],
  'slow reads → 3 pages: …max_pages…': [8, options(SLOW, THREE)],
  'reads that do not block → 3 pages: …max_pages…': [
    8,
    options({ 'non-blocking': true, 'select-fd': true }, THREE),
  ],
};
for (const [title, [bits, asks, side = SIDE]] of Object.entries(SCANS)) {
  test(`${title}, and byte for byte the same through saned`, async () => {
    const [here, there] = await Promise.all(
      [HERE, THERE].map(async (device) => {
        const request = await requestFor(device, asks);
        const pages: ScannedPage[] = [];
        const { page_count } = await assertOutcome(title, scan(request, pages));
        assert.is(pages.length, page_count);
        const bytes = Math.ceil((side * bits) / 8) * side;
        for (const page of pages) {
          assert.equal([page.width_px, page.height_px, page.dpi], [side, side, request.resolution]);
          assert.ok(page.bytes > bytes && page.bytes < bytes + HEADER, `${page.bytes} bytes`);
        }
        return digestsIn(request.directory);
      }),
    );
    assert.equal(there, here);
    assert.is(new Set(here).size, 1, 'each page shows the same picture');
  });
}

async function digestsIn(scans: string): Promise<string[]> {
  const names = (await readdir(scans)).toSorted();
  assert.ok(
    names.every((name) => PAGE_NAME.test(name)),
    names.join(),
  );
  const files = await Promise.all(names.map((name) => readFile(path.join(scans, name))));
  return files.map((file) => createHash('sha256').update(file).digest('hex'));
}

test('colour in three passes equals colour in one, in any order of passes', async () => {
  const found = new Set<string>();
  for (const order of [undefined, 'RGB', 'GBR', 'BGR']) {
    const passes = order === undefined ? {} : { ...IN_PASSES, 'three-pass-order': order };
    const request = await requestFor(HERE, options(passes, COLOUR));
    assert.is((await scan(request)).page_count, 3);
    for (const digest of await digestsIn(request.directory)) found.add(digest);
  }
  assert.is(found.size, 1);
  // When asked for the colour of one pass, saned may return that of the next, even without our
  // code, so colours are not compared.
  const request = await requestFor(THERE, options(IN_PASSES, COLOUR));
  assert.is((await scan(request)).page_count, 3);
});

const A4 = { page_size: { width_mm: 210, height_mm: 297 } };
const LARGEST = 'The largest page with this source is 200 x 200 mm: set page_size:';
const status = (name: string): Asks => options({ 'read-return-value': `SANE_STATUS_${name}` });
const ENDS: Readonly<Record<string, Asks>> = {
  'a hand scanner, 11 cm wide, which does not know the height → 10 pages: …measure 110.0 x … mm instead of 100 x 100 mm…':
    options({ 'hand-scanner': true }),
  [`an area that is smaller than A4 → scan_option_rejected after 0 pages: …${LARGEST} {width_mm: 200, height_mm: 200}.…`]:
    A4,
  'a page as large as that area → 10 pages': { page_size: { width_mm: 200, height_mm: 200 } },
  'paper that ends 4.9 mm behind it → 10 pages: The scanner ends before the paper: 200 x 200 mm of 200 x 204.9 mm were scanned.…':
    { page_size: { width_mm: 200, height_mm: 204.9 } },
  'an option that is inactive with the mode → scan_option_rejected after 0 pages: …three-pass "true". The option is inactive…':
    options(IN_PASSES),
  'UNSUPPORTED → scanner_error after 0 pages: The scanner does not support this scan. …(scanimage: sane_read: Operation not supported)…':
    status('UNSUPPORTED'),
  'CANCELLED → scan_stopped after 0 pages: The scan was stopped at the scanner.…':
    status('CANCELLED'),
  'DEVICE_BUSY → scanner_busy_elsewhere after 0 pages: The scanner is busy: another program or person is using it…':
    status('DEVICE_BUSY'),
  'INVAL → scanner_error after 0 pages: The scanner does not support this combination of settings.…':
    status('INVAL'),
  'EOF → scanner_error after 0 pages: Page 1 arrived incomplete…': status('EOF'),
  'JAMMED → scanner_jammed after 0 pages: Paper is jammed in the scanner.…': status('JAMMED'),
  'NO_DOCS → no_documents after 0 pages: The scanner reports that the feeder is empty…':
    status('NO_DOCS'),
  'COVER_OPEN → cover_open after 0 pages: The cover of the scanner is open.…': status('COVER_OPEN'),
  'IO_ERROR → scanner_error after 0 pages: The connection to the scanner failed…':
    status('IO_ERROR'),
  'NO_MEM → scanner_error after 0 pages: The scanner or its driver ran out of memory.…':
    status('NO_MEM'),
  'ACCESS_DENIED → scanner_error after 0 pages: Access to the scanner was denied…':
    status('ACCESS_DENIED'),
};
for (const [title, asks] of Object.entries(ENDS)) {
  test(title, async () => {
    const scans = [HERE, THERE].map(async (device) => {
      const request = await requestFor(device, asks);
      const { page_count } = await assertOutcome(title, scan(request));
      const files = await readdir(request.directory);
      const kept = title.startsWith('EOF') ? ['page-0001.tif.incomplete'] : [];
      assert.equal(
        files.filter((name) => !PAGE_NAME.test(name)),
        kept,
      );
      assert.is(files.length - kept.length, page_count);
    });
    await Promise.all(scans);
  });
}

const SLOW_PAGE = options(SLOW, { page_size: { width_mm: 200, height_mm: 200 } });

function inPage(request: ScanRequest, number: number): Promise<void> {
  const part = path.join(request.directory, `page-000${number}.tif.part`);
  const size = async (): Promise<number> => (await stat(part).catch(() => ({ size: 0 }))).size;
  return until(async () => (await size()) > HEADER, `a piece of page ${number}`);
}

test('a saned that dies within a page loses only that page, and the scan continues with the next saned', async () => {
  const request = await requestFor(THERE, SLOW_PAGE);
  const pages: ScannedPage[] = [];
  const failed = failure('scanner_error', scan(request, pages));
  await inPage(request, 3);
  await saned.kill();
  const { message, facts } = await within(EVENT_MS, failed, 'the end of the scan');
  assert.match(message, `saned on ${saned.address} has ended or lost the connection`);
  assert.is(facts['page_count'], 2);
  assert.match(String(facts['warnings']), 'After page 2, up to 1 sheet may have');
  // Until saned is back, the message also names the cause.
  const rest = { ...request, first_page: 3, first_sheet: 3, max_pages: 2 };
  const absent = await failure('no_scanner_detected', scan(rest));
  assert.match(absent.message, `No saned answers on ${saned.address} (ECONNREFUSED)`);
  await saned.start();
  assert.is((await scan(rest, pages)).page_count, 2);
  assert.equal(
    pages.map(({ number }) => number),
    [1, 2, 3, 4],
  );
  assert.is(new Set(await digestsIn(request.directory)).size, 1);
});

test('lists local and remote devices', async () => {
  const names = (await client.listDevices(new AbortController().signal)).map(({ name }) => name);
  for (const name of [HERE, 'test:1', THERE]) assert.ok(names.includes(name), names.join());
});
