import { assert, withFixture } from '../support/suite.ts';
import { checkAccessible, createPageBench, press, says, takePicture } from './page-bench.ts';

const test = withFixture('the control page, after filing', () =>
  createPageBench({ publicUrl: 'https://paperless.example/docs/' }),
);

test('a document not found by its title can be sent again', async ({ dms, feeder, open }) => {
  const page = await open();
  await page.getByText('Title and tags').click();
  await page.getByLabel('Title', { exact: true }).fill('Bill & tax');
  await press(page, /Letters and invoices/);
  await feeder.feedPages(1);
  feeder.end();
  await says(page, 'Filed');
  const link = page.getByRole('link', { name: 'Look for it there' });
  assert.is(
    await link.getAttribute('href'),
    'https://paperless.example/docs/documents?title__icontains=Bill%20%26%20tax',
  );
  await takePicture(page, 'after-filing');
  // Who comes back to it wants to read it.
  const first = page.locator('#actions > :first-child');
  assert.is(await first.innerText(), 'Scan the next stack');
  await page.reload();
  await first.filter({ hasText: 'Open PDF' }).waitFor();
  await dms.idle();
  await press(page, 'Not found there? Send it again');
  const resumed = page.waitForRequest(/\/resume$/);
  await press(page, /: press again$/);
  assert.equal((await resumed).postDataJSON(), { resend_submitted: ['document-0001.pdf'] });
  await page.getByText(/It is there already, as number 1/).waitFor();
  await link.waitFor();
  assert.is(dms.uploads().length, 1);
});

/** A browser that shares files, where the first press is over before the document is there. Chromium on Linux shares none. */
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
  await page.getByText('Title and tags').click();
  await page.getByLabel('Title', { exact: true }).fill('Bill 1/2');
  await press(page, /Letters and invoices/);
  await feeder.feedPages(1);
  feeder.end();
  await says(page, 'Filed');
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
