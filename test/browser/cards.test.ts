import { assert } from '../support/suite.ts';
import { buttons, pageTests, press, says, scanPages, takePicture } from './page-bench.ts';

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
  await feeder.feedPages(1);
  feeder.end();
  await says(page, 'Filed');
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
