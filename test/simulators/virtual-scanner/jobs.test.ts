import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ScanJob } from '../../../simulators/virtual-scanner/scan-job.ts';
import { within } from '../../support/within.ts';
import { openJob, postJob, scanSettingsXml } from './escl-client.ts';
import { type Benches, startsBenches } from './scanning.ts';

const test = suite<Benches>('jobs of the virtual scanner');

startsBenches(test);

/** For what a test waits for, on a machine however busy. */
const EVENT_MS = 60_000;

const SETTINGS = {
  source: 'ADF',
  mode: 'Gray',
  resolution: 100,
  region: { x: 0, y: 0, width: 600, height: 900 },
  format: 'image/png',
} as const;

/** Slow enough that a request can be met while its sheet is on its way. */
const SLOW_SHEETS = 20;

test('the feeder keeps its pace: sheets come one period after another', async ({ start }) => {
  const bench = await start({ pagesPerMinute: 300 });
  bench.scanner.load(await bench.pages(50, 120, 200));
  const fedAt: number[] = [];
  const sentAt: number[] = [];
  bench.scanner.events.on('sheet', (sheet) => fedAt.push(sheet.fedAt));
  bench.scanner.events.on('page', (page) => sentAt.push(page.at));
  assert.is((await bench.scan('ADF')).pages.length, 3);
  assert.is(fedAt.length, 3);
  for (const [index, sent] of sentAt.entries()) {
    // Timers may fire up to a millisecond early.
    assert.ok(sent - (fedAt[index] ?? Infinity) >= 199, `page ${index + 1} came too early`);
  }
});

test('a client that asks at once gets the sheets exactly at the pace', () => {
  const job = new ScanJob(SETTINGS, { pagesPerMinute: 60, orphanAfterMs: 1000 });
  const first = job.startSheet();
  assert.is(Math.round(job.startSheet() - first), 1000);
});

test('a client that asks late gets one sheet that was fed ahead, and no more', async () => {
  const job = new ScanJob(SETTINGS, { pagesPerMinute: 6000, orphanAfterMs: 1000 });
  const first = job.startSheet();
  await job.sheetThrough(new AbortController().signal);
  const late = performance.now() + 50;
  while (performance.now() < late);
  const before = performance.now();
  const second = job.startSheet();
  assert.ok(second >= before - 10);
  assert.ok(second <= performance.now() - 10);
  assert.ok(second - first > 10);
});

test('a deleted job gives up the page on its way', async ({ start }) => {
  const bench = await start({ pagesPerMinute: SLOW_SHEETS });
  bench.scanner.load(await bench.pages(50));
  const job = await openJob(bench.scanner.url);
  const fed = once(bench.scanner.events, 'sheet');
  const page = fetch(`${job}/NextDocument`);
  await within(EVENT_MS, fed, 'the sheet');
  assert.is((await fetch(job, { method: 'DELETE' })).status, 200);
  assert.is((await page).status, 404);
  assert.is(bench.scanner.state.pagesSent, 0);
  assert.is((await fetch(job, { method: 'DELETE' })).status, 404);
  assert.is((await fetch(`${job}/NextDocument`)).status, 404);
});

test('a deleted job still hands over the page on its way, if the scanner is told so', async ({
  start,
}) => {
  const bench = await start({ pagesPerMinute: 300, onDelete: 'deliver' });
  bench.scanner.load(await bench.pages(50));
  const job = await openJob(bench.scanner.url);
  const fed = once(bench.scanner.events, 'sheet');
  const page = fetch(`${job}/NextDocument`);
  await within(EVENT_MS, fed, 'the sheet');
  assert.is((await fetch(job, { method: 'DELETE' })).status, 200);
  assert.is((await page).status, 200);
});

test('there is one job at a time', async ({ start }) => {
  const bench = await start();
  bench.scanner.load(await bench.pages(50));
  const job = await openJob(bench.scanner.url);
  assert.is((await postJob(bench.scanner.url)).status, 503);
  const status = await (await fetch(`${bench.scanner.url}/ScannerStatus`)).text();
  assert.match(status, '<pwg:State>Processing</pwg:State>');
  assert.match(status, `<pwg:JobUri>${new URL(job).pathname}</pwg:JobUri>`);
});

test('a job that ended without being deleted makes way for the next one', async ({ start }) => {
  const bench = await start();
  bench.scanner.load(await bench.pages(50));
  const job = await openJob(bench.scanner.url);
  assert.is((await fetch(`${job}/NextDocument`)).status, 200);
  assert.is((await fetch(`${job}/NextDocument`)).status, 404);
  bench.scanner.load(await bench.pages(50));
  const next = await openJob(bench.scanner.url);
  assert.is.not(next, job);
  assert.is((await fetch(`${next}/NextDocument`)).status, 200);
});

test('settings that the device does not have are refused', async ({ start }) => {
  const bench = await start();
  bench.scanner.load(await bench.pages(50));
  const body = scanSettingsXml({ XResolution: '250' });
  const response = await fetch(`${bench.scanner.url}/ScanJobs`, { method: 'POST', body });
  assert.is(response.status, 409);
  assert.is(bench.scanner.state.jobsOpened, 0);
});

test('a page image that cannot be read is told in the log, and fails the request', async ({
  start,
}) => {
  const messages: string[] = [];
  const bench = await start({
    pages: ['/nonexistent/page.png'],
    log: (message) => messages.push(message),
  });
  const job = await openJob(bench.scanner.url);
  assert.is((await fetch(`${job}/NextDocument`)).status, 500);
  assert.match(messages.join('\n'), '/nonexistent/page.png');
  assert.ok(messages.includes('POST /eSCL/ScanJobs'));
});

test.run();
