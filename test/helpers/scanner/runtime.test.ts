import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { programEnvironment } from '../../../helpers/child-process.ts';
import type { Failure } from '../../../helpers/failure.ts';
import { createScannerRuntime } from '../../../helpers/scanner/runtime.ts';
import type { ScanRequest } from '../../../helpers/ipc/messages.ts';
import { settable } from '../../../helpers/scanner/option-lines.ts';
import {
  listDevices,
  prepareScan,
  readOptions,
} from '../../../helpers/scanner/scan-preparation.ts';
import type { Scanimage } from '../../../helpers/scanner/scanimage.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { assertOutcome } from '../../support/fake-scanimage/assert-outcome.ts';
import { createBench } from '../../support/fake-scanimage/scan-bench.ts';
import { createFakeBench } from '../../support/fake-scanimage/fake-bench.ts';
import { copyTestDriver } from '../../support/sane-test-driver.ts';
import {
  assert,
  EVENT_MS,
  failure,
  suite,
  temporaryDirectory,
  within,
} from '../../support/suite.ts';

/** Real scanimage with two devices of SANE's `test` backend. Feeders hold ten sheets per scan. */
const test = suite('the scanner runtime');

const FEEDER = 'Automatic Document Feeder';
const ENDLESS = 'n=1; while :; do prompt $n; page $n; n=$((n+1)); sleep 0.05; done';
const NEVER = new AbortController().signal;
const config = await temporaryDirectory();
await writeFile(path.join(config.path, 'dll.conf'), 'test\n');
const tool: Scanimage = {
  file: 'scanimage',
  env: programEnvironment({ ...(await copyTestDriver(config.path)), SANE_CONFIG_DIR: config.path }),
};
const bench = await createBench(tool, {
  stopGraceMs: 300,
  defaults: {
    device: 'test:0',
    source: FEEDER,
    mode: 'Gray',
    resolution: 100,
    page_size: { width_mm: 100, height_mm: 100 },
  },
});
test.after(async () => {
  await bench.close();
  await config.remove();
});
test.before.each(() => void bench.pages.splice(0));
const CALL = { signal: NEVER, onPage: () => {} };

test('is healthy without accessing any scanner', async () => {
  assert.equal(await bench.runtime.health({}, CALL), { status: 'ok', scanning: [] });
});

/**
 * Titles state the outcome. For depths, colours and messages, see integration/sane-test-backend.
 */
const SCANS: Readonly<Record<string, Partial<ScanRequest>>> = {
  'a stack to its end → 10 pages': {},
  'a stack up to max_pages → 3 pages: …max_pages…': { max_pages: 3 },
  'the glass, where the scanner starts there → 1 page': { source: undefined },
  'an option that is none → scan_option_rejected after 0 pages': {
    scanner_options: { 'batch-count': 3 },
  },
  'one of two scanners → scan_option_rejected after 0 pages': { device: 'auto' },
};
for (const [title, asks] of Object.entries(SCANS)) {
  test(title, async () => {
    const request = await bench.request(asks);
    const { page_count } = await assertOutcome(title, bench.scan(request));
    assert.is((await readdir(request.directory)).length, page_count);
    if (page_count !== 10) return;
    const { width_px, height_px, dpi } = bench.pages[0] ?? {};
    assert.equal([width_px, height_px, dpi, bench.pages.at(-1)?.number], [393, 393, 100, 10]);
  });
}

test('ends an aborted device search', async () => {
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

test('closing waits for scans only up to a limit', async () => {
  const bench = await createFakeBench({ scan: ENDLESS }, { finishMs: 200 });
  const page = bench.nextPage();
  const scanned = failure('scanner_runtime_unreachable', bench.scan(await bench.request()));
  await within(EVENT_MS, page, 'page 1');
  await within(EVENT_MS, bench.runtime.close(), 'the close');
  await scanned;
  await bench.close();
});

const read = (source?: string): ReturnType<typeof readOptions> =>
  readOptions(tool, 'test:0', source, NEVER);
const prepare = async (changes: Partial<ScanRequest>): ReturnType<typeof prepareScan> =>
  prepareScan(tool, 'test:0', await bench.request(changes), NEVER);
const refused = (asked: Promise<unknown>): Promise<Failure> =>
  failure('scan_option_rejected', asked);

test('without any device the list is empty', async () => {
  const none = path.join(config.path, 'none');
  await mkdir(none);
  await writeFile(path.join(none, 'dll.conf'), '\n');
  const env = programEnvironment({ SANE_CONFIG_DIR: none });
  assert.equal(await listDevices({ file: 'scanimage', env }, NEVER), []);
});

test('options are those of the source', async () => {
  assert.is(settable(await read(), 'source')?.current, 'Flatbed');
  assert.is(settable(await read(FEEDER), 'source')?.current, FEEDER);
});

test('a source in another case is refused although scanimage accepts it', async () => {
  assert.is((await refused(read(FEEDER.toLowerCase()))).facts['nearest'], FEEDER);
});

test('a source that scanimage refuses is refused with the list', async () => {
  assert.equal((await refused(read('ADF'))).facts['valid_values'], ['Flatbed', FEEDER]);
});

test('a missing device is reported', async () => {
  await failure('no_scanner_detected', readOptions(tool, 'test:9', undefined, NEVER));
  await failure('no_scanner_detected', prepareScan(tool, 'test:9', await bench.request(), NEVER));
});

test('an option activated by another one is accepted', async () => {
  const scanner_options = { 'read-delay': true, 'read-delay-duration': 2000 };
  const { options } = await prepare({ scanner_options });
  assert.ok(settable(options, 'read-delay-duration'));
});

test('an option that stays inactive is refused', async () => {
  const scanner_options = { 'three-pass': true };
  const { facts, message } = await refused(prepare({ scanner_options }));
  assert.is(facts['option'], 'three-pass');
  assert.match(message, 'inactive');
  await prepare({ mode: 'Color', scanner_options });
});

test('an option is refused without accessing the device again', async () => {
  const scanner_options = { 'read-delay': 'perhaps', 'read-delay-duration': 2000 };
  assert.is((await refused(prepare({ scanner_options }))).facts['option'], 'read-delay');
});
