import type { Page } from 'playwright-core';
import type { FailureCode } from '../../helpers/failure.ts';
import { assert } from '../support/suite.ts';
import {
  buttons,
  pageTests,
  press,
  says,
  scanPages,
  takePicture,
  type PageBench,
} from './page-bench.ts';

const test = pageTests('a page that is scanned again before it is filed');

const [ADF, GLASS] = [
  { source: 'ADF', kind: 'feeder' },
  { source: 'Flatbed', kind: 'glass' },
];

/** Opens the second page of a held scan of three. The scanner has `sources`. */
async function opened(
  { feeder, open }: PageBench,
  sources: readonly object[],
  context: Parameters<PageBench['open']>[1] = {},
): Promise<Page> {
  const page = await open('/', context);
  await page.route('**/scanners', (route) =>
    route.fulfill({ json: { scanners: [{ profiles: ['default'], choices: sources }] } }),
  );
  await page.locator('#hold').check();
  await scanPages(page, feeder, 3);
  await page.locator('#actions button').nth(2).waitFor();
  await page.locator('#page-2 button').click();
  return page;
}

/** The request's body without the id of the scan. */
async function scanAgain(page: Page, from: string): Promise<object> {
  const scan = page.waitForRequest(/\/scan$/);
  await press(page, from);
  const { continue_scan: id, ...asked } = (await scan).postDataJSON() as Record<string, unknown>;
  assert.is(id, page.url().split('=')[1]);
  return asked;
}

test('it is scanned from the chosen source and shown in place of the old page, which can be restored', async (bench) => {
  const page = await opened(bench, [ADF, GLASS]);
  await press(page, 'Scan this page again');
  await page.getByRole('button', { name: 'From the feeder' }).waitFor();
  await takePicture(page, 'scan-again');
  const asked = await scanAgain(page, 'From the glass');
  assert.equal(asked, { replaces: 2, settings: { source: 'Flatbed' } });
  await says(page, 'Scanning');
  await bench.feeder.feedPages(1);
  assert.is(await page.locator('#count').innerText(), '');
  const letRead = bench.holdReading();
  bench.feeder.end();
  await page.locator('#advice', { hasText: /^You can take it off the glass/ }).waitFor();
  letRead();
  const viewer = page.getByRole('dialog', { name: 'Page 2 of 3' });
  await viewer.waitFor();
  assert.match(String(await viewer.locator('img').getAttribute('src')), /pages\/4\//);
  await takePicture(page, 'scanned-again');
  await press(page, 'Use the old page');
  await viewer.locator('img[src*="pages/2/"]').waitFor();
  await press(page, 'Use the new page');
  await viewer.locator('img[src*="pages/4/"]').waitFor();
  for (const number of [2, 4, 2]) {
    await press(page, 'Undo');
    await viewer.locator(`img[src*="pages/${number}/"]`).waitFor();
  }
  const [undo, redo] = ['Undo', 'Redo'].map((name) => page.getByRole('button', { name }));
  assert.is(await undo?.getAttribute('aria-disabled'), 'true');
  for (const number of [4, 2, 4]) {
    await redo?.click();
    await viewer.locator(`img[src*="pages/${number}/"]`).waitFor();
  }
  assert.is(await redo?.getAttribute('aria-disabled'), 'true');
  await press(page, 'Close');
  assert.is(await page.locator('#pages li').count(), 3);
});

/** The failure that ends feeding, how many sheets were fed before, and the page's message. */
const STOPPED: [code: FailureCode | undefined, sheets: number, said: string][] = [
  ['no_documents', 0, 'The feeder is empty'],
  ['scanner_jammed', 0, 'Paper jam'],
  [undefined, 2, 'More than one sheet was fed'],
];

for (const [code, sheets, said] of STOPPED) {
  test(`${said}: the old page stays, and one press tries again`, async (bench) => {
    const page = await opened(bench, [ADF]);
    await press(page, 'Scan this page again');
    assert.equal(await scanAgain(page, 'Scan it now'), { replaces: 2 });
    await bench.feeder.feedPages(sheets);
    bench.feeder.end(code);
    await says(page, said);
    await page.getByText('3 pages are safe.').first().waitFor();
    assert.equal((await buttons(page)).slice(0, 2), ['Try again', 'Finish and file']);
    assert.equal(await page.locator('#pages li').allInnerTexts(), ['Page 1', 'Page 2', 'Page 3']);
    await press(page, 'Try again');
    await says(page, 'Scanning');
    await bench.feeder.feedPages(1);
    bench.feeder.end();
    await page.getByRole('button', { name: 'Use the old page' }).waitFor();
  });
}

test('on a small phone in German, everything is in reach, and a page that is left out cannot be scanned again', async (bench) => {
  const page = await opened(bench, [ADF, GLASS], {
    viewport: { width: 320, height: 480 },
    locale: 'de-DE',
  });
  await press(page, 'Seite neu scannen');
  await page.getByRole('button', { name: 'Vom Einzug' }).waitFor();
  await takePicture(page, 'scan-again-small-german');
  for (const one of await page.locator('.viewer button:visible').all()) {
    const box = await one.boundingBox();
    assert.ok(box && box.y + box.height <= 480 && box.x + box.width <= 320);
  }
  await page.keyboard.press('Escape');
  await press(page, 'Weglassen');
  await page.locator('.left-out').waitFor();
  const again = page.getByRole('button', { name: 'Seite neu scannen' });
  assert.is(await again.getAttribute('aria-disabled'), 'true');
  await again.dispatchEvent('click');
  await page.getByRole('button', { name: 'Zurückholen' }).waitFor();
});
