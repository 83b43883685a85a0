import { setTimeout as wait } from 'node:timers/promises';
import type { Route } from 'playwright-core';
import { asAnOldBrowser } from '../support/old-browsers.ts';
import { assert, until } from '../support/suite.ts';
import type { TestApp } from '../support/test-app.ts';
import {
  buttons,
  changeScan,
  counts,
  filePages,
  holdRequests,
  pageTests,
  postsOf,
  press,
  says,
  SCAN,
  takePicture,
} from './page-bench.ts';

const test = pageTests('the control page shows no stale state and never sends twice');

/** Network outage in milliseconds. For longer: `CUT_MS=20000 npm test -- browser/connection`. */
const CUT_MS = Number(process.env['CUT_MS'] ?? 0);

/** Silence that lasts longer than the page waits for an event or an answer. */
const SILENT_MS = 30_000;

async function scanCount(app: TestApp): Promise<number> {
  const { json } = await app.send({ path: '/scans' });
  return Array.isArray(json?.['scans']) ? json['scans'].length : 0;
}

test('neither a reload nor a network outage loses anything', async ({
  app,
  cable,
  feeder,
  open,
}) => {
  const page = await open(cable.address);
  const posts = postsOf(page);
  await press(page, /Letters and invoices/);
  await feeder.feedPages(1);
  await counts(page, '1 page');
  cable.cut();
  await says(page, 'No connection. Trying again.');
  await feeder.feedPages(2);
  await wait(CUT_MS);
  cable.mend();
  await counts(page, '3 pages');
  await page.reload();
  await says(page, 'Scanning');
  await counts(page, '3 pages');
  await feeder.feedPages(1);
  await counts(page, '4 pages');
  cable.cut();
  feeder.end();
  await says(page, 'No connection. Trying again.');
  await wait(CUT_MS);
  cable.mend();
  await says(page, 'Filed');
  assert.is(await page.locator('#pages li').count(), 4);
  assert.is(posts.length, 1);
  assert.is(await scanCount(app), 1);
});

for (const file of ['main.js', 'style.css', 'texts/english.js', 'profiles']) {
  test(`a page that did not get ${file} loads it again`, async ({ cable, feeder, open }) => {
    const page = await open('about:blank');
    await page.route(`**/${file}`, (route) => route.abort(), { times: 1 });
    const isLost = page.waitForEvent('requestfailed');
    const isThere = page.waitForResponse(`**/${file}`);
    await page.goto(cable.address);
    await isLost;
    cable.cut();
    await wait(CUT_MS);
    cable.mend();
    await isThere;
    await says(page, 'What are you scanning?');
    await filePages(page, feeder);
  });
}

test('a press without a network scans once the network is back', async ({
  app,
  cable,
  feeder,
  open,
}) => {
  const page = await open(cable.address);
  await says(page, 'What are you scanning?');
  cable.cut();
  await press(page, /Letters and invoices/);
  await says(page, 'No connection. Trying again.');
  cable.mend();
  await feeder.feedPages(1);
  feeder.end();
  await says(page, 'Filed');
  assert.is(await scanCount(app), 1);
});

test('the page notices a silent or lost network', async ({ app, cable, feeder, open }) => {
  const page = await open(cable.address);
  const posts = postsOf(page);
  await page.clock.install();
  await press(page, /Letters and invoices/);
  await feeder.feedPages(1);
  await counts(page, '1 page');
  cable.stall();
  await feeder.feedPages(1);
  await wait(CUT_MS);
  const isRead = page.waitForRequest(/scans\/[\w-]+$/);
  await page.clock.fastForward(SILENT_MS);
  await isRead;
  await page.clock.fastForward(SILENT_MS);
  await says(page, 'No connection. Trying again.');
  cable.mend();
  await counts(page, '2 pages');
  await page.context().setOffline(true);
  await says(page, 'No connection. Trying again.');
  await feeder.feedPages(1);
  await wait(CUT_MS);
  await page.context().setOffline(false);
  await counts(page, '3 pages');
  feeder.end();
  await says(page, 'Filed');
  assert.is(posts.length, 1);
  assert.is(await scanCount(app), 1);
});

/** The service receives the request, but its answer is lost. */
async function lose(route: Route): Promise<void> {
  await route.fetch();
  await route.abort();
}

test('a press whose answer was lost shows its scan', async ({ app, cable, feeder, open }) => {
  const page = await open(cable.address);
  await says(page, 'What are you scanning?');
  await page.route('**/scan', lose, { times: 1 });
  await filePages(page, feeder);
  assert.is(await scanCount(app), 1);
});

test('a document is sent again only once, even if the answer was lost', async ({
  dms,
  feeder,
  open,
}) => {
  const page = await open();
  dms.setFault({ kind: 'failed_task', reason: 'disk full' }, 1);
  await filePages(page, feeder);
  await dms.idle();
  // The next upload creates a task that never runs: the task alone shows that the document arrived.
  dms.setFault({ kind: 'lost_task' });
  await page.route('**/resume', lose, { times: 1 });
  await page.locator('.menu summary').click();
  await press(page, 'Send it again');
  const isLost = page.waitForEvent('requestfailed', (request) => request.method() === 'POST');
  await press(page, 'Yes');
  await isLost;
  await page.waitForResponse(SCAN);
  await says(page, 'Filed');
  assert.is(dms.uploads().length, 2);
});

/** A browser of 2022, in a window without storage. */
const OLD_BROWSER = `
  ${asAnOldBrowser()}
  Object.defineProperty(window, 'localStorage', { get: () => { throw new DOMException('blocked', 'SecurityError'); } });
`;

/** The values of members that only newer browsers have. */
const LACKED = `[
  AbortSignal.any, Array.prototype.at, Array.prototype.findLast, Array.prototype.toSorted, Object.groupBy, Promise.withResolvers,
  globalThis.structuredClone, HTMLDialogElement.prototype.showModal,
].filter((one) => one !== undefined)`;

test('an old browser without storage can scan', async ({ app, cable, feeder, open }) => {
  const page = await open('about:blank');
  await page.addInitScript(OLD_BROWSER);
  await page.goto(cable.address);
  assert.equal(await page.evaluate(LACKED), []);
  // A page that uses a missing feature reports a lost connection instead of sending the request.
  const outcome = Promise.race([
    page.waitForRequest((request) => request.method() === 'POST').then(() => 'sent'),
    says(page, 'No connection. Trying again.').then(() => 'lost'),
  ]);
  await press(page, /Letters and invoices/);
  assert.is(await outcome, 'sent');
  await feeder.feedPages(1);
  feeder.end();
  await says(page, 'Filed');
  assert.is(await scanCount(app), 1);
});

test('a page that was fed again is marked, and a turned one is upright', async ({
  cable,
  feeder,
  open,
}) => {
  const page = await open(cable.address);
  await filePages(page, feeder);
  const fed = { page: 1, sheet: 1, side: 'back', turned: 90.4, dropped: 'replaced' };
  const edited = { left_out: false, turn: 0, starts_document: false };
  await changeScan(page, () => ({ page_states: [{ ...fed, ...edited }] }));
  await page.reload();
  await page.getByText('Page 1: scanned again, left out', { exact: true }).waitFor();
  assert.is(await page.locator('#pages img.turned-90').count(), 1);
});

/** Counts held locks, in a page that is reported as visible. */
const COUNT_LOCKS = `
  globalThis.locks = 0;
  navigator.wakeLock.request = async () => {
    locks += 1;
    return { release: async () => void (locks -= 1) };
  };
`;

test('the screen stays on during a scan, even after it was locked', async ({
  cable,
  feeder,
  open,
}) => {
  const page = await open('about:blank');
  await page.addInitScript(COUNT_LOCKS);
  await page.goto(cable.address);
  await press(page, /Letters and invoices/);
  await feeder.feedPages(1);
  await counts(page, '1 page');
  assert.is(await page.evaluate('locks'), 1);
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  assert.is(await page.evaluate('locks'), 2);
  feeder.end();
  await says(page, 'Filed');
  // The lock ends with the call's answer, which follows the page's message about the scan.
  await until(async () => (await page.evaluate('locks')) === 0, 'the end of the lock');
});

/** Milliseconds after a press when the page no longer retries it. */
const AFTER_SENDING_MS = 31_000;

test('a press without a network is cancelled after 30 s', async ({ app, cable, feeder, open }) => {
  const page = await open(cable.address);
  await says(page, 'What are you scanning?');
  await page.clock.install();
  cable.cut();
  await press(page, /Letters and invoices/);
  await page.locator('#advice', { hasText: 'After 30 seconds it is no longer sent' }).waitFor();
  assert.equal(await buttons(page), ['Do not scan']);
  await takePicture(page, 'offline');
  await press(page, 'Do not scan');
  await page.locator('#connection').waitFor();
  await press(page, /Letters and invoices/);
  await page.locator('#advice', { hasText: 'After 30 seconds it is no longer sent' }).waitFor();
  await page.clock.fastForward(AFTER_SENDING_MS);
  await says(page, 'No connection. Trying again.');
  cable.mend();
  await page.evaluate("dispatchEvent(new Event('online'))");
  await says(page, 'No answer from the service');
  await takePicture(page, 'not-answered');
  const { json } = await app.send({ path: '/scans' });
  assert.equal(json?.['scans'], []);
  await press(page, 'Try again');
  await feeder.feedPages(1);
  feeder.end();
  await says(page, 'Filed');
});

test('a scan continues without a network, and the list returns', async ({
  cable,
  feeder,
  open,
}) => {
  const page = await open(cable.address);
  await press(page, /Letters and invoices/);
  await feeder.feedPages(1);
  await counts(page, '1 page');
  cable.cut();
  await page.locator('#advice', { hasText: 'The scan goes on without this page' }).waitFor();
  assert.equal(await buttons(page), []);
  await takePicture(page, 'offline-scan');
  await page.getByRole('link', { name: 'All scans' }).click();
  await page.locator('#connection').waitFor();
  await takePicture(page, 'offline-home');
  cable.mend();
  await page.getByRole('link', { name: /Scanning/ }).waitFor();
  assert.not(await page.locator('#connection').isVisible());
  await feeder.feedPages(1);
  await page.getByRole('link', { name: /2 pages/ }).waitFor();
  feeder.end();
  await page.getByRole('link', { name: /2 pages.*Filed/ }).waitFor();
});

test('opening a scan does not announce that it starts', async ({ cable, feeder, open }) => {
  const page = await open(cable.address);
  await filePages(page, feeder);
  const answer = await holdRequests(page, SCAN);
  await page.reload();
  await says(page, 'One moment');
  await takePicture(page, 'opening');
  assert.not.match(await page.getByRole('status').innerText(), /Starting/);
  answer();
  await says(page, 'Filed');
});

test('a new page does not change the others', async ({ cable, feeder, open }) => {
  const page = await open(cable.address, { reducedMotion: 'no-preference' });
  await page.route('**/pages/1/preview', (route) => route.abort());
  await page.evaluate(`
    globalThis.moved = 0;
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) moved += addedNodes.length;
    }).observe(document.getElementById('pages'), { childList: true });
  `);
  await press(page, /Letters and invoices/);
  await feeder.feedPages(1);
  // Lets the preview load again soon, since the page retries at growing intervals.
  await page.locator('#page-1 img:not([src])').waitFor();
  await page.unroute('**/pages/1/preview');
  await feeder.feedPages(4);
  await counts(page, '5 pages');
  assert.is(await page.evaluate('moved'), 5);
  feeder.end();
  await says(page, 'Filed');
  await page.locator('#page-1 img[src]').waitFor();
});

const MANY = 16;

test('a small phone shows the buttons of a large stack', async ({ cable, feeder, open }) => {
  const page = await open(cable.address, { viewport: { width: 320, height: 480 } });
  await press(page, /Letters and invoices/);
  await feeder.feedPages(MANY);
  await counts(page, `${MANY} pages`);
  const stop = await page.getByRole('button', { name: 'Stop after this sheet' }).boundingBox();
  assert.ok(stop && stop.y + stop.height <= 480, JSON.stringify(stop));
  await page.locator('#newest-number', { hasText: `Page ${MANY}` }).waitFor();
  await takePicture(page, 'many-small');
  feeder.end('scanner_jammed');
  await says(page, 'Paper jam');
  const on = await page.getByRole('button', { name: 'Go on with the rest' }).boundingBox();
  assert.ok(on && on.y + on.height <= 480, JSON.stringify(on));
  const first = await page.getByRole('button', { name: 'Page 1', exact: true }).boundingBox();
  assert.ok(first && first.x >= 0 && first.y < 480, 'it begins with the first page');
  await press(page, /File only/);
  await says(page, 'Filed');
});
