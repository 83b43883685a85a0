/**
 * How soon a button can be pressed on a phone with a slow processor. By hand, on an idle machine:
 * `node test/browser/by-hand/readiness.ts [SECONDS]` prints the median of eleven loads with an
 * empty cache. SECONDS keeps the page open for other tools.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { temporaryDirectory } from '../../support/suite.ts';
import { createPageBench, filePages, launch, openPage } from '../page-bench.ts';

const LOADS = 11;
const SLOWDOWN = 6;
/** Latency of a Wi-Fi network. */
const LATENCY_MS = 20;

/**
 * Measures from the start of navigation until the first button exists and the last long task has
 * ended.
 */
const OBSERVE = `
  globalThis.ready = 0;
  globalThis.busyUntil = 0;
  new MutationObserver(() => {
    if (ready === 0 && document.querySelector('button.profile')) ready = performance.now();
  }).observe(document, { childList: true, subtree: true });
  new PerformanceObserver((list) => {
    for (const task of list.getEntries()) busyUntil = task.startTime + task.duration;
  }).observe({ type: 'longtask', buffered: true });
`;

async function load(browser: Browser, address: string): Promise<[number, number]> {
  const page = await openPage(browser, 'about:blank');
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: LATENCY_MS,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
  await page.addInitScript(OBSERVE);
  await page.goto(address, { waitUntil: 'networkidle' });
  const [ready = 0, busy = 0] = await page.evaluate<number[]>(
    '[ready, Math.max(ready, busyUntil)]',
  );
  await page.context().close();
  return [ready, busy];
}

function median(values: readonly number[]): number {
  return Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0);
}

const directory = await temporaryDirectory();
const browser = await launch();
const bench = await createPageBench(browser, directory.path);
const address = `http://127.0.0.1:${bench.app.port}/`;
await filePages(await bench.open(), bench.feeder, 6);
const loads: [number, number][] = [];
for (let times = 0; times < LOADS; times += 1) loads.push(await load(browser, address));
const [ready, calm] = [0, 1].map((index) => median(loads.map((one) => one[index] ?? 0)));
process.stdout.write(
  `A button can be pressed after ${ready} ms; nothing holds it up after ${calm} ms.
Each: ${loads.map((one) => one.map(Math.round).join('/')).join(' ')}
${address}
`,
);
await wait(Number(process.argv[2] ?? 0) * 1000);
await bench.close();
await browser.close();
await directory.remove();
