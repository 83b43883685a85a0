import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { assert } from '../support/suite.ts';
import {
  buttons,
  changeScan,
  checkAccessible,
  holdRequests,
  pageTests,
  press,
  says,
  SCAN,
  scanPages,
  takePicture,
  type PageBench,
} from './page-bench.ts';

const test = pageTests('reviewing pages before they are filed');

const SMALL = { viewport: { width: 320, height: 480 } };

async function held(
  { feeder, open }: PageBench,
  context: BrowserContextOptions = {},
): Promise<Page> {
  const page = await open('/', context);
  await page.getByLabel('Wait before filing').check();
  await scanPages(page, feeder, 3);
  await says(page, 'Not filed yet');
  return page;
}

async function shows(page: Page, text: string): Promise<void> {
  await page.getByRole('dialog', { name: text }).waitFor();
}

test('a page is left out, turned, moved and starts a document; the last edit is undone', async (bench) => {
  const page = await held(bench, SMALL);
  await press(page, /^Page 2/);
  await shows(page, 'Page 2 of 3');
  await takePicture(page, 'viewer-small');
  for (const one of await page.getByRole('dialog').getByRole('button').all()) {
    const box = await one.boundingBox();
    assert.ok(box && box.y + box.height <= 480 && box.x + box.width <= 320);
  }
  await press(page, 'Leave out');
  await shows(page, 'Page 2 of 3 · left out');
  await press(page, 'Undo');
  await shows(page, 'Page 2 of 3');
  await press(page, 'Leave out');
  await press(page, 'Next page');
  await shows(page, 'Page 3 of 3');
  await press(page, 'Move earlier');
  await shows(page, 'Page 2 of 3');
  await press(page, 'New document starts here');
  await page.getByRole('button', { name: 'No new document here' }).waitFor();
  await press(page, 'Turn');
  await page.locator('.stage .turned-90').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  assert.is(await page.evaluate('document.activeElement.parentElement.id'), 'page-3');
  await takePicture(page, 'held-small');
  await press(page, 'Finish and file');
  await says(page, 'Filed');
  const id = page.url().split('=')[1] ?? '';
  const { json } = await bench.app.send({ path: `/scans/${id}` });
  assert.equal(json?.['dropped_pages'], [{ page: 2, reason: 'person' }]);
  assert.equal(
    (json?.['documents'] as { pages: number[] }[] | undefined)?.map(({ pages }) => pages),
    [[1], [3]],
  );
  await page.getByRole('link', { name: 'All scans' }).click();
  await page.getByRole('link', { name: /· 2 pages · 2 documents/ }).waitFor();
});

const SCREENS = [
  { name: 'small-german', context: { ...SMALL, locale: 'de-DE' } },
  {
    name: 'desktop-dark',
    context: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
  },
] as const;

test('in German, on a small dark phone, nothing is cut off', async ({ feeder, open }) => {
  for (const { name, context } of SCREENS) {
    const page = await open('/', context);
    await page.locator('#hold').check();
    await press(page, /Letters and invoices/);
    await feeder.feedPages(3);
    feeder.end();
    await page.locator('#page-2.read').waitFor();
    await page.locator('#actions button').nth(3).waitFor();
    await takePicture(page, `held-${name}`);
    await page.locator('#page-2 button').click();
    await takePicture(page, `viewer-${name}`);
    const { width, height } = context.viewport;
    for (const one of await page.locator('.viewer button:visible, #actions button').all()) {
      const box = await one.boundingBox();
      assert.ok(box && box.y + box.height <= height && box.x + box.width <= width);
    }
    await page.context().close();
  }
});

test('arrow keys move from page to page, and focus stays in the viewer', async (bench) => {
  const page = await held(bench);
  await page.getByRole('button', { name: /^Page 1/ }).focus();
  await page.keyboard.press('Enter');
  await shows(page, 'Page 1 of 3');
  await page.keyboard.press('ArrowRight');
  await shows(page, 'Page 2 of 3');
  await page.keyboard.press('ArrowLeft');
  await shows(page, 'Page 1 of 3');
  await page.mouse.move(300, 300);
  await page.mouse.down();
  await page.mouse.move(100, 300);
  await page.mouse.up();
  await shows(page, 'Page 2 of 3');
  await takePicture(page, 'viewer');
  for (let tabs = 0; tabs < 12; tabs += 1) {
    await page.keyboard.press('Tab');
    assert.not(await page.evaluate("document.activeElement.closest('main') !== null"));
  }
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  assert.is(await page.evaluate('document.activeElement.parentElement.id'), 'page-2');
});

test('editing a scan that has been discarded fails with a message', async (bench) => {
  const page = await held(bench);
  await press(page, /^Page 1/);
  await shows(page, 'Page 1 of 3');
  const id = page.url().split('=')[1] ?? '';
  await bench.app.send({
    method: 'POST',
    path: `/scans/${id}/discard`,
    body: '{}',
    headers: { 'content-type': 'application/json' },
  });
  await press(page, 'Leave out');
  await page.getByRole('dialog').getByText('This scan was discarded').waitFor();
  await page.getByRole('button', { name: 'Leave out' }).waitFor({ state: 'hidden' });
});

test('discarding asks first and can be undone; a failure is shown next to the button', async (bench) => {
  const page = await held(bench);
  assert.equal(await buttons(page), [
    'Finish and file',
    'Add more pages',
    'Scan the backs',
    'Discard this scan',
  ]);
  await page.route('**/discard', (route) => route.abort());
  await press(page, 'Discard this scan');
  assert.is(await page.evaluate('document.activeElement.textContent'), 'Yes');
  await takePicture(page, 'discard');
  await page.keyboard.press('Escape');
  assert.is(await page.evaluate('document.activeElement.textContent'), 'Discard this scan');
  await press(page, 'Discard this scan');
  await press(page, 'Yes');
  await page.locator('#refusal', { hasText: 'The service does not answer' }).waitFor();
  await says(page, 'Not filed yet');
  await checkAccessible(page);
  await page.unroute('**/discard');
  await press(page, 'Discard this scan');
  await press(page, 'Yes');
  await says(page, 'What are you scanning?');
  await page.locator('#notice', { hasText: 'This scan was discarded' }).waitFor();
  await takePicture(page, 'discarded');
  await press(page, 'Take it back: do not discard');
  await says(page, 'Not filed yet');
  assert.is(await page.locator('#notice').textContent(), '');
  assert.is(await page.locator('#refusal').innerText(), '');
});

test('a scan that jammed shows nothing of that once it is discarded', async ({ feeder, open }) => {
  const page = await open();
  await press(page, /Letters and invoices/);
  await feeder.feedPages(2);
  feeder.end('scanner_jammed');
  await says(page, 'Paper jam');
  await press(page, 'Discard this scan');
  await press(page, 'Yes');
  await says(page, 'What are you scanning?');
  const item = page.getByRole('link', { name: /This scan was discarded/ });
  await item.waitFor();
  assert.is(await item.locator('.gone').count(), 1);
  assert.is(await page.locator('.bad, .wait').count(), 0, 'it does not wait for anybody');
  await item.click();
  await says(page, 'This scan was discarded');
  assert.is(await page.locator('.bad:visible, .wait:visible, .note').count(), 0);
  await checkAccessible(page);
  await press(page, 'Take it back: do not discard');
  await says(page, 'Paper jam');
});

test('backs are not offered for a scan from the glass', async (bench) => {
  const page = await held(bench);
  await changeScan(page, () => ({ kind: 'glass' }));
  await page.reload();
  await says(page, 'Not filed yet');
  assert.equal(await buttons(page), ['Finish and file', 'Add more pages', 'Discard this scan']);
});

/** Longer than the 10 seconds after which the page reloads a held scan. */
const AFTER_REFRESH_MS = 11_000;

test('an answer from before an edit does not revert the edit', async (bench) => {
  const page = await held(bench);
  await press(page, /^Page 1/);
  await press(page, 'Turn');
  await page.locator('.stage .turned-90').waitFor();
  await page.keyboard.press('Escape');
  await page.clock.install();
  const read = Promise.withResolvers<void>();
  const edited = Promise.withResolvers<void>();
  const late = Promise.withResolvers<void>();
  await page.route(
    SCAN,
    async (route) => {
      const response = await route.fetch();
      read.resolve();
      await edited.promise;
      await route.fulfill({ response });
      late.resolve();
    },
    { times: 1 },
  );
  await page.clock.fastForward(AFTER_REFRESH_MS);
  await read.promise;
  await press(page, /^Page 1/);
  await press(page, 'Leave out');
  await shows(page, 'Page 1 of 3 · left out');
  edited.resolve();
  await late.promise;
  // Holds back the next answer, which would hide a mistake that the late answer caused.
  const asked = Promise.withResolvers<void>();
  await page.route(SCAN, () => asked.resolve());
  await page.clock.fastForward(AFTER_REFRESH_MS);
  await asked.promise;
  assert.is(await page.locator('#viewer-title').innerText(), 'Page 1 of 3 · left out');
});

test('a press during an edit waits for it', async (bench) => {
  const page = await held(bench, SMALL);
  const letEdit = await holdRequests(page, /\/pages\/1$/);
  await press(page, /^Page 1/);
  await press(page, 'Turn');
  await press(page, 'Turn');
  letEdit();
  await page.locator('.stage .turned-180').waitFor();
});

test('a title can be set before filing; one that was only viewed is not sent', async (bench) => {
  const page = await held(bench);
  const field = page.getByLabel('Title');
  const before = await field.inputValue();
  const plain = page.waitForRequest(/\/resume$/);
  await page.route('**/resume', (route) => route.abort(), { times: 1 });
  await field.fill(` ${before} `);
  await press(page, 'Finish and file');
  assert.equal((await plain).postDataJSON(), {});
  await page.reload();
  await says(page, 'Not filed yet');
  await page.getByLabel('Title').fill('Bill of the joiner');
  const titled = page.waitForRequest(/\/resume$/);
  await press(page, 'Finish and file');
  assert.equal((await titled).postDataJSON(), { title: 'Bill of the joiner' });
  await says(page, 'Filed');
  await page.getByRole('heading', { name: 'Bill of the joiner' }).waitFor();
  const [upload] = bench.dms.uploads();
  assert.equal(upload?.fields.find(([name]) => name === 'title')?.[1], 'Bill of the joiner');
  await page.getByRole('link', { name: 'All scans' }).click();
  await page.getByRole('link', { name: /Bill of the joiner/ }).waitFor();
});

/** The height of the title that its text and its padding leave. */
const SPARE = `(() => {
  const field = document.getElementById('new-title');
  const { paddingTop, paddingBottom, lineHeight } = getComputedStyle(field);
  return field.clientHeight - [paddingTop, paddingBottom, lineHeight].map(parseFloat)
    .reduce((sum, length) => sum + length, 0);
})()`;

test('a long title is seen whole on a small phone, and stays one line', async (bench) => {
  const page = await held(bench, SMALL);
  const field = page.getByLabel('Title', { exact: true });
  await field.fill('One line');
  assert.ok((await page.evaluate<number>(SPARE)) < 3, 'one line is in the middle');
  await field.fill('Minutes of the allotment association\nof Grey Meadow, autumn meeting');
  assert.is(
    await field.inputValue(),
    'Minutes of the allotment association of Grey Meadow, autumn meeting',
  );
  assert.ok(
    await field.evaluate(
      (one: Record<'scrollHeight' | 'clientHeight' | 'scrollWidth' | 'clientWidth', number>) =>
        one.scrollHeight <= one.clientHeight && one.scrollWidth <= one.clientWidth,
    ),
  );
  await takePicture(page, 'long-title');
});

async function middleOf(part: Locator): Promise<number> {
  const box = await part.boundingBox();
  return box ? box.y + box.height / 2 : Number.NaN;
}

test('each of several waiting scans can be chosen', async (bench) => {
  const page = await held(bench);
  for (const count of [1, 2]) {
    await page.locator('#back').click();
    await scanPages(page, bench.feeder, count);
    await says(page, 'Not filed yet');
  }
  await page.locator('#back').click();
  const summary = page.locator('summary', { hasText: '3 scans wait for you' });
  assert.ok(Math.abs((await middleOf(summary)) - (await middleOf(summary.locator('strong')))) < 3);
  await summary.click();
  const waiting = page.locator('#running').getByRole('link');
  await waiting.nth(2).waitFor();
  await takePicture(page, 'three-wait');
  await page
    .getByRole('link', { name: /3 pages/ })
    .first()
    .click();
  await says(page, 'Not filed yet');
  assert.is(await page.locator('#pages li').count(), 3);
});

test('the next stack is scanned with the options chosen for this one', async (bench) => {
  const page = await held(bench);
  await changeScan(page, () => ({ asked_settings: { mode: 'Color' } }));
  await press(page, 'Finish and file');
  await says(page, 'Filed');
  await page.reload();
  await says(page, 'Filed');
  const scan = page.waitForRequest(/\/scan$/);
  await press(page, 'Scan the next stack');
  assert.equal((await scan).postDataJSON(), {
    profile: 'default',
    settings: { mode: 'Color' },
    hold: true,
  });
  bench.feeder.end('no_documents');
  await says(page, 'The feeder is empty');
});
