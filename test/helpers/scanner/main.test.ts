import { mkdir, mkdtemp, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ScanRequest, FedStack } from '../../../helpers/ipc/messages.ts';
import {
  createScannerClient,
  type ScannerClient,
} from '../../../service/scanner/scanner-client.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { createPart, refusalOf } from '../../support/appliance/part.ts';
import { shippedPage } from '../../support/pages.ts';
import { REQUEST } from './device-samples.ts';
import { processesBelow, stillAlive } from '../../support/processes.ts';
import {
  createVirtualScanner,
  writeSaneConfig,
} from '../../../simulators/virtual-scanner/virtual-scanner.ts';
import {
  assert,
  EVENT_MS,
  failure,
  suite,
  temporaryDirectory,
  within,
} from '../../support/suite.ts';

const MAIN = 'helpers/scanner/main.ts';

/**
 * Real programs and virtual scanners that feed a sheet every 0.25 s. Tests share a runtime until
 * one stops it; each test has its own client.
 */
const test = suite('the scanner runtime as a process');

const sheets = (count: number): string[] =>
  Array.from({ length: count }, () => shippedPage('invoice').file);
const SHEETS = sheets(8);

/** Keeps the job of a scanimage that pauses between pages, as happens on a busy machine. */
const SCANNER = { pages: SHEETS, pagesPerMinute: 240, orphanAfterMs: EVENT_MS };

/** Enough sheets that the scanner is still feeding when a busy machine stops it. */
const LARGE = sheets(100);

const directory = await temporaryDirectory();
/** SANE lists them as Virtual and Zweiter. */
const scanner = await createVirtualScanner(SCANNER);
const other = await createVirtualScanner({ ...SCANNER, name: 'Other' });
const config = path.join(directory.path, 'sane.d');
await writeSaneConfig(config, [
  { name: 'Virtual', url: scanner.url },
  { name: 'Zweiter', url: other.url },
]);
const run = path.join(directory.path, 'run');
await mkdir(run, { mode: 0o700 });
const socketPath = path.join(run, 'scanner.sock');
const environment = { SCANNER_SOCKET: socketPath, SANE_CONFIG_DIR: config };
const runtime = createPart('the runtime', MAIN, () => environment);
let client: ScannerClient;

test.before.each(() => {
  scanner.load(SHEETS);
  client = createScannerClient({ socketPath, log: capturedLog().log });
});
test.after.each(() => client.close());
test.after(async () => {
  await runtime.stop('SIGKILL');
  await scanner.close();
  await other.close();
  await directory.remove();
});

async function requestIn(device = 'virtual'): Promise<ScanRequest> {
  const scans = await mkdtemp(path.join(directory.path, 'scan-'));
  const places = { device, source: 'ADF', directory: scans };
  return { ...REQUEST, ...places, resolution: 100, max_pages: 100 };
}

const NEVER = new AbortController().signal;

function childrenOf(pid: number): number[] {
  return processesBelow([pid]).map((one) => one.pid);
}

async function scanning(
  request: ScanRequest,
): Promise<{ scanned: Promise<FedStack>; pages: number[] }> {
  const pages: number[] = [];
  const second = Promise.withResolvers<void>();
  const onPage = ({ number }: { number: number }): void => {
    pages.push(number);
    if (number === 2) second.resolve();
  };
  const scanned = client.scan(request, { signal: NEVER, onPage });
  scanned.catch(() => {});
  await within(EVENT_MS, Promise.race([second.promise, scanned]), 'page 2');
  return { scanned, pages };
}

test('finds a scanner by its model even if another one has been scanning since the start', async () => {
  // A scan that names its device stops the search for devices at start.
  const listed = runtime.nextLine(/"event":"scanners_listed".*Zweiter/);
  await runtime.start();
  await listed;
  const first = await requestIn('airscan:e0:Virtual');
  const { scanned } = await scanning(first);
  const { scanned: both } = await scanning(await requestIn('zweiter'));
  assert.is((await both).page_count, SHEETS.length);
  await scanned;
});

test('at SIGTERM finishes the stack, accepts no new one, exits with 0 and leaves no child', async () => {
  const request = await requestIn();
  const { scanned } = await scanning(request);
  const children = childrenOf(runtime.pid());
  assert.is(children.length, 1);
  const stopping = runtime.nextLine(/stopping when the scans/);
  const exit = runtime.stop();
  await stopping;
  const late = client.scan(await requestIn(), { signal: NEVER, onPage: () => {} });
  await failure('scanner_runtime_unreachable', late);
  assert.is((await scanned).page_count, SHEETS.length);
  assert.is(await exit, 0);
  assert.equal(await stillAlive(children), []);
  assert.is((await readdir(request.directory)).length, SHEETS.length);
  const { mode } = await stat(path.join(request.directory, 'page-0001.tif'));
  assert.is(mode & 0o777, 0o640, 'only its user and group can read a page');
  assert.equal(await readdir(run), []);
});

test('at a signal after SIGINT stops after the current sheet', async () => {
  scanner.load(LARGE);
  await runtime.start();
  const request = await requestIn();
  const { scanned, pages } = await scanning(request);
  const stopping = runtime.nextLine(/stopping when the scans/);
  const pid = runtime.pid();
  const exit = runtime.stop('SIGINT');
  await stopping;
  process.kill(pid, 'SIGTERM');
  const { facts } = await failure('scanner_runtime_unreachable', scanned);
  assert.is(await exit, 0);
  const files = await readdir(request.directory);
  assert.is(facts['page_count'], files.length, 'every page on disk is reported');
  assert.is(pages.length, files.length);
  assert.ok(files.length < LARGE.length);
  assert.ok(files.every((name) => name.endsWith('.tif')));
});

test('reports errors in its environment, and exits with 1', async () => {
  const wrong = { ...environment, PAGE_TIMEOUT_SECONDS: 'soon' };
  assert.match(await refusalOf(MAIN, wrong), 'PAGE_TIMEOUT_SECONDS');
});
