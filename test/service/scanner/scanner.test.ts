import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../../../helpers/failure.ts';
import type { Device, RunningScan, ScanRequest } from '../../../helpers/ipc/messages.ts';
import {
  createScannerClient,
  type ScannerClient,
} from '../../../service/scanner/scanner-client.ts';
import {
  createScannerList,
  type ScannerListOptions,
} from '../../../service/scanner/scanner-list.ts';
import { createPart, type Part } from '../../support/appliance/part.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { pageBegins } from '../../support/fake-scanimage/page-begins.ts';
import {
  assert,
  EVENT_MS,
  failure,
  rejection,
  suite,
  temporaryDirectory,
  type TemporaryDirectory,
  within,
} from '../../support/suite.ts';

interface Context {
  directory: TemporaryDirectory;
  runtime: Part;
  client: ScannerClient;
  /** A client of the runtime that waits so long for the end of a scan that it cancelled. */
  clientWith: (cancelWaitMs: number) => ScannerClient;
  scans: number;
}

/** With a real scanner runtime and SANE's `test` backend, whose feeder holds ten sheets. */
const test = suite<Context>('the scanner as the service uses it');

/** Shorter than a page of `SLOW`, so that the tests need not wait for it. */
const CANCEL_WAIT_MS = 300;

/** A second a page, and more to start with. */
const SLOW = {
  'read-limit': true,
  'read-limit-size': 30_000,
  'read-delay': true,
  'read-delay-duration': 200_000,
};

test.before(async (context) => {
  context.directory = await temporaryDirectory();
  const [config, run] = ['sane.d', 'run'].map((name) => path.join(context.directory.path, name));
  if (config === undefined || run === undefined) throw new Error('two were named');
  await mkdir(config);
  await writeFile(path.join(config, 'dll.conf'), 'test\n');
  await mkdir(run, { mode: 0o700 });
  const socketPath = path.join(run, 'scanner.sock');
  const environment = { SCANNER_SOCKET: socketPath, SANE_CONFIG_DIR: config };
  context.runtime = createPart('the runtime', 'helpers/scanner/main.ts', () => environment);
  await context.runtime.start();
  const { log } = capturedLog();
  context.clientWith = (cancelWaitMs) => createScannerClient({ socketPath, log, cancelWaitMs });
  context.client = context.clientWith(CANCEL_WAIT_MS);
  context.scans = 0;
});
test.after(async ({ directory, runtime, client }) => {
  await client.close();
  await runtime.stop();
  await directory.remove();
});

const soon = (): AbortSignal => AbortSignal.timeout(EVENT_MS);

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
    scanner_options: SLOW,
    directory,
    first_page: 1,
    first_sheet: 1,
    ...changes,
  };
}

const scanWith = (
  client: ScannerClient,
  request: ScanRequest,
  signal = soon(),
): ReturnType<ScannerClient['scan']> => client.scan(request, { signal, onPage: () => {} });

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
  const patient = context.clientWith(EVENT_MS);
  const request = await requestIn(context);
  const deadline = new AbortController();
  const scanned = failure('timeout', scanWith(patient, request, deadline.signal));
  await within(EVENT_MS, pageBegins(request.directory, 2), 'page 2');
  deadline.abort(new Failure('timeout', 'The deadline passed.'));
  const { facts, message } = await scanned;
  assert.match(message, 'was stopped before the feeder was empty');
  assert.is(facts['page_count'], 2, 'the sheet on its way became a page');
  await patient.close();
});

test('gives up a runtime that does not react to a cancel', async (context) => {
  const { client, runtime } = context;
  const deadline = new AbortController();
  const request = await requestIn(context);
  const scanned = failure('timeout', scanWith(client, request, deadline.signal));
  await runtime.nextLine(/scan started/);
  runtime.freeze();
  const before = performance.now();
  deadline.abort(new Failure('timeout', 'The deadline passed.'));
  const { facts, message } = await within(EVENT_MS, scanned, 'the failure');
  const took = performance.now() - before;
  assert.ok(took >= CANCEL_WAIT_MS - 50, `${took} ms`);
  assert.is(message, 'The deadline passed.');
  assert.is(facts['page_count'], 0);
  const ended = runtime.nextLine(/scan ended/);
  runtime.thaw();
  await ended;
});

test('fails a scan at once when the runtime is killed, and works with the next one', async (context) => {
  const { client, runtime } = context;
  const unreachable = 'scanner_runtime_unreachable';
  const scanned = failure(unreachable, scanWith(client, await requestIn(context)));
  await runtime.nextLine(/scan started/);
  await runtime.stop('SIGKILL');
  assert.is((await within(EVENT_MS, scanned)).facts['page_count'], 0);
  await failure(unreachable, within(EVENT_MS, client.health(soon())));
  await runtime.start();
  await client.health(soon());
  const again = await requestIn(context, { max_pages: 2, scanner_options: {} });
  assert.is((await scanWith(client, again)).page_count, 2);
});

test('lists the scans that the runtime works on; one that is gone works on none', async (context) => {
  const { client, runtime } = context;
  const request = await requestIn(context, { max_pages: 1 });
  const stop = new AbortController();
  const scan = scanWith(client, request, stop.signal);
  const { directory, device } = request;
  assert.equal(await client.scanning(soon()), [{ directory, asked: device, device }]);
  stop.abort();
  await rejection(scan);
  await runtime.stop('SIGKILL');
  assert.equal(await client.scanning(soon()), []);
  await runtime.start();
  await client.health(soon());
});

const choice = suite('the scanners to choose from');

const FEEDER = { name: 'fake:0', vendor: 'ACME', model: 'Feeder', type: 'scanner' };
const SCAN: RunningScan = { directory: '/scans/1', asked: 'auto', device: 'fake:0' };

interface Scripted {
  readonly list: ReturnType<typeof createScannerList>;
  /** How often SANE was asked for its devices. */
  readonly looks: () => number;
  readonly scanning: RunningScan[];
  /** What SANE lists. */
  readonly devices: Device[];
  /** What profiles name; none but `fake:0` answers. */
  readonly named: string[];
}

function scripted(kept: Pick<ScannerListOptions, 'keptMs' | 'incompleteKeptMs'> = {}): Scripted {
  let looks = 0;
  const scanning: RunningScan[] = [];
  const devices = [FEEDER];
  const named = ['auto', 'fake:0'];
  const list = createScannerList({
    namedDevices: () => named,
    ...kept,
    scanner: {
      scanning: async () => scanning,
      listDevices: async () => {
        looks += 1;
        return [...devices];
      },
      describeDevice: async (device, source = 'Flatbed') => {
        if (device !== 'fake:0') throw new Failure('no_scanner_detected', 'It is off.');
        const resolutions = source === 'ADF' ? [300] : { min: 50, max: 600 };
        const sources = ['Flatbed', 'ADF'];
        return { device, sources, source, modes: ['Gray'], resolutions, options: [] };
      },
    },
  });
  return { list, looks: () => looks, scanning, devices, named };
}

choice(
  'have what each source offers, and devices that profiles name by their address',
  async () => {
    const { list, named } = scripted();
    named.push('net:printer:0');
    const { scanners } = await list(false);
    assert.equal(
      scanners.map(({ name, sources, problem }) => [name, sources.length, problem?.['error']]),
      [
        ['fake:0', 2, undefined],
        ['net:printer:0', 0, 'no_scanner_detected'],
      ],
    );
    const adf = scanners[0]?.sources[1];
    assert.equal([adf?.source, adf?.resolutions], ['ADF', [300]]);
  },
);

choice('are kept, until somebody asks anew or they are too old; callers share a look', async () => {
  const { list, looks } = scripted();
  await Promise.all([list(false), list(false)]);
  await list(false);
  assert.is(looks(), 1);
  await list(true);
  assert.is(looks(), 2);
  const old = scripted({ keptMs: 0 });
  await old.list(false);
  await old.list(false);
  assert.is(old.looks(), 2);
});

choice('are looked for sooner while there is none, or one lacks what it offers', async () => {
  const { list, looks, devices, named } = scripted({ incompleteKeptMs: 0 });
  devices.pop();
  named.pop();
  assert.equal((await list(false)).scanners, []);
  devices.push(FEEDER);
  named.push('net:printer:0');
  assert.is((await list(false)).scanners.length, 2);
  named.pop();
  assert.is((await list(false)).scanners.length, 1);
  await list(false);
  assert.is(looks(), 3);
});

choice('are never looked for while a scan runs: the last ones count, or it refuses', async () => {
  const { list, looks, scanning } = scripted();
  scanning.push(SCAN);
  await failure('scanner_busy', list(false));
  scanning.pop();
  const { looked_at } = await list(false);
  scanning.push(SCAN);
  assert.is((await list(true)).looked_at, looked_at);
  assert.is(looks(), 1);
});
