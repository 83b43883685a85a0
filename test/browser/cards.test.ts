import { assert } from '../support/suite.ts';
import {
  buttons,
  changeScan,
  pageTests,
  press,
  says,
  scanPages,
  takePicture,
} from './page-bench.ts';

const test = pageTests('a card from the glass', {
  profiles: [
    {
      name: 'card',
      description: 'Card',
      source: 'Flatbed',
      assembly: { page_grouping: 'card' },
    },
  ],
});

test('the page asks for the back after the front, and files both as one document', async ({
  app,
  feeder,
  holdReading,
  open,
}) => {
  const page = await open();
  await page.getByText('Card, both sides on one page').waitFor();
  await scanPages(page, feeder, 1, /^Card/);
  await says(page, 'Turn the card over');
  assert.equal((await buttons(page)).slice(0, 2), ['Scan the back', 'Finish and file']);
  await takePicture(page, 'card');
  const scan = page.waitForRequest(/\/scan$/);
  await press(page, 'Scan the back');
  const [, id] = page.url().split('=');
  assert.equal((await scan).postDataJSON(), { continue_scan: id });
  await changeScan(page, ({ documents }) => ({
    documents: documents.map((one) => ({ ...one, page_count: 1 })),
  }));
  await feeder.feedPages(1);
  const letRead = holdReading();
  feeder.end();
  await page.locator('#advice', { hasText: 'You can take it off the glass.' }).waitFor();
  letRead();
  await says(page, 'Filed');
  await page.locator('#advice', { hasText: '1 page · 1 document' }).waitFor();
  await page.locator('.document', { hasText: 'Card, both sides on one page' }).waitFor();
  await takePicture(page, 'card-filed');
  await page.locator('#back').click();
  await page
    .locator('#scans')
    .getByText(/ 1 page$/)
    .waitFor();
  const { json } = await app.send({ path: `/scans/${id}` });
  const documents = json?.['documents'] as { pages: number[] }[] | undefined;
  assert.equal(
    documents?.map(({ pages }) => pages),
    [[1, 2]],
  );
});

test('a card is not filed before it was seen, if its person chose to wait', async ({
  feeder,
  open,
}) => {
  const page = await open();
  await page.getByLabel('Wait before filing').check();
  await scanPages(page, feeder, 1, /^Card/);
  await says(page, 'Turn the card over');
  const scan = page.waitForRequest(/\/scan$/);
  await press(page, 'Scan the back');
  const [, id] = page.url().split('=');
  assert.equal((await scan).postDataJSON(), { continue_scan: id, hold: true });
  await feeder.feedPages(1);
  feeder.end();
  await says(page, 'Not filed yet');
  assert.is((await buttons(page))[0], 'Finish and file');
});
