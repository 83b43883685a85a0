import path from 'node:path';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import type { Crop } from '../../service/page/types.d.ts';
import { askewReceipt, RECEIPT_MM } from '../helpers/processor/support/askew-scan.ts';
import { imagesOf } from '../helpers/processor/support/inspect-pdf.ts';
import { recoveredShare, shippedPage, textOfPdf } from '../support/pages.ts';
import { assert, withFixture } from '../support/suite.ts';
import {
  changeScan,
  pageTests,
  press,
  says,
  scanPages,
  takePicture,
  type PageBench,
} from './page-bench.ts';
import { openWholeAppliance } from './whole-appliance.ts';

const test = pageTests('pages that are cropped before they are filed');

const FOUND: Crop = { x: 0.1, y: 0.1, width: 0.5, height: 0.4, angle: 0 };
const SMALL = { viewport: { width: 320, height: 480 } };

/** Opens a page of a held scan. On page 1, the edges of the paper were detected. */
async function opened(
  { feeder, open }: PageBench,
  number: number,
  context: BrowserContextOptions = {},
): Promise<Page> {
  const page = await open('/', context);
  await page.locator('#hold').check();
  await scanPages(page, feeder, 3);
  await page.locator('#actions button').nth(2).waitFor();
  await changeScan(page, ({ page_states }) => ({
    page_states: page_states.map((one, index) => ({
      ...one,
      proposed_crop: index === 0 ? FOUND : null,
    })),
  }));
  await page.reload();
  await page.locator('#actions button').nth(2).waitFor();
  await page.locator(`#page-${number} button`).click();
  await page.locator('.stage img').evaluate((one: { decode(): Promise<void> }) => one.decode());
  return page;
}

async function cropOf({ app }: PageBench, page: Page, number: number): Promise<Crop | null> {
  const { json } = await app.send({ path: `/scans/${page.url().split('=')[1]}` });
  const states = json?.['page_states'] as { page: number; crop: Crop | null }[] | undefined;
  return states?.find((one) => one.page === number)?.crop ?? null;
}

async function edit(page: Page, name: string): Promise<void> {
  const edited = page.waitForResponse((response) => response.request().method() === 'PATCH');
  await press(page, name);
  assert.is((await edited).status(), 200);
}

test('the detected paper is offered first, a thumb moves a corner, and undo restores the page', async (bench) => {
  const page = await opened(bench, 1);
  await press(page, 'Crop');
  const shown = await page.locator('.crop').boundingBox();
  const corner = page.getByRole('button', { name: 'Bottom right corner' });
  const at = await corner.boundingBox();
  assert.ok(shown && at && at.width >= 44 && at.height >= 44, 'a thumb can hold it');
  assert.ok(Math.abs(at.x + at.width / 2 - (shown.x + 0.6 * shown.width)) < 3, 'on the paper');
  await takePicture(page, 'crop');
  const [x, y] = [at.x + at.width / 2, at.y + at.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + shown.width * 0.2, y + shown.height * 0.1, { steps: 4 });
  await page.mouse.up();
  await edit(page, 'Crop here');
  const crop = await cropOf(bench, page, 1);
  assert.ok(crop && Math.abs(crop.width - 0.7) < 0.01 && Math.abs(crop.height - 0.5) < 0.01);
  assert.equal([crop.x, crop.y, crop.angle], [0.1, 0.1, 0]);
  await page.getByRole('dialog', { name: 'Page 1 of 3 · cropped' }).waitFor();
  await takePicture(page, 'cropped');
  await edit(page, 'Undo');
  await page.locator('.crop-box').waitFor({ state: 'hidden' });
  assert.is(await cropOf(bench, page, 1), null);
});

test('without dragging, a turned page can be cropped by keys and arrow buttons, straightened, and restored', async (bench) => {
  const page = await opened(bench, 2, { ...SMALL, locale: 'de-DE' });
  await edit(page, 'Drehen');
  await press(page, 'Zuschneiden');
  assert.is(await page.evaluate('document.activeElement.ariaLabel'), 'Ecke oben links');
  await page.keyboard.press('Shift+ArrowRight');
  await press(page, 'Nach unten');
  await page.getByLabel('Gerade richten').fill('2.5');
  await takePicture(page, 'crop-small-german');
  for (const one of await page.locator('.viewer button:visible, .viewer input').all()) {
    const box = await one.boundingBox();
    assert.ok(box && box.y >= 0 && box.y + box.height <= 480, await one.innerText());
    assert.ok(box.x >= 0 && box.x + box.width <= 320, await one.innerText());
  }
  await edit(page, 'Übernehmen');
  const crop = { x: 0.05, y: 0.01, width: 0.95, height: 0.99, angle: 2.5 };
  assert.equal(await cropOf(bench, page, 2), crop);
  await press(page, 'Zuschneiden');
  await edit(page, 'Ganze Seite');
  assert.is(await cropOf(bench, page, 2), null);
});

/** A slip of red paper on the glass, at an angle of 20 degrees. */
const SLIP = `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="400">
  <rect width="300" height="400" fill="white"/>
  <rect x="150" y="40" width="100" height="40" fill="red" transform="rotate(20 200 60)"/></svg>`;
/** The slip once its page is turned to the right: 40 by 100 pixels of 400 by 300. */
const AROUND_SLIP: Crop = { x: 0.8, y: 0.5, width: 0.1, height: 1 / 3, angle: 20 };

/** The colours in the corners and the middle of a canvas. */
async function coloursOf(canvas: Locator): Promise<string[]> {
  return canvas.evaluate(
    (one: {
      getContext(kind: '2d'): { getImageData(...place: number[]): { data: Iterable<number> } };
    }) =>
      [
        [3, 3],
        [37, 3],
        [20, 50],
        [3, 97],
        [37, 97],
      ].map(([x = 0, y = 0]) => String([...one.getContext('2d').getImageData(x, y, 1, 1).data])),
  );
}

test('small pictures show what a page was cropped to, straightened, wherever they are', async (bench) => {
  const png = await sharp(Buffer.from(SLIP)).png().toBuffer();
  const page = await bench.open();
  await page.route('**/pages/1/preview', (route) =>
    route.fulfill({ contentType: 'image/png', body: png }),
  );
  await page.locator('#hold').check();
  await scanPages(page, bench.feeder, 2);
  await page.locator('#actions button').nth(2).waitFor();
  await page.locator('#page-1 img').waitFor();
  const { status } = await bench.app.send({
    method: 'PATCH',
    path: `/scans/${page.url().split('=')[1]}/pages/1`,
    body: JSON.stringify({ turn: 90, crop: AROUND_SLIP }),
    headers: { 'content-type': 'application/json' },
  });
  assert.is(status, 200);
  await page.reload();
  const red = Array.from({ length: 5 }, () => '255,0,0,255');
  const isDrawn = async (canvas: Locator): Promise<void> => {
    await canvas.locator('xpath=self::*[@width="40" and @height="100"]').waitFor();
    assert.equal(await coloursOf(canvas), red);
  };
  await isDrawn(page.locator('#page-1 canvas'));
  assert.is(await page.locator('#page-1 img').count(), 0);
  await takePicture(page, 'cropped-pages');
  await press(page, 'Finish and file');
  await isDrawn(page.locator('.document canvas'));
  await page.locator('#back').click();
  await isDrawn(page.locator('#scans canvas'));
  await takePicture(page, 'cropped-recent');
});

test('the frame begins at the edges of a page whose paper was not found', async (bench) => {
  const page = await opened(bench, 2);
  await press(page, 'Crop');
  const frame = await page.locator('.crop').boundingBox();
  const box = await page.locator('.crop-box').boundingBox();
  assert.ok(frame && box);
  for (const side of ['x', 'y', 'width', 'height'] as const)
    assert.ok(Math.abs(frame[side] - box[side]) < 1, side);
  const edited = page.waitForRequest((request) => request.method() === 'PATCH');
  await press(page, 'Crop here');
  assert.equal((await edited).postDataJSON(), { crop: null });
});

test('while cropping, arrow keys stay on the page; Escape and Cancel change nothing', async (bench) => {
  const page = await opened(bench, 1, {
    viewport: { width: 1280, height: 800 },
    colorScheme: 'dark',
  });
  const edits: string[] = [];
  page.on('request', (request) => request.method() === 'PATCH' && edits.push(request.url()));
  await press(page, 'Crop');
  await page.getByRole('button', { name: 'Bottom left corner' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.getByLabel('Straighten').focus();
  await page.keyboard.press('ArrowRight');
  await takePicture(page, 'crop-desktop-dark');
  await page.keyboard.press('Escape');
  await page.locator('.crop-box').waitFor({ state: 'hidden' });
  assert.is(await page.evaluate('document.activeElement.textContent'), 'Crop');
  await press(page, 'Crop');
  await press(page, 'Cancel');
  await page.getByRole('dialog', { name: 'Page 1 of 3' }).waitFor();
  await press(page, 'Next page');
  await page.getByRole('dialog', { name: 'Page 2 of 3' }).waitFor();
  assert.equal(edits, []);
});

const whole = withFixture('a receipt on the glass of a whole appliance', async () => {
  return openWholeAppliance({
    profiles: [
      {
        name: 'slips',
        description: 'Slips',
        source: 'Flatbed',
        resolution: 200,
        page_size: 'auto',
        processing: { deskew: true },
      },
    ],
  });
});

whole(
  'the paper that the processor found is cropped to, and filed at its size',
  async ({ appliance, page }) => {
    appliance.scanner.load([await askewReceipt(appliance.directory)]);
    await page.locator('#hold').check();
    await press(page, /Slips/);
    await says(page, 'Not filed yet');
    await page.locator('#page-1 button').click();
    await page.locator('.stage img').evaluate((one: { decode(): Promise<void> }) => one.decode());
    await press(page, 'Crop');
    const frame = await page.locator('.crop').boundingBox();
    const box = await page.locator('.crop-box').boundingBox();
    assert.ok(frame && box && box.width < frame.width * 0.7, 'it is around the paper');
    await takePicture(page, 'crop-found');
    await edit(page, 'Crop here');
    await press(page, 'Close');
    const shape = await page
      .locator('#page-1 canvas')
      .evaluate((one: { width: number; height: number }) => one.width / one.height);
    const [width, height] = RECEIPT_MM;
    assert.ok(Math.abs(shape - width / height) < 0.02, `${shape}`);
    await takePicture(page, 'cropped-receipt');
    await press(page, 'Finish and file');
    await says(page, 'Filed');
    const id = page.url().split('=')[1] ?? '';
    const { json } = await appliance.get(`/scans/${id}`);
    const [document] = (json?.['documents'] ?? []) as { filename: string }[];
    const file = path.join(appliance.scansDir, id, document?.filename ?? '');
    const [image] = await imagesOf(file);
    for (const [index, px] of [image?.width, image?.height].entries())
      assert.ok(Math.abs(((px ?? 0) * 25.4) / 200 - (RECEIPT_MM[index] ?? 0)) < 2, `${px}`);
    const [text = ''] = await textOfPdf(file);
    assert.ok(recoveredShare(shippedPage('receipt').text, text) > 0.9);
  },
);
