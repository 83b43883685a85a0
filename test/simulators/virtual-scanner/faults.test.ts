import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { VirtualScannerOptions } from '../../../simulators/virtual-scanner/virtual-scanner.ts';
import { within } from '../../support/within.ts';
import { openJob, postJob } from './escl-client.ts';
import { type Benches, type ScanBench, startsBenches } from './scanning.ts';

/** What scanimage and the scanner runtime make of each fault is in test/helpers/scanner/airscan.test.ts. */
const test = suite<Benches>('faults of the virtual scanner');

startsBenches(test);

/** For what a test waits for, on a machine however busy. */
const EVENT_MS = 60_000;

/** A scanner with four sheets in its feeder. */
async function startLoaded(
  start: Benches['start'],
  options?: VirtualScannerOptions,
): Promise<ScanBench> {
  const bench = await start(options);
  bench.scanner.load(await bench.pages(50, 100, 150, 200));
  return bench;
}

for (const [where, method, path] of [
  ['capabilities', 'GET', 'ScannerCapabilities'],
  ['post', 'POST', 'ScanJobs'],
] as const) {
  test(`${method} ${path} that hangs is never answered`, async ({ start }) => {
    const bench = await startLoaded(start);
    bench.scanner.setFault({ kind: 'hang', where });
    const client = new AbortController();
    const asked = once(bench.scanner.events, 'request');
    const { signal } = client;
    const answer = fetch(`${bench.scanner.url}/${path}`, { method, signal }).then(
      ({ status }) => status,
      (error: unknown) => (error instanceof Error ? error.name : error),
    );
    await within(EVENT_MS, asked, 'the request');
    // Other requests are answered meanwhile.
    assert.is((await fetch(`${bench.scanner.url}/ScannerStatus`)).status, 200);
    client.abort();
    assert.is(await answer, 'AbortError');
    assert.is(bench.scanner.state.jobsOpened, 0);
  });
}

test('a device that stays busy says so every time', async ({ start }) => {
  const bench = await startLoaded(start);
  bench.scanner.setFault({ kind: 'busy' });
  for (let time = 0; time < 3; time += 1) {
    assert.is((await postJob(bench.scanner.url)).status, 503);
  }
});

test('a page that hangs in the middle has begun, and its sheet is gone', async ({ start }) => {
  const bench = await startLoaded(start, { orphanAfterMs: 1000 });
  bench.scanner.setFault({ kind: 'hang', where: 'midBody', atPage: 1 });
  const closed = once(bench.scanner.events, 'closed');
  const job = await openJob(bench.scanner.url);
  const client = new AbortController();
  const response = await fetch(`${job}/NextDocument`, { signal: client.signal });
  const announced = Number(response.headers.get('content-length'));
  let received = 0;
  for await (const chunk of response.body ?? []) {
    received += chunk.length;
    if (received >= Math.floor(announced / 2)) break;
  }
  client.abort();
  assert.is(received, Math.floor(announced / 2));
  const [{ by }] = await within(EVENT_MS, closed, 'the end of the job');
  assert.is(by, 'orphan');
  assert.is(bench.scanner.state.pagesSent, 0);
  assert.is(bench.scanner.state.sheetsFed, 1);
});

test('after a jam no scan starts until the paper was taken out', async ({ start }) => {
  const bench = await startLoaded(start);
  bench.scanner.setFault({ kind: 'jam', atPage: 2 });
  assert.is((await bench.scan('ADF')).exitCode, 6);
  assert.is((await bench.scan('ADF')).pages.length, 0);
  assert.is(bench.scanner.state.jobsOpened, 1);
  bench.scanner.setFault(null);
  const { exitCode, pages } = await bench.scan('ADF');
  assert.is(exitCode, 0);
  assert.is(pages.length, 3);
});

test('a misfeed is over with the next scan', async ({ start }) => {
  const bench = await startLoaded(start);
  bench.scanner.setFault({ kind: 'mispick', atPage: 3 });
  assert.is((await bench.scan('ADF')).pages.length, 2);
  assert.is(bench.scanner.state.adfState, 'ScannerAdfMispick');
  assert.is((await bench.scan('ADF')).pages.length, 2);
  assert.is(bench.scanner.state.adfState, 'ScannerAdfEmpty');
});

test('a feeder that waits feeds the next sheet when it is told to go on', async ({ start }) => {
  const bench = await startLoaded(start);
  bench.scanner.setFault({ kind: 'wait', atPage: 3 });
  const waits = once(bench.scanner.events, 'fault');
  const scan = bench.scan('ADF');
  await Promise.race([waits, scan]);
  assert.is(bench.scanner.state.sheetsFed, 2);
  bench.scanner.setFault(null);
  assert.is((await scan).pages.length, 4);
});

test('a feeder that waits may jam then, and a client that goes away loses no sheet', async ({
  start,
}) => {
  const bench = await startLoaded(start);
  bench.scanner.setFault({ kind: 'wait', atPage: 2 });
  const waits = once(bench.scanner.events, 'fault');
  const scan = bench.scan('ADF');
  await Promise.race([waits, scan]);
  bench.scanner.setFault({ kind: 'jam', atPage: 2 });
  assert.is((await scan).exitCode, 6);
  bench.scanner.setFault({ kind: 'wait' });
  const job = await openJob(bench.scanner.url);
  const waitsAgain = once(bench.scanner.events, 'fault');
  const client = new AbortController();
  const page = fetch(`${job}/NextDocument`, { signal: client.signal }).catch(() => {});
  await waitsAgain;
  client.abort();
  await page;
  bench.scanner.dropJob();
  assert.is(bench.scanner.state.scanning, false);
  assert.is(bench.scanner.state.sheetsFed, 1);
});

test('a fault may be set while a scan runs', async ({ start }) => {
  const bench = await startLoaded(start);
  bench.scanner.events.once('page', () => {
    bench.scanner.setFault({ kind: 'jam', atPage: 3 });
  });
  assert.is((await bench.scan('ADF')).exitCode, 6);
});

test('a duplex scan that jams on the back keeps the front', async ({ start }) => {
  const bench = await startLoaded(start);
  bench.scanner.setFault({ kind: 'jam', atPage: 2 });
  const { exitCode, pages } = await bench.scan('ADF Duplex');
  assert.is(exitCode, 6);
  assert.is(pages.length, 1);
});

test.run();
