import { mkdir, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ScanRequest, FedStack } from '../../../helpers/ipc/messages.ts';
import {
  createScannerClient,
  type ScannerClient,
} from '../../../service/scanner/scanner-client.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { createPart, refusalOf, type Part } from '../../support/appliance/part.ts';
import { shippedPage } from '../../support/pages.ts';
import { REQUEST } from './device-samples.ts';
import { processesBelow, stillAlive } from '../../support/processes.ts';
import {
  createVirtualScanner,
  writeSaneConfig,
  type VirtualScanner,
} from '../../../simulators/virtual-scanner/virtual-scanner.ts';
import {
  type TemporaryDirectory,
  assert,
  failure,
  suite,
  temporaryDirectory,
  within,
} from '../../support/suite.ts';

interface Context {
  directory: TemporaryDirectory;
  scanner: VirtualScanner;
  environment: Record<string, string>;
  client: ScannerClient;
  runtime: Part;
}

const MAIN = 'helpers/scanner/main.ts';

/** The real chain: process, socket, scanimage, sane-airscan, and a virtual scanner with a sheet every 0.25 s. */
const test = suite<Context>('the scanner runtime as a process');

/** For what a test waits for, on a machine however busy. */
const EVENT_MS = 60_000;

const SHEETS = Array.from({ length: 8 }, () => shippedPage('invoice').file);

/** It drops no job of a scanimage that pauses between two pages, as one does on a busy machine. */
const SCANNER = { pages: SHEETS, pagesPerMinute: 240, orphanAfterMs: EVENT_MS };

/** A stack that is not through when a busy machine has noticed that it is to be stopped. */
const LARGE = Array.from({ length: 100 }, () => shippedPage('invoice').file);

test.before.each(async (context) => {
  context.directory = await temporaryDirectory();
  context.scanner = await createVirtualScanner(SCANNER);
  const config = path.join(context.directory.path, 'sane.d');
  await writeSaneConfig(config, [{ name: 'Virtual', url: context.scanner.url }]);
  const run = path.join(context.directory.path, 'run');
  await mkdir(run, { mode: 0o700 });
  const socketPath = path.join(run, 'scanner.sock');
  context.environment = { SCANNER_SOCKET: socketPath, SANE_CONFIG_DIR: config };
  context.client = createScannerClient({ socketPath, log: capturedLog().log });
  const { environment } = context;
  context.runtime = createPart('the runtime', MAIN, () => environment);
});
test.after.each(async ({ directory, scanner, client, runtime }) => {
  await client.close();
  await runtime.stop('SIGKILL');
  await scanner.close();
  await directory.remove();
});

async function requestIn({ directory }: Context, name = 'scan'): Promise<ScanRequest> {
  const scans = path.join(directory.path, name);
  await mkdir(scans);
  const places = { device: 'auto', source: 'ADF', directory: scans };
  return { ...REQUEST, ...places, resolution: 100, max_pages: 100 };
}

/** Process ids of what the runtime has started. */
function childrenOf(pid: number): number[] {
  return processesBelow([pid]).map((one) => one.pid);
}

/** Begins a scan and resolves when its second page came. */
async function scanning(
  { client }: Context,
  request: ScanRequest,
  signal = new AbortController().signal,
): Promise<{ scanned: Promise<FedStack>; pages: number[] }> {
  const pages: number[] = [];
  const second = Promise.withResolvers<void>();
  const onPage = ({ number }: { number: number }): void => {
    pages.push(number);
    if (number === 2) second.resolve();
  };
  const scanned = client.scan(request, { signal, onPage });
  scanned.catch(() => {});
  await within(EVENT_MS, Promise.race([second.promise, scanned]), 'page 2');
  return { scanned, pages };
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`at ${signal} finishes the stack, exits with 0 and leaves no child`, async (context) => {
    const { runtime } = context;
    await runtime.start();
    const request = await requestIn(context);
    const { scanned } = await scanning(context, request);
    const children = childrenOf(runtime.pid());
    assert.is(children.length, 1);
    const exit = runtime.stop(signal);
    assert.is((await scanned).page_count, SHEETS.length);
    assert.is(await exit, 0);
    assert.equal(await stillAlive(children), []);
    assert.is((await readdir(request.directory)).length, SHEETS.length);
    const { mode } = await stat(path.join(request.directory, 'page-0001.tif'));
    assert.is(mode & 0o777, 0o640, 'only its user and group can read a page');
    assert.equal(await readdir(path.dirname(context.environment['SCANNER_SOCKET'] ?? '')), []);
  });
}

test('at a second SIGTERM stops after the sheet on its way', async (context) => {
  context.scanner.load(LARGE);
  const { runtime } = context;
  await runtime.start();
  const request = await requestIn(context);
  const { scanned, pages } = await scanning(context, request);
  const stopping = runtime.nextLine(/stopping when the scans/);
  const pid = runtime.pid();
  const exit = runtime.stop();
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

test('stops the feeder after the sheet when the service goes away', async (context) => {
  context.scanner.load(LARGE);
  const { runtime } = context;
  await runtime.start();
  const request = await requestIn(context);
  const { scanned } = await scanning(context, request);
  const stopped = runtime.nextLine(/"msg":"scan ended"/);
  await context.client.close();
  await failure('scanner_runtime_unreachable', scanned);
  const { halt, pages }: { halt: string; pages: number } = JSON.parse(await stopped);
  assert.is(halt, 'stopped');
  assert.ok(pages >= 2 && pages < LARGE.length, `${pages} pages`);
  assert.is((await readdir(request.directory)).length, pages);
  assert.equal(childrenOf(runtime.pid()), []);
});

test('refuses to take the socket of one that runs', async (context) => {
  await context.runtime.start();
  assert.match(await refusalOf(MAIN, context.environment), 'Another scanner runtime');
  await context.client.health(AbortSignal.timeout(EVENT_MS));
});

test('says what is wrong with its environment, and exits with 1', async (context) => {
  context.environment['PAGE_TIMEOUT_SECONDS'] = 'soon';
  assert.match(await refusalOf(MAIN, context.environment), 'PAGE_TIMEOUT_SECONDS');
});

test('knows a scanner by its model also when another one has been scanning since the start', async (context) => {
  const other = await createVirtualScanner({ ...SCANNER, name: 'Other' });
  const names = [
    { name: 'Virtual', url: context.scanner.url },
    { name: 'Zweiter', url: other.url },
  ];
  await writeSaneConfig(context.environment['SANE_CONFIG_DIR'] ?? '', names);
  // A scan that names its device ends the look of the start.
  const listed = context.runtime.nextLine(/"event":"scanners_listed".*Zweiter/);
  await context.runtime.start();
  await listed;
  const first = { ...(await requestIn(context)), device: 'airscan:e0:Virtual' };
  const { scanned } = await scanning(context, first);
  const second = { ...(await requestIn(context, 'second')), device: 'zweiter' };
  const { scanned: both } = await scanning(context, second);
  assert.is((await both).page_count, SHEETS.length);
  await scanned;
  await other.close();
});
