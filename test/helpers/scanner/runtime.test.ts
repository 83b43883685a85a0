import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { programEnvironment } from '../../../helpers/child-process.ts';
import { createScannerRuntime } from '../../../helpers/scanner/runtime.ts';
import { capturedLog } from '../../support/captured-log.ts';
import {
  beforePage,
  createTestBackendBench,
  type ScanBench,
} from '../../support/fake-scanimage/scan-bench.ts';
import { createFakeBench } from '../../support/fake-scanimage/fake-bench.ts';
import {
  type TemporaryDirectory,
  assert,
  failure,
  temporaryDirectory,
  within,
  suite,
} from '../../support/suite.ts';

/** With the real scanimage and SANE's `test` backend, whose feeder holds ten sheets in every scan. */
const test = suite<{ config: TemporaryDirectory; bench: ScanBench }>('the scanner runtime');

test.before(async (context) => {
  context.config = await temporaryDirectory();
  const configDir = path.join(context.config.path, 'sane.d');
  await mkdir(configDir);
  await writeFile(path.join(configDir, 'dll.conf'), 'test\n');
  context.bench = await createTestBackendBench({ configDir, stopGraceMs: 300 });
});
test.after(async ({ config, bench }) => {
  await bench.close();
  await config.remove();
});
test.before.each(({ bench }) => void bench.pages.splice(0));

/** For what a test waits for, on a machine however busy. */
const EVENT_MS = 60_000;

const ENDLESS = 'n=1; while :; do prompt $n; page $n; n=$((n+1)); sleep 0.05; done';
const NEVER = new AbortController().signal;
const CALL = { signal: NEVER, onPage: () => {} };

test('is healthy without a look at any scanner', async ({ bench }) => {
  assert.equal(await bench.runtime.health({}, CALL), { status: 'ok', scanning: [] });
});

test('scans a stack to its end', async ({ bench }) => {
  const request = await bench.request();
  const { page_count, warnings } = await bench.scan(request);
  assert.is(page_count, 10);
  assert.equal(warnings, []);
  assert.is((await readdir(request.directory)).length, 10);
  const [first] = bench.pages;
  assert.equal(
    [first?.width_px, first?.height_px, first?.dpi, bench.pages.at(-1)?.number],
    [393, 393, 100, 10],
  );
});

test('scans every mode and depth', async ({ bench }) => {
  for (const [mode, depth] of [
    ['Gray', 1],
    ['Gray', 16],
    ['Color', 8],
    ['Color', 16],
  ] as const) {
    const scanner_options = { depth };
    const request = await bench.request({ mode, scanner_options, max_pages: 1 });
    assert.is((await bench.scan(request)).page_count, 1, `${mode} ${depth}`);
  }
});

test('scans a page whose height the scanner does not know', async ({ bench }) => {
  const scanner_options = { 'hand-scanner': true };
  const request = await bench.request({ scanner_options, max_pages: 2 });
  const { page_count, warnings } = await bench.scan(request);
  assert.is(page_count, 2);
  // A hand scanner of this backend is always 11 cm wide.
  assert.match(warnings.join('\n'), 'measure 110');
});

test('takes one page from the glass when that is where the scanner starts', async ({ bench }) => {
  const request = await bench.request({ source: undefined });
  assert.equal((await bench.scan(request)).page_count, 1);
});

test('stops the feeder at max_pages', async ({ bench }) => {
  const request = await bench.request({ max_pages: 3 });
  const { page_count, warnings } = await bench.scan(request);
  assert.is(page_count, 3);
  assert.is((await readdir(request.directory)).length, 3);
  assert.match(warnings[0] ?? '', 'max_pages');
});

test('refuses what the scanner has not before a page is scanned', async ({ bench }) => {
  const wrong = [
    { source: 'automatic document feeder' },
    { mode: 'gray' },
    { resolution: 5000 },
    { page_size: { width_mm: 210, height_mm: 297 } },
    { scanner_options: { 'batch-count': 3 } },
    { scanner_options: { 'read-delay-duration': 1000 } },
    { device: 'auto' },
  ];
  for (const changes of wrong) {
    const request = await bench.request(changes);
    const { facts } = await failure('scan_option_rejected', bench.scan(request));
    assert.is(facts['page_count'], 0);
    assert.equal(await readdir(request.directory), []);
  }
});

/** While a page is read. */
const STATUSES = [
  ['SANE_STATUS_CANCELLED', 'scan_stopped'],
  ['SANE_STATUS_DEVICE_BUSY', 'scanner_error'],
  ['SANE_STATUS_INVAL', 'scanner_error'],
  ['SANE_STATUS_NO_DOCS', 'no_documents'],
  ['SANE_STATUS_JAMMED', 'scanner_jammed'],
  ['SANE_STATUS_COVER_OPEN', 'cover_open'],
  ['SANE_STATUS_IO_ERROR', 'scanner_error'],
  ['SANE_STATUS_NO_MEM', 'scanner_error'],
  ['SANE_STATUS_ACCESS_DENIED', 'scanner_error'],
] as const;
for (const [status, code] of STATUSES) {
  test(`${status} is ${code}`, async ({ bench }) => {
    const scanner_options = { 'read-return-value': status };
    const request = await bench.request({ scanner_options });
    const { facts } = await failure(code, bench.scan(request));
    assert.is(facts['page_count'], 0);
    assert.equal(await readdir(request.directory), []);
  });
}

test('finds out that pages without an end hold no image', async ({ bench }) => {
  const scanner_options = { 'read-return-value': 'SANE_STATUS_EOF' };
  const request = await bench.request({ scanner_options });
  await failure('scanner_error', bench.scan(request));
  assert.equal(await readdir(request.directory), ['page-0001.tif.incomplete']);
});

/** Some 30 s a page: reads of 1 kB, with a fifth of a second after each. */
const SLOW = {
  'read-limit': true,
  'read-limit-size': 1000,
  'read-delay': true,
  'read-delay-duration': 200_000,
};

test('refuses a second scan at once, and no other request waits', async ({ bench }) => {
  await bench.runtime.list_devices({}, CALL);
  const cancel = new AbortController();
  const started = bench.started();
  const first = bench.scan(await bench.request({ scanner_options: SLOW }), cancel.signal);
  await within(EVENT_MS, started, 'the start');
  let hasEnded = false;
  const end = (): boolean => (hasEnded = true);
  first.then(end, end);
  await failure('scanner_busy', bench.scan(await bench.request()));
  await failure('scanner_busy', bench.runtime.describe_device({ device: 'test:0' }, CALL));
  assert.is((await bench.runtime.list_devices({}, CALL)).length, 2);
  assert.not(hasEnded);
  assert.is(
    (await bench.scan(await bench.request({ device: 'test:1', max_pages: 1 }))).page_count,
    1,
  );
  cancel.abort('cancelled');
  await failure('timeout', first);
  assert.is((await bench.scan(await bench.request({ max_pages: 1 }))).page_count, 1);
});

test('ends a look at the devices that is no longer wanted', async ({ config }) => {
  const file = path.join(config.path, 'slow');
  await writeFile(file, '#!/bin/sh\nexec sleep 100\n', { mode: 0o755 });
  const scanimage = { file, env: programEnvironment() };
  const { log } = capturedLog();
  const runtime = createScannerRuntime({ scanimage, limits: { pageTimeoutMs: 1000 }, log });
  const aborted = AbortSignal.abort('connection_lost');
  await failure(
    'scanner_runtime_unreachable',
    runtime.list_devices({}, { ...CALL, signal: aborted }),
  );
  const cancel = new AbortController();
  const listed = failure('timeout', runtime.list_devices({}, { ...CALL, signal: cancel.signal }));
  setImmediate(() => cancel.abort('cancelled'));
  await within(EVENT_MS, listed, 'the end');
  const described = failure(
    'scanner_runtime_unreachable',
    runtime.describe_device({ device: 'a:b' }, CALL),
  );
  await within(EVENT_MS, runtime.close(), 'the close');
  await described;
});

test('closing lets a scan finish and takes no new one', async ({ config }) => {
  const before = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const free = beforePage(2, () => {
    before.resolve();
    return answered.promise;
  });
  const own = await createTestBackendBench({ configDir: path.join(config.path, 'sane.d'), free });
  const scanned = own.scan(await own.request({ max_pages: 3 }));
  await within(EVENT_MS, Promise.race([before.promise, scanned]), 'the end of page 1');
  const closed = own.runtime.close();
  await failure('scanner_runtime_unreachable', own.scan(await own.request()));
  assert.is((await own.runtime.health({}, CALL)).scanning.length, 1);
  answered.resolve();
  await within(EVENT_MS, closed, 'the end of the scan');
  assert.is((await scanned).page_count, 3);
  await own.close();
});

test('closing lets scans finish only for so long', async () => {
  const bench = await createFakeBench({ scan: ENDLESS }, { finishMs: 200 });
  const page = bench.nextPage();
  const scanned = failure('scanner_runtime_unreachable', bench.scan(await bench.request()));
  await within(EVENT_MS, page, 'page 1');
  await within(EVENT_MS, bench.runtime.close(), 'the close');
  await scanned;
  await bench.close();
});
