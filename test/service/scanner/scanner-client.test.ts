import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../../../helpers/failure.ts';
import type { ScanRequest } from '../../../helpers/ipc/messages.ts';
import {
  createScannerClient,
  type ScannerClient,
} from '../../../service/scanner/scanner-client.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { createPart, type Part } from '../../support/appliance/part.ts';
import { pageBegins } from '../../support/fake-scanimage/page-begins.ts';
import {
  type TemporaryDirectory,
  assert,
  failure,
  rejection,
  suite,
  temporaryDirectory,
  within,
} from '../../support/suite.ts';

interface Context {
  directory: TemporaryDirectory;
  socketPath: string;
  environment: Record<string, string>;
  runtime: Part;
  client: ScannerClient;
  scans: number;
}

/** With a real scanner runtime and SANE's `test` backend, whose feeder holds ten sheets. */
const test = suite<Context>('the scanner as the service uses it');

test.before(async (context) => {
  context.directory = await temporaryDirectory();
  const config = path.join(context.directory.path, 'sane.d');
  await mkdir(config);
  await writeFile(path.join(config, 'dll.conf'), 'test\n');
  const run = path.join(context.directory.path, 'run');
  await mkdir(run, { mode: 0o700 });
  context.socketPath = path.join(run, 'scanner.sock');
  context.environment = { SCANNER_SOCKET: context.socketPath, SANE_CONFIG_DIR: config };
  context.runtime = createPart('the runtime', 'helpers/scanner/main.ts', () => context.environment);
  await context.runtime.start();
  const { log } = capturedLog();
  context.client = createScannerClient({
    socketPath: context.socketPath,
    log,
    cancelWaitMs: CANCEL_WAIT_MS,
  });
  context.scans = 0;
});
test.after(async ({ directory, runtime, client }) => {
  await client.close();
  await runtime.stop();
  await directory.remove();
});

/** For what a test waits for, on a machine however busy. */
const EVENT_MS = 60_000;

/** Shorter than a page of `SLOW`, so that the tests need not wait for it. */
const CANCEL_WAIT_MS = 1000;

const soon = (): AbortSignal => AbortSignal.timeout(EVENT_MS);
/** Some seconds a page. */
const SLOW = {
  'read-limit': true,
  'read-limit-size': 8000,
  'read-delay': true,
  'read-delay-duration': 200_000,
};

async function requestIn(
  context: Context,
  changes: Partial<ScanRequest> = {},
): Promise<ScanRequest> {
  context.scans += 1;
  const directory = path.join(context.directory.path, `scan-${context.scans}`);
  await mkdir(directory);
  return {
    device: 'test:0',
    source: 'Automatic Document Feeder',
    mode: 'Gray',
    resolution: 100,
    page_size: { width_mm: 100, height_mm: 100 },
    max_pages: 100,
    scanner_options: {},
    directory,
    first_page: 1,
    first_sheet: 1,
    ...changes,
  };
}

test('is listed and described', async ({ client }) => {
  const devices = await client.listDevices(soon());
  assert.equal(
    devices.map(({ name }) => name),
    ['test:0', 'test:1'],
  );
  const description = await client.describeDevice('test:0', undefined, soon());
  assert.equal(description.sources, ['Flatbed', 'Automatic Document Feeder']);
  assert.is(description.source, 'Flatbed');
  const feeder = await client.describeDevice('test:0', 'Automatic Document Feeder', soon());
  assert.is(feeder.source, 'Automatic Document Feeder');
  await failure('scan_option_rejected', client.describeDevice('test:0', 'ADF', soon()));
});

test('ends a scan with the word of the runtime when the deadline passes', async (context) => {
  const { log } = capturedLog();
  const patient = createScannerClient({
    socketPath: context.socketPath,
    log,
    cancelWaitMs: EVENT_MS,
  });
  const scanner_options = { ...SLOW, 'read-limit-size': 20_000 };
  const request = await requestIn(context, { scanner_options });
  const deadline = new AbortController();
  const scanned = failure(
    'timeout',
    patient.scan(request, { signal: deadline.signal, onPage: () => {} }),
  );
  await within(EVENT_MS, pageBegins(request.directory, 2), 'page 2');
  deadline.abort(new Failure('timeout', 'The deadline passed.'));
  const { facts, message } = await scanned;
  assert.match(message, 'was stopped before the feeder was empty');
  assert.is(facts['page_count'], 2, 'the sheet on its way became a page');
  await patient.close();
});

test('gives up a runtime that does not react to a cancel', async (context) => {
  const request = await requestIn(context, { scanner_options: SLOW });
  const deadline = new AbortController();
  const scanned = failure(
    'timeout',
    context.client.scan(request, { signal: deadline.signal, onPage: () => {} }),
  );
  await context.runtime.nextLine(/scan started/);
  context.runtime.freeze();
  const before = performance.now();
  deadline.abort(new Failure('timeout', 'The deadline passed.'));
  const { facts, message } = await within(EVENT_MS, scanned, 'the failure');
  const took = performance.now() - before;
  assert.ok(took >= CANCEL_WAIT_MS - 50, `${took} ms`);
  assert.is(message, 'The deadline passed.');
  assert.is(facts['page_count'], 0);
  const ended = context.runtime.nextLine(/scan ended/);
  context.runtime.thaw();
  await ended;
});

test('fails a scan at once when the runtime is killed, and works with the next one', async (context) => {
  const request = await requestIn(context, { scanner_options: SLOW });
  const scanned = failure(
    'scanner_runtime_unreachable',
    context.client.scan(request, { signal: soon(), onPage: () => {} }),
  );
  await context.runtime.nextLine(/scan started/);
  await context.runtime.stop('SIGKILL');
  const { facts } = await within(EVENT_MS, scanned);
  assert.is(facts['page_count'], 0);
  await failure('scanner_runtime_unreachable', within(EVENT_MS, context.client.health(soon())));
  await context.runtime.start();
  await context.client.health(soon());
  const again = await requestIn(context, { max_pages: 2 });
  const { page_count } = await context.client.scan(again, { signal: soon(), onPage: () => {} });
  assert.is(page_count, 2);
});

test('lists the scans that the runtime works on; one that is gone works on none', async (context) => {
  const request = await requestIn(context, { scanner_options: SLOW, max_pages: 1 });
  const stop = new AbortController();
  const scan = context.client.scan(request, { signal: stop.signal, onPage: () => {} });
  const { directory, device } = request;
  assert.equal(await context.client.scanning(soon()), [{ directory, asked: device, device }]);
  stop.abort();
  await rejection(scan);
  await context.runtime.stop('SIGKILL');
  assert.equal(await context.client.scanning(soon()), []);
  await context.runtime.start();
  await context.client.health(soon());
});
