import { assert, withFixture } from '../support/suite.ts';
import {
  buttons,
  checkAccessible,
  createPageBench,
  press,
  says,
  takePicture,
} from './page-bench.ts';

const test = withFixture('the control page, where a scan ends early', () => createPageBench());

test('an empty feeder, a jam, and both ways on from there', async ({ feeder, open }) => {
  const page = await open();
  await page.getByText('Title and tags').click();
  await page.getByLabel('Title', { exact: true }).fill('Three of five');
  await press(page, /Letters and invoices/);
  await feeder.begun();
  feeder.end('no_documents');
  await says(page, 'The feeder is empty');
  assert.equal(await buttons(page), ['Scan again']);
  await takePicture(page, 'empty');

  await press(page, 'Scan again');
  await feeder.feedPages(3);
  feeder.end('scanner_jammed');
  await says(page, 'Paper jam');
  await page.getByText('3 pages are safe.').first().waitFor();
  assert.equal(await buttons(page), [
    'Go on with the rest',
    'File only 3 pages',
    'Discard this scan',
  ]);
  await takePicture(page, 'jam');

  await press(page, 'Go on with the rest');
  await feeder.begun();
  feeder.end('scanner_jammed');
  await says(page, 'Still: Paper jam');
  await press(page, 'Go on with the rest');
  await feeder.feedPages(2);
  await page.getByText('5 pages', { exact: true }).waitFor();
  feeder.end('scanner_jammed');
  await page.getByRole('heading', { name: 'Paper jam', exact: true }).waitFor();
  await press(page, /File only/);
  await says(page, 'Filed');
  await page
    .getByText(/^5 pages · 1 document/)
    .first()
    .waitFor();
  await page.getByText(/The feeder stopped before it was empty/).waitFor();
  await page.getByRole('heading', { name: 'Three of five' }).waitFor();
  await page.getByText('Did the sheets have backs?').click();
  await page.getByText(/Scan the stack again with “Wait before filing”/).waitFor();
  await checkAccessible(page);
});

test('the feeder is stopped, on the page or at the scanner, and what it has fed is kept', async ({
  feeder,
  open,
}) => {
  const page = await open();
  await press(page, /Letters and invoices/);
  await feeder.feedPages(2);
  await page.getByText('2 pages', { exact: true }).waitFor();
  const stopped = Promise.withResolvers<void>();
  await page.route('**/stop', async (route) => {
    await stopped.promise;
    await route.continue();
  });
  await press(page, 'Stop after this sheet');
  await says(page, 'Stopping after this sheet');
  assert.equal(await buttons(page), []);
  await takePicture(page, 'stopping');
  stopped.resolve();
  await says(page, 'Stopped');
  assert.equal(await buttons(page), [
    'Go on with the rest',
    'File only 2 pages',
    'Discard this scan',
  ]);
  assert.is(await page.evaluate('document.activeElement.id'), 'headline');
  await checkAccessible(page);
  await press(page, 'Go on with the rest');
  await feeder.feedPages(1);
  feeder.end('scan_stopped');
  await says(page, 'Stopped');
  await page.getByText('Someone stopped the feeder. 3 pages are safe.').waitFor();
});

test('a scanner in use can be watched from a second browser', async ({ feeder, open }) => {
  const first = await open();
  await press(first, /Letters and invoices/);
  await feeder.feedPages(2);
  const second = await open();
  await press(second, /Receipts/);
  await says(second, 'The scanner is in use');
  assert.equal(await buttons(second), ['Watch it', 'Try again']);
  await takePicture(second, 'busy');
  await press(second, 'Watch it');
  await says(second, 'Scanning');
  await feeder.feedPages(1);
  for (const page of [first, second]) await page.getByText('3 pages', { exact: true }).waitFor();
  feeder.end();
  for (const page of [first, second]) await says(page, 'Filed');
  assert.match(second.url(), /#scan=\d{8}T\d{6}Z-[0-9a-f]{6}$/);
  assert.is(second.url(), first.url());
});

test('a refused document says why, and is sent again', async ({ dms, feeder, open }) => {
  const words = '<img src=x onerror=alert(1)> no room for this';
  dms.setFault({
    kind: 'answer',
    status: 400,
    body: JSON.stringify({ document: [words] }),
    content_type: 'application/json',
  });
  const page = await open();
  await press(page, /Letters and invoices/);
  await feeder.feedPages(1);
  feeder.end();
  await says(page, 'Not everything was filed');
  await page.getByText(words).waitFor();
  assert.equal(await buttons(page), ['Send again', 'Scan the next stack']);
  await takePicture(page, 'refused');
  await page.getByRole('link', { name: 'All scans' }).click();
  await page.getByRole('link', { name: /Not everything was filed/ }).click();
  dms.setFault(undefined);
  await press(page, 'Send again');
  await says(page, 'Filed');
  await page.getByRole('link', { name: 'All scans' }).click();
  await page.getByRole('link', { name: /Letters and invoices.*Filed/ }).waitFor();
});

test('paper can be added, stack by stack, before the end', async ({ feeder, open }) => {
  const page = await open();
  await page.getByText('Title and tags').click();
  await page.getByLabel('Title', { exact: true }).fill('A book');
  await page.getByLabel('Wait before filing').check();
  await takePicture(page, 'options');
  await press(page, /Letters and invoices/);
  await feeder.feedPages(2);
  feeder.end();
  await says(page, 'Not filed yet');
  await takePicture(page, 'held');
  await press(page, 'Add more pages');
  await feeder.feedPages(1);
  feeder.end('scanner_jammed');
  await says(page, 'Paper jam');
  await press(page, 'Go on with the rest');
  await feeder.feedPages(1);
  feeder.end();
  await page.locator('#page-4').waitFor();
  await says(page, 'Not filed yet');
  const advice = page.locator('#advice', {
    hasText: 'put the stack back in as it came out, turned over',
  });
  await advice.waitFor();
  await press(page, 'Scan the backs');
  await feeder.begun();
  feeder.end('no_documents');
  await says(page, 'The feeder is empty');
  await advice.filter({ hasText: '4 pages are safe.' }).waitFor();
  await press(page, 'Scan the backs');
  await feeder.feedPages(1);
  feeder.end();
  await page.locator('#advice', { hasText: '4 fronts, 1 back.' }).waitFor();
  await says(page, 'Not filed yet');
  await press(page, 'Finish and file');
  await says(page, 'The numbers of sheets differ');
  await takePicture(page, 'backs-differ');
  assert.equal((await buttons(page)).slice(0, 2), ['Scan the backs', 'Finish and file']);
  await press(page, 'Scan the backs');
  await feeder.feedPages(4);
  feeder.end();
  await says(page, 'Not filed yet');
  assert.equal((await buttons(page)).slice(0, 2), ['Finish and file', 'Add more pages']);
  await press(page, 'Finish and file');
  await says(page, 'Filed');
  await page.getByRole('heading', { name: 'A book' }).waitFor();

  // On any phone, now and later: the scan itself says that somebody wanted to look.
  await page.reload();
  await press(page, 'Scan the next stack');
  await feeder.feedPages(1);
  feeder.end();
  await says(page, 'Not filed yet');
  await page.getByRole('link', { name: 'All scans' }).click();
  const waiting = page.getByRole('link', { name: /^1 scan waits for you/ });
  const box = await waiting.boundingBox();
  assert.ok(box && box.y < 100, 'it is seen first');
  await takePicture(page, 'waiting');
  await waiting.click();
  await says(page, 'Not filed yet');
});
