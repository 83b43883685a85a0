import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withFixture } from '../support/with-fixture.ts';
import { checkAccessible, createPageBench, press, says, takePicture } from './page-bench.ts';

const test = withFixture(suite('looking at the pages before they are filed'), () =>
  createPageBench(),
);

const SMALL = { viewport: { width: 320, height: 480 } };

async function held(
  { feeder, open }: Awaited<ReturnType<typeof createPageBench>>,
  context: Parameters<typeof open>[1] = {},
): Promise<Page> {
  const page = await open('/', context);
  await page.getByText('Title, tags, look before filing').click();
  await page.getByLabel('Look before filing, or add more paper').check();
  await press(page, /Letters and invoices/);
  await feeder.feedPages(3);
  feeder.end();
  await says(page, 'Not filed yet');
  return page;
}

/** The page that is seen large, once it says so. */
async function shows(page: Page, text: string): Promise<void> {
  await page.getByRole('dialog', { name: text }).waitFor();
}

test('a page is left out, turned, moved and begins a document, and the last edit is undone', async (bench) => {
  const page = await held(bench, SMALL);
  await press(page, /^Page 2/);
  await shows(page, 'Page 2 · 2 of 3');
  await checkAccessible(page);
  await takePicture(page, 'viewer');
  for (const one of await page.getByRole('dialog').getByRole('button').all()) {
    const box = await one.boundingBox();
    assert.ok(box && box.y + box.height <= 480 && box.x + box.width <= 320);
  }
  await press(page, 'Leave out');
  await shows(page, 'Page 2 · 2 of 3 · left out');
  await press(page, 'Undo');
  await shows(page, 'Page 2 · 2 of 3');
  await press(page, 'Leave out');
  await press(page, 'Next page');
  await shows(page, 'Page 3 · 3 of 3');
  await press(page, 'Move earlier');
  await shows(page, 'Page 3 · 2 of 3');
  await press(page, 'New document starts here');
  await page.getByRole('button', { name: 'No new document here' }).waitFor();
  await press(page, 'Turn');
  await page.locator('.stage .turned-90').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  assert.is(await page.evaluate('document.activeElement.parentElement.id'), 'page-3');
  await checkAccessible(page);
  await takePicture(page, 'held');
  await press(page, 'Finish and file');
  await says(page, 'Filed');
  const id = page.url().split('=')[1] ?? '';
  const { json } = await bench.app.send({ path: `/scans/${id}` });
  assert.equal(json?.['dropped_pages'], [{ page: 2, reason: 'person' }]);
  assert.equal(
    (json?.['documents'] as { pages: number[] }[] | undefined)?.map(({ pages }) => pages),
    [[1], [3]],
  );
});

test('the keys go from page to page, and the focus stays in the viewer', async (bench) => {
  const page = await held(bench);
  await page.getByRole('button', { name: /^Page 1/ }).focus();
  await page.keyboard.press('Enter');
  await shows(page, 'Page 1 · 1 of 3');
  await page.keyboard.press('ArrowRight');
  await shows(page, 'Page 2 · 2 of 3');
  await page.keyboard.press('ArrowLeft');
  await shows(page, 'Page 1 · 1 of 3');
  await page.mouse.move(300, 300);
  await page.mouse.down();
  await page.mouse.move(100, 300);
  await page.mouse.up();
  await shows(page, 'Page 2 · 2 of 3');
  for (let tabs = 0; tabs < 12; tabs += 1) {
    await page.keyboard.press('Tab');
    assert.not(await page.evaluate("document.activeElement.closest('main') !== null"));
  }
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  assert.is(await page.evaluate('document.activeElement.parentElement.id'), 'page-2');
});

test('an edit of a scan that was discarded meanwhile is refused, and the page says so', async (bench) => {
  const page = await held(bench);
  await press(page, /^Page 1/);
  await shows(page, 'Page 1 · 1 of 3');
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

test('a scan is discarded by a second press, and that is taken back', async (bench) => {
  const page = await held(bench);
  await press(page, 'Discard this scan');
  await press(page, 'Press again to confirm');
  await says(page, 'This scan was discarded');
  await checkAccessible(page);
  await press(page, 'Take it back: do not discard');
  await says(page, 'Not filed yet');
});

test.run();
