import { Failure } from '../../helpers/failure.ts';
import { assert, withFixture } from '../support/suite.ts';
import {
  buttons,
  checkAccessible,
  createPageBench,
  press,
  says,
  takePicture,
} from './page-bench.ts';

const test = withFixture('the control page', () => createPageBench());

test('one press scans: pages arrive, the feeder is free, and the documents stay', async (bench) => {
  const { feeder, holdReading, open } = bench;
  const letRead = holdReading();
  const page = await open();
  await says(page, 'What are you scanning?');
  await checkAccessible(page);
  // The service has begun before anybody could look.
  const seen = Promise.withResolvers<void>();
  await page.route('**/scan', async (route) => {
    await seen.promise;
    await route.continue();
  });
  await press(page, /Letters and invoices/);
  await says(page, 'Starting');
  await takePicture(page, 'starting');
  seen.resolve();
  await feeder.feedPages(6);
  await says(page, 'Scanning');
  await page.getByText('6 pages', { exact: true }).waitFor();
  await takePicture(page, 'scanning');
  feeder.end();
  await says(page, 'Reading the text');
  await page.getByText('The feeder is free. Take your paper.', { exact: true }).first().waitFor();
  await takePicture(page, 'reading');
  letRead();
  await says(page, 'Filed');
  await page
    .getByText(/^6 pages · 1 document/)
    .first()
    .waitFor();
  await page.getByText('Sent to your document system').waitFor();
  await takePicture(page, 'filed');
  const [document] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: 'Open PDF' }).click(),
  ]);
  assert.match(document.url(), /files\/document-0001\.pdf$/);
  await page.reload();
  await says(page, 'Filed');
  await page.getByRole('link', { name: 'All scans' }).click();
  await says(page, 'What are you scanning?');
  await takePicture(page, 'start');
  await page.getByRole('link', { name: /Letters and invoices.*6 pages.*Filed/ }).click();
  await says(page, 'Filed');
  await page.emulateMedia({ colorScheme: 'dark' });
  await takePicture(page, 'filed-dark');
  const desktop = await open('/', { viewport: { width: 1280, height: 800 }, hasTouch: false });
  await desktop.getByText(/2026.* · 6 pages$/).waitFor();
  await takePicture(desktop, 'desktop');
});

test('text recognition that is away costs no page: it is said, and tried again', async ({
  feeder,
  holdReading,
  open,
}) => {
  const goOn = holdReading();
  const page = await open();
  await press(page, /Letters and invoices/);
  await feeder.feedPages(6);
  feeder.end();
  await page.getByText('0 of 6 pages read').waitFor();
  goOn(new Failure('processor_unreachable', 'The processor cannot be reached.'));
  await says(page, 'The text recognition is not running');
  await page.locator('#advice', { hasText: /doctor\. 6 pages are safe\.$/ }).waitFor();
  assert.equal(await buttons(page), ['Try again', 'Discard this scan']);
  await takePicture(page, 'unread');
  await press(page, 'Try again');
  await says(page, 'Filed');
  await page.locator('#advice', { hasText: '6 pages · 1 document' }).waitFor();
});

test('a scan that waits says so while its text is read, also on a small phone', async ({
  feeder,
  holdReading,
  open,
}) => {
  holdReading();
  const page = await open('/', { viewport: { width: 375, height: 553 } });
  await page.getByLabel('Wait before filing').check();
  await press(page, /Letters and invoices/);
  await feeder.feedPages(1);
  feeder.end();
  await page.locator('#advice', { hasText: 'It waits for you before it is filed.' }).waitFor();
});

test('a stop that came too late is not said of what follows', async ({
  feeder,
  holdReading,
  open,
}) => {
  holdReading();
  const page = await open();
  await page.route('**/stop', (route) => route.fulfill({ status: 202, json: { stopping: false } }));
  await press(page, /Letters and invoices/);
  await feeder.feedPages(1);
  await press(page, 'Stop after this sheet');
  await says(page, 'Stopping after this sheet');
  feeder.end();
  await says(page, 'Reading the text');
});
