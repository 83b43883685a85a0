import { once } from 'node:events';
import { Failure } from '../../../helpers/failure.ts';
import type { Device, RunningScan } from '../../../helpers/ipc/messages.ts';
import { createScannerClient } from '../../../service/scanner/scanner-client.ts';
import {
  createScannerList,
  type ScannerListOptions,
} from '../../../service/scanner/scanner-list.ts';
import { openBench, page } from '../../helpers/ipc/ipc-bench.ts';
import { REQUEST } from '../../helpers/scanner/device-samples.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { assert, EVENT_MS, failure, rejection, suite, withFixture } from '../../support/suite.ts';

const SCAN: RunningScan = { directory: '/scans/1', asked: 'auto', device: 'fake:0' };
const soon = (): AbortSignal => AbortSignal.timeout(EVENT_MS);

const NOTHING = { feeder: true, sides: [], modes: [], resolutions: [], options: [] };

// For requests, see helpers/ipc/requests; for a real runtime, integration/failures and
// fault/kill-matrix-runtime.
const test = withFixture('the scanner in the service', async (directory) => {
  const { serve, socket: socketPath, close } = await openBench(directory);
  const { log } = capturedLog();
  const client = createScannerClient({ socketPath, log, cancelWaitMs: EVENT_MS });
  return { serve, client, close: () => Promise.all([client.close(), close()]) };
});

test('describes the requested source', async ({ client, serve }) => {
  const found = { device: 'fake:0', sources: ['ADF'], ...NOTHING };
  await serve({ describe_device: async ({ source }) => ({ ...found, source }) });
  assert.is((await client.describeDevice('fake:0', 'ADF', soon())).source, 'ADF');
});

test('ends a scan with the final answer of the runtime when the deadline passes', async (bench) => {
  const { client, serve } = bench;
  const deadline = new AbortController();
  await serve({
    scan: async (_request, { signal, onPage }) => {
      onPage(page(1));
      deadline.abort(new Failure('timeout', 'The deadline passed.'));
      await once(signal, 'abort');
      onPage(page(2));
      throw new Failure('timeout', 'Stopped.', { facts: { page_count: 2 } });
    },
  });
  const pages: number[] = [];
  const onPage = ({ number }: { number: number }): void => void pages.push(number);
  const scanned = client.scan(REQUEST, { signal: deadline.signal, onPage });
  const { facts, message } = await failure('timeout', scanned);
  assert.equal([message, facts['page_count'], pages], ['Stopped.', 2, [1, 2]]);
});

test('works on the listed scans; a missing one has fed nothing, a failed one may have', async ({
  client,
  serve,
}) => {
  const [scanning, { facts }] = await Promise.all([
    client.scanning(soon()),
    failure(
      'scanner_runtime_unreachable',
      client.scan(REQUEST, { signal: soon(), onPage: () => {} }),
    ),
  ]);
  assert.equal([scanning, facts['page_count']], [[], 0]);
  const working = await serve({ health: async () => ({ status: 'ok', scanning: [SCAN] }) });
  await client.health(soon());
  assert.equal(await client.scanning(soon()), [SCAN]);
  await working.close();
  await serve({ health: () => Promise.reject(new Error('a bug')) });
  await rejection(client.scanning(soon()));
});

const choice = suite('the list of scanners');

const FEEDER = { name: 'fake:0', vendor: 'ACME', model: 'Feeder', type: 'scanner' };

interface Scripted {
  readonly list: ReturnType<typeof createScannerList>;
  readonly looks: () => number;
  readonly scanning: RunningScan[];
  readonly devices: Device[];
  /** Devices named in profiles; only `fake:0` answers. */
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
        return { ...NOTHING, device, sources, source, modes: ['Gray'], resolutions };
      },
    },
  });
  return { list, looks: () => looks, scanning, devices, named };
}

choice('has the offers of each source, and devices that profiles name by address', async () => {
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
});

choice('is cached until it is refreshed or too old; callers share a search', async () => {
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

choice('is refreshed sooner while it is empty or incomplete', async () => {
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

choice('is never refreshed during a scan: the last one counts, or it refuses', async () => {
  const { list, looks, scanning } = scripted();
  scanning.push(SCAN);
  await failure('scanner_busy', list(false));
  scanning.pop();
  const { looked_at } = await list(false);
  scanning.push(SCAN);
  assert.is((await list(true)).looked_at, looked_at);
  assert.is(looks(), 1);
});
