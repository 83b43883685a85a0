import { Failure } from '../../helpers/failure.ts';
import { shippedPage } from '../support/pages.ts';
import { assert, withFixture } from '../support/suite.ts';
import {
  buttons,
  checkAccessible,
  counts,
  filePages,
  giveTitle,
  openOptions,
  holdRequests,
  pageTests,
  press,
  says,
  scanPages,
  scanWithOptions,
  takePicture,
} from './page-bench.ts';
import { openWholeAppliance } from './whole-appliance.ts';

const test = pageTests('the control page, from the press to the documents');

test('one press scans: pages arrive, the feeder is released, and the documents remain', async (bench) => {
  const { feeder, holdReading, open } = bench;
  const letRead = holdReading();
  const page = await open();
  await says(page, 'What are you scanning?');
  await checkAccessible(page);
  // Holds the request, so that the page shows "Starting" long enough to check it.
  const letScan = await holdRequests(page, '**/scan');
  await press(page, /Letters and invoices/);
  await says(page, 'Starting');
  await takePicture(page, 'starting');
  letScan();
  await feeder.feedPages(6);
  await says(page, 'Scanning');
  await counts(page, '6 pages');
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
  await page.getByText('Sent to Paperless-ngx').waitFor();
  await takePicture(page, 'filed');
  const opened = page.context().waitForEvent('page');
  const asked = page.context().waitForEvent('request');
  await page.getByRole('link', { name: 'Open PDF' }).click();
  await opened;
  assert.match((await asked).url(), /files\/document-0001\.pdf$/);
  await page.reload();
  await says(page, 'Filed');
  await page.getByRole('link', { name: 'All scans' }).click();
  await says(page, 'What are you scanning?');
  await takePicture(page, 'start');
  await page.getByRole('link', { name: /^Letter of 20.*6 pages.*Filed/ }).click();
  await says(page, 'Filed');
  await page.emulateMedia({ colorScheme: 'dark' });
  await takePicture(page, 'filed-dark');
  const desktop = await open('/', { viewport: { width: 1280, height: 800 }, hasTouch: false });
  await desktop.getByText(/2026.* · 6 pages$/).waitFor();
  await takePicture(desktop, 'desktop');
});

test('without text recognition no page is lost: the page says so, and it is retried', async ({
  feeder,
  holdReading,
  open,
}) => {
  const goOn = holdReading();
  const page = await open();
  await scanPages(page, feeder, 6);
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

test('a held scan says so while its text is recognized, even on a small phone', async ({
  feeder,
  holdReading,
  open,
}) => {
  holdReading();
  const page = await open('/', { viewport: { width: 375, height: 553 } });
  await page.getByLabel('Wait before filing').check();
  await scanPages(page, feeder);
  await page.locator('#advice', { hasText: 'It waits for you before it is filed.' }).waitFor();
});

test('a stop that came too late is not reported for the next scan', async ({
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

test('an empty feeder, a jam, and both ways to continue', async ({ feeder, open }) => {
  const page = await open();
  await giveTitle(page, 'Three of five');
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
  await counts(page, '5 pages');
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

test('the feeder can be stopped on the page or at the scanner, and its pages are kept', async ({
  feeder,
  open,
}) => {
  const page = await open();
  await press(page, /Letters and invoices/);
  await feeder.feedPages(2);
  await counts(page, '2 pages');
  const letStop = await holdRequests(page, '**/stop');
  await press(page, 'Stop after this sheet');
  await says(page, 'Stopping after this sheet');
  assert.equal(await buttons(page), []);
  await takePicture(page, 'stopping');
  letStop();
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
  await page.getByText('Someone stopped the feeder. 3 pages are safe.').first().waitFor();
});

test('a scanner in use can be watched or waited for', async ({ feeder, open }) => {
  const first = await open();
  await press(first, /Letters and invoices/);
  await feeder.feedPages(2);
  const [second, third] = [await open(), await open()];
  for (const page of [second, third]) {
    await press(page, /Receipts/);
    await says(page, 'The scanner is in use');
    assert.equal(await buttons(page), ['Watch it', 'Try again']);
  }
  await third
    .locator('#advice', { hasText: 'Another stack is being fed, 2 pages so far' })
    .waitFor();
  await takePicture(second, 'busy');
  await press(second, 'Watch it');
  await says(second, 'Scanning');
  await feeder.feedPages(1);
  for (const page of [first, second]) await counts(page, '3 pages');
  assert.match(second.url(), /#scan=\d{8}T\d{6}Z-[0-9a-f]{6}$/);
  assert.is(second.url(), first.url());
  feeder.end('scanner_jammed');
  await says(first, 'Paper jam');
  await says(third, 'The scanner is free');
  assert.equal(await buttons(third), ['Scan now']);
  await checkAccessible(third);
  await press(second, /File only/);
  for (const page of [first, second]) await says(page, 'Filed');
});

test('a refused document shows the cause and can be sent again', async ({ dms, feeder, open }) => {
  const words = '<img src=x onerror=alert(1)> no room for this';
  dms.setFault({
    kind: 'answer',
    status: 400,
    body: JSON.stringify({ document: [words] }),
    content_type: 'application/json',
  });
  const page = await open();
  await scanPages(page, feeder);
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
  await page.getByRole('link', { name: /^Letter of 20.*Filed/ }).waitFor();
});

test('paper can be added stack by stack before filing', async ({ feeder, open }) => {
  const page = await open();
  await giveTitle(page, 'A book');
  await page.getByLabel('Wait before filing').check();
  await takePicture(page, 'options');
  await scanPages(page, feeder, 2);
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

  // The service remembers the choice to check scans first, for every phone.
  await page.reload();
  await press(page, 'Scan the next stack');
  await feeder.feedPages(1);
  feeder.end();
  await says(page, 'Not filed yet');
  await page.reload();
  await says(page, 'Not filed yet');
  const button = page.locator('.profile').first();
  const letScans = await holdRequests(page, /\/scans\?/);
  await page.getByRole('link', { name: 'All scans' }).click();
  await button.waitFor();
  const before = await button.boundingBox();
  letScans();
  const mark = page.getByRole('button', { name: '1 scan waits for you' });
  await mark.waitFor();
  const box = await mark.boundingBox();
  assert.ok(box && box.y < 100, 'it is seen first');
  assert.equal(await button.boundingBox(), before, 'no button moves');
  await takePicture(page, 'waiting');
  const waiting = page.getByRole('link', { name: /^1 scan waits for you/ });
  await mark.click();
  const below = await waiting.boundingBox();
  assert.ok(below && below.y + below.height <= 844);
  await waiting.click();
  await says(page, 'Not filed yet');
});

const LISTEN = `
  globalThis.announced = [];
  const region = document.getElementById('status');
  new MutationObserver(() => announced.push(region.textContent)).observe(region, { childList: true });
`;

test('a document not found by its title can be sent again', async ({ dms, feeder, open }) => {
  const page = await open();
  await giveTitle(page, 'Bill & tax', /Receipts/);
  await filePages(page, feeder, 1, /Receipts/);
  const link = page.getByRole('link', { name: 'Look for it there' });
  assert.is(
    await link.getAttribute('href'),
    'https://paperless.example/docs/documents?title__icontains=Bill%20%26%20tax',
  );
  await takePicture(page, 'after-filing');
  // A person who returns to a filed scan wants to read it, so "Open PDF" comes first.
  const first = page.locator('#actions > :first-child');
  assert.is(await first.innerText(), 'Scan the next stack');
  await page.reload();
  await first.filter({ hasText: 'Open PDF' }).waitFor();
  await dms.idle();
  await page.locator('.menu summary').click();
  await press(page, 'Send it again');
  const resumed = page.waitForRequest(/\/resume$/);
  await page.evaluate(LISTEN);
  await press(page, 'Yes');
  assert.equal((await resumed).postDataJSON(), { resend_submitted: ['document-0001.pdf'] });
  await page.getByText(/It is there already, as number 1/).waitFor();
  await link.waitFor();
  assert.is(dms.uploads().length, 1);
  await page
    .getByRole('status')
    .filter({ hasText: /^Filed/ })
    .waitFor();
  assert.not.match(await page.evaluate<string>('announced.join()'), 'getting ready');
});

/** Simulates sharing, which Chromium on Linux lacks. The first press ends before the file loads. */
const SHARE = `
  globalThis.shared = [];
  globalThis.sharedTwice = Promise.withResolvers();
  navigator.canShare = () => true;
  navigator.share = async ({ files: [file] }) => {
    shared.push([file.name, file.type, await file.text()]);
    if (shared.length === 1) throw new DOMException('', 'NotAllowedError');
    sharedTwice.resolve();
  };
`;

test('a document can be handed to another app as a file', async ({ app, feeder, open }) => {
  const page = await open('about:blank');
  await page.addInitScript(SHARE);
  await page.goto(`http://127.0.0.1:${app.port}/`);
  await giveTitle(page, 'Bill 1/2');
  await filePages(page, feeder);
  await takePicture(page, 'share');
  await press(page, 'Share PDF Bill 1/2');
  await checkAccessible(page);
  await press(page, 'Press again to share Bill 1/2');
  await page.evaluate('sharedTwice.promise');
  const link = await page.getByRole('link', { name: 'Open PDF' }).getAttribute('href');
  const { text } = await app.send({ path: `/${link}` });
  const file = ['Bill 1-2.pdf', 'application/pdf', text];
  assert.equal(await page.evaluate('shared'), [file, file]);
});

const whole = withFixture('the control page of a whole appliance', async () => {
  return openWholeAppliance({
    scanner: { pages: ['invoice', 'receipt'].map((name) => shippedPage(name).file) },
    profiles: [{ name: 'letters', description: 'Letters', source: 'ADF', resolution: 100 }],
  });
});

whole('two sheets become a document, titled and tagged by name', async ({ appliance, page }) => {
  await says(page, 'What are you scanning?');
  await openOptions(page);
  await page.getByLabel('Title of the next scan').fill('Two letters');
  const tags = page.locator('#tag-names option');
  await tags.first().waitFor({ state: 'attached' });
  const [tag = ''] = await tags.evaluateAll(valuesOf);
  assert.is.not(tag, '');
  await page.getByLabel('Tags').fill(tag);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: `Remove ${tag}` }).waitFor();
  await takePicture(page, 'tags');
  await scanWithOptions(page);
  await says(page, 'Filed');
  await page.getByRole('heading', { name: 'Two letters' }).waitFor();
  await page
    .getByText(/^2 pages · 1 document/)
    .first()
    .waitFor();
  const fields = appliance.dms.uploads()[0]?.fields ?? [];
  const valuesOfField = (name: string): string[] =>
    fields.filter(([field]) => field === name).map(([, value]) => value);
  assert.equal(valuesOfField('title'), ['Two letters']);
  assert.is(valuesOfField('tags').length, 1);
});

function valuesOf(options: readonly { getAttribute(name: string): string | null }[]): string[] {
  return options.map((option) => option.getAttribute('value') ?? '');
}

whole('one sheet in colour and a button for it, using only the page', async ({ page }) => {
  await openOptions(page);
  await page.getByLabel('Color', { exact: true }).check();
  await press(page, 'Save as a button');
  await page.getByLabel('Name of the button').fill('Photos');
  await page.getByLabel('Photo', { exact: true }).check();
  await press(page, 'Save this button');
  await press(page, /^Photos Feeder, one side · color/);
  await says(page, 'Filed');
  await page.getByRole('link', { name: 'All scans' }).click();
  await openOptions(page, /Photos/);
  await press(page, 'Remove this button');
  await press(page, 'Yes');
  await page.locator('.profile', { hasText: 'Photos' }).waitFor({ state: 'detached' });
  await openOptions(page);
  await page.getByLabel('Gray').waitFor();
  assert.ok(await page.getByLabel('Gray').isChecked(), 'the first button is as it was');
});
