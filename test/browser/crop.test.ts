import { setInterval } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { Crop, PageState } from '../../service/page/types.d.ts';
import { assert } from '../support/suite.ts';
import { pageTests, press, says, scanPages, takePicture, type PageBench } from './page-bench.ts';

const test = pageTests('pages that are put right before they are filed');

const FOUND: Crop = { x: 0.1, y: 0.1, width: 0.5, height: 0.4, angle: 0 };

type Edit = Record<string, unknown>;

interface Fixed {
  readonly page: Page;
  /** Bodies of the edits of pages, in their order, with the numbers of the pages. */
  readonly edits: [page: number, edit: Edit][];
}

/** A scan that waits, of a service that can cut pages and scan them again; what it answers is played. */
async function waiting(
  { feeder, open }: PageBench,
  context: Parameters<PageBench['open']>[1] = {},
): Promise<Fixed> {
  const page = await open('/', context);
  const edits: Fixed['edits'] = [];
  const crops = new Map<number, unknown>();
  let restored = 2;
  await page.locator('#hold').check();
  await scanPages(page, feeder, 3);
  await page.locator('#actions button').nth(2).waitFor();
  await page.route(/\/scans\/[\w-]+$/, async (route) => {
    const response = await route.fetch();
    const scan = (await response.json()) as { page_states: PageState[] };
    const page_states = scan.page_states.map((one) => ({
      ...one,
      crop: crops.get(one.page) ?? null,
      proposed_crop: one.page === 1 ? FOUND : null,
      replaces: one.page === 2 && restored === 2 ? 3 : null,
      replaced_by: one.page === 3 && restored === 2 ? 2 : null,
    }));
    await route.fulfill({ response, json: { ...scan, page_states } });
  });
  await page.route(/\/pages\/\d+$/, async (route) => {
    const number = Number(/\d+$/.exec(route.request().url()));
    const edit = route.request().postDataJSON() as Edit;
    edits.push([number, edit]);
    if ('crop' in edit) crops.set(number, edit['crop']);
    if ('restored' in edit) restored = number;
    await route.fulfill({ json: {} });
  });
  await page.reload();
  await page.locator('#actions button').nth(2).waitFor();
  return { page, edits };
}

async function openPage(page: Page, number: number): Promise<void> {
  await page.locator(`#page-${number} button`).click();
  const image = page.locator('.stage img');
  await image.evaluate((one: { decode(): Promise<void> }) => one.decode());
}

test('a receipt is cropped: the paper that was found is the first offer, a thumb moves a corner, and undo takes it back', async (bench) => {
  const { page, edits } = await waiting(bench);
  await openPage(page, 1);
  await press(page, 'Crop');
  const frame = page.locator('.crop-box');
  const shown = await page.locator('.crop').boundingBox();
  const corner = page.getByRole('button', { name: 'Bottom right corner' });
  const at = await corner.boundingBox();
  assert.ok(shown && at && at.width >= 44 && at.height >= 44, 'a thumb can hold it');
  assert.ok(Math.abs(at.x + at.width / 2 - (shown.x + 0.6 * shown.width)) < 3, 'on the paper');
  await takePicture(page, 'crop');
  await page.mouse.move(at.x + 22, at.y + 22);
  await page.mouse.down();
  await page.mouse.move(at.x + 22 + shown.width * 0.2, at.y + 22 + shown.height * 0.1, {
    steps: 4,
  });
  await page.mouse.up();
  await press(page, 'Crop here');
  const [, edit] = await within(edits, 0);
  const crop = edit['crop'] as Crop;
  assert.ok(Math.abs(crop.width - 0.7) < 0.01 && Math.abs(crop.height - 0.5) < 0.01);
  assert.equal([crop.x, crop.y, crop.angle], [0.1, 0.1, 0]);
  await frame.waitFor();
  await takePicture(page, 'cropped');
  await press(page, 'Undo');
  await frame.waitFor({ state: 'hidden' });
  assert.equal((await within(edits, 1))[1], { crop: null });
});

test('a page on its side is cropped with the keys, straightened, and whole again', async (bench) => {
  const { page, edits } = await waiting(bench, {
    viewport: { width: 320, height: 480 },
    locale: 'de-DE',
  });
  await openPage(page, 2);
  await press(page, 'Drehen');
  await within(edits, 0);
  await press(page, 'Zuschneiden');
  await page.getByRole('button', { name: 'Ecke oben links' }).waitFor();
  assert.match(await page.evaluate('document.activeElement.className'), 'handle nw');
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('ArrowDown');
  await page.getByLabel('Gerade richten').fill('2.5');
  await takePicture(page, 'crop-small-german');
  for (const one of await page.locator('.extra button').all()) {
    const box = await one.boundingBox();
    assert.ok(box && box.y + box.height <= 480 && box.x + box.width <= 320);
  }
  await press(page, 'Hier zuschneiden');
  assert.equal(await within(edits, 1), [
    2,
    { crop: { x: 0.1, y: 0.06, width: 0.85, height: 0.89, angle: 2.5 } },
  ]);
  await press(page, 'Zuschneiden');
  await press(page, 'Ganze Seite');
  assert.equal(await within(edits, 2), [2, { crop: null }]);
});

test('the arrow keys go to no other page while a frame is moved, and cancelling changes nothing', async (bench) => {
  const { page, edits } = await waiting(bench);
  await openPage(page, 1);
  await press(page, 'Crop');
  await page.getByRole('button', { name: 'Bottom left corner' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.getByLabel('Straighten').focus();
  await page.keyboard.press('ArrowRight');
  assert.match(await page.locator('#viewer-title').innerText(), 'Page 1 of 3');
  await press(page, 'Cancel');
  await page.getByRole('button', { name: 'Leave out' }).waitFor();
  await page.locator('.crop-box').waitFor({ state: 'hidden' });
  assert.equal(edits, []);
});

test('a page is scanned again from where its person says, and the earlier one can be brought back', async (bench) => {
  const { page, edits } = await waiting(bench);
  const choices = ['ADF', 'Flatbed'].map((source) => ({
    source,
    sides: null,
    kind: source === 'ADF' ? 'feeder' : 'glass',
    modes: [],
    resolutions: [],
    page_sizes: [],
  }));
  await page.route('**/scanners', (route) =>
    route.fulfill({ json: { scanners: [{ profiles: ['default'], choices }] } }),
  );
  await openPage(page, 2);
  await press(page, 'Use the earlier page');
  assert.equal(await within(edits, 0), [3, { restored: true }]);
  await press(page, 'Scan this page again');
  await page.getByRole('button', { name: 'From the glass' }).waitFor();
  await takePicture(page, 'scan-again');
  const scan = page.waitForRequest(/\/scan$/);
  await page.route('**/scan', (route) =>
    route.fulfill({ status: 422, json: { error: 'no_documents', message: 'Empty.' } }),
  );
  await press(page, 'From the glass');
  const body = (await scan).postDataJSON() as Edit;
  const { continue_scan: _id, ...asked } = body;
  assert.equal(asked, { replaces: 2, settings: { source: 'Flatbed' } });
  await says(page, 'The feeder is empty');
});

/** The edit at that place, once it was made. */
async function within(edits: Fixed['edits'], place: number): Promise<[number, Edit]> {
  for await (const _ of setInterval(20, undefined, { signal: AbortSignal.timeout(60_000) })) {
    const edit = edits[place];
    if (edit) return edit;
  }
  throw new Error('no such edit');
}
