import { assert, withFixture } from '../support/suite.ts';
import { createCable } from './cable.ts';
import {
  buttons,
  checkAccessible,
  createPageBench,
  press,
  says,
  takePicture,
} from './page-bench.ts';

const test = withFixture('the control page, which never says what has passed', async () => {
  const bench = await createPageBench();
  const cable = await createCable(bench.app.port);
  const close = async (): Promise<void> => {
    await cable.close();
    await bench.close();
  };
  return { ...bench, cable, close };
});

/** Longer than a press is sent. */
const AFTER_SENDING_MS = 31_000;

test('a press without a network is taken back, by 30 s', async ({ app, cable, feeder, open }) => {
  const page = await open(cable.address);
  await says(page, 'What are you scanning?');
  await page.clock.install();
  cable.cut();
  await press(page, /Letters and invoices/);
  await page.locator('#advice', { hasText: 'After 30 seconds it is not sent any more' }).waitFor();
  assert.equal(await buttons(page), ['Do not scan']);
  await takePicture(page, 'offline');
  await press(page, 'Do not scan');
  await page.locator('#connection').waitFor();
  await press(page, /Letters and invoices/);
  await page.locator('#advice', { hasText: 'After 30 seconds it is not sent any more' }).waitFor();
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

test('without a network a scan goes on, and the list returns', async ({ cable, feeder, open }) => {
  const page = await open(cable.address);
  await press(page, /Letters and invoices/);
  await feeder.feedPages(1);
  await page.getByText('1 page', { exact: true }).waitFor();
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

test('a scan that is opened is not said to start', async ({ cable, feeder, open }) => {
  const page = await open(cable.address);
  await press(page, /Letters and invoices/);
  await feeder.feedPages(1);
  feeder.end();
  await says(page, 'Filed');
  const seen = Promise.withResolvers<void>();
  await page.route(/\/scans\/[\w-]+$/, async (route) => {
    await seen.promise;
    await route.continue();
  });
  await page.reload();
  await says(page, 'One moment');
  await takePicture(page, 'opening');
  assert.not.match(await page.getByRole('status').innerText(), /Starting/);
  seen.resolve();
  await says(page, 'Filed');
});

test('who waits for the scanner is told when it is free', async ({ cable, feeder, open }) => {
  const first = await open(cable.address);
  await press(first, /Letters and invoices/);
  await feeder.feedPages(1);
  const second = await open(cable.address);
  await press(second, /Receipts/);
  await says(second, 'The scanner is in use');
  const feeding = 'Another stack is being fed, 1 page so far';
  await second.locator('#advice', { hasText: feeding }).waitFor();
  feeder.end('scanner_jammed');
  await says(first, 'Paper jam');
  await says(second, 'The scanner is free');
  assert.equal(await buttons(second), ['Scan now']);
  await checkAccessible(second);
  const third = await open(first.url());
  await press(third, /File only/);
  await says(first, 'Filed');
});

test('a new page leaves the others as they are', async ({ cable, feeder, open }) => {
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
  // Soon after it failed: each time that it fails, more time passes before it is asked for again.
  await page.locator('#page-1 img:not([src])').waitFor();
  await page.unroute('**/pages/1/preview');
  await feeder.feedPages(4);
  await page.getByText('5 pages', { exact: true }).waitFor();
  assert.is(await page.evaluate('moved'), 5);
  feeder.end();
  await says(page, 'Filed');
  await page.locator('#page-1 img[src]').waitFor();
});

/** More than fit on the screen. */
const MANY = 40;

test('a small phone has the buttons of a large stack', async ({ cable, feeder, open }) => {
  const page = await open(cable.address, { viewport: { width: 320, height: 480 } });
  await press(page, /Letters and invoices/);
  await feeder.feedPages(MANY);
  await page.getByText(`${MANY} pages`, { exact: true }).waitFor();
  const stop = await page.getByRole('button', { name: 'Stop after this sheet' }).boundingBox();
  assert.ok(stop && stop.y + stop.height <= 480, JSON.stringify(stop));
  await page
    .locator('#newest-number')
    .filter({ hasText: `Page ${MANY}` })
    .waitFor();
  await takePicture(page, 'forty-small');
  feeder.end('scanner_jammed');
  await says(page, 'Paper jam');
  const on = await page.getByRole('button', { name: 'Go on with the rest' }).boundingBox();
  assert.ok(on && on.y + on.height <= 480, JSON.stringify(on));
  const first = await page.getByRole('button', { name: 'Page 1', exact: true }).boundingBox();
  assert.ok(first && first.x >= 0 && first.y < 480, 'it begins with the first page');
  await press(page, /File only/);
  await says(page, 'Filed');
});
