import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startAppliance, type Appliance } from '../support/appliance/appliance.ts';
import { assert, suite } from '../support/suite.ts';
import { launch, openPage, press, says, takePicture } from './page-bench.ts';

/** The real service, runtime and processor, as they are after the installation. */
interface NewAppliance {
  browser: Browser;
  appliance: Appliance;
}

const PAGES = path.resolve(import.meta.dirname, '../../simulators/pages');
const PASSWORD = 'correct horse';
const LOGIN = { username: 'admin', password: 'in the cloud' };

const SKIPPED = ['Scanner', 'Paperless-ngx', 'Languages and time zone', 'Buttons', 'Who may scan'];

const test = suite<NewAppliance>('the set-up in the browser');

test.before(async (context) => {
  context.browser = await launch();
});
test.before.each(async (context) => {
  context.appliance = await startAppliance({
    isNew: true,
    profiles: [],
    scanner: { pages: [path.join(PAGES, 'letter-school.jpg')], name: 'Office 8020' },
    dms: { login: LOGIN },
  });
});
test.after.each(({ appliance }) => appliance.close());
test.after(({ browser }) => browser.close());

function opened(
  { browser, appliance }: NewAppliance,
  hash = '',
  context: BrowserContextOptions = {},
): Promise<Page> {
  return openPage(browser, `http://127.0.0.1:${appliance.service.port()}/${hash}`, context);
}

async function fill(page: Page, label: string, text: string): Promise<void> {
  await page.getByLabel(label, { exact: true }).fill(text);
}

/** The heading has focus, so that a screen reader says which step it is. */
async function showsStep(page: Page, title: string): Promise<void> {
  await says(page, title);
  assert.is(await page.evaluate('document.activeElement.id'), 'set-up-title');
}

async function claim(page: Page): Promise<void> {
  await fill(page, 'New operator password', PASSWORD);
  await page.keyboard.press('Enter');
}

function lookedAt(page: Page): Promise<unknown> {
  return page.evaluate('fetch("set-up/self-test").then((r) => r.json()).then((b) => b.looked_at)');
}

test('a new appliance leads to its set-up, which begins with the operator password', async (context) => {
  const page = await opened(context);
  await showsStep(page, 'Welcome');
  await takePicture(page, 'set-up-welcome');
  const field = page.getByLabel('New operator password', { exact: true });
  await field.fill('short');
  await page.keyboard.press('Enter');
  await page.locator('#new-password[aria-invalid=true]:focus').waitFor();
  const other = await opened(context);
  await showsStep(other, 'Welcome');
  await claim(page);
  await page.locator('#new-password').waitFor({ state: 'detached' });

  // The second phone was slower, and asks for the password that the first one chose.
  await fill(other, 'New operator password', 'another password');
  await other.keyboard.press('Enter');
  await showsStep(other, 'Enter the operator password');
  await other.getByText('Another device was faster').waitFor();
  await fill(other, 'Operator password', 'another password');
  await other.keyboard.press('Enter');
  await other.getByText('That is not the operator password.').waitFor();
  await takePicture(other, 'set-up-wrong-password');
  await fill(other, 'Operator password', PASSWORD);
  await other.keyboard.press('Enter');
  await other.locator('#operator-password').waitFor({ state: 'detached' });

  await context.appliance.service.stop();
  await context.appliance.service.start();
  const later = await opened(context, '#set-up');
  await showsStep(later, 'Enter the operator password');
  await press(later, 'All scans');
  await says(later, 'What are you scanning?');
  await later.getByRole('link', { name: 'Finish the set-up' }).click();
  await fill(later, 'Operator password', PASSWORD);
  await later.keyboard.press('Enter');
  for (const step of SKIPPED) {
    await showsStep(later, step);
    await press(later, 'Do this later');
  }
  await showsStep(later, 'Test scan');
  await press(later, 'Finish');
  await showsStep(later, 'Almost ready');
  for (const step of SKIPPED)
    await later.getByRole('link', { name: `${step} To be done` }).waitFor();
});

test('the session holds behind a reverse proxy that serves the appliance below a path', async (context) => {
  const proxy = await proxyBelow('/scanner', context.appliance.service.port());
  try {
    const page = await openPage(context.browser, `${proxy.url}/`);
    await showsStep(page, 'Welcome');
    await claim(page);
    await showsStep(page, 'Scanner');
    await page.reload();
    await press(page, 'Do this later');
    await showsStep(page, 'Paperless-ngx');
    const [cookie] = await page.context().cookies();
    assert.is(cookie?.path, '/scanner/set-up');
    await page.evaluate('fetch("set-up/session", { method: "DELETE" })');
    assert.equal(await page.context().cookies(), []);
  } finally {
    await proxy.close();
  }
});

/** Removes the path, as proxies do for a location of their own. */
async function proxyBelow(
  below: string,
  port: number,
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const server = createServer((incoming, response) => {
    const { method, headers, url = '' } = incoming;
    const outgoing = request(
      { host: '127.0.0.1', port, method, headers, path: url.slice(below.length) },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(response);
      },
    );
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${below}`,
    close: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

test('a new appliance is set up to its first document, with mistakes on the way', async (context) => {
  const { appliance } = context;
  appliance.scanner.setFault({ kind: 'refuse', where: 'all' });
  const page = await opened(context);
  await showsStep(page, 'Welcome');
  await claim(page);

  await showsStep(page, 'Scanner');
  await page.getByText('Does not answer. Is it switched on?').waitFor();
  await press(page, 'Continue');
  await page.getByRole('alert').filter({ hasText: 'The scanner does not answer.' }).waitFor();
  await takePicture(page, 'set-up-scanner-off');
  appliance.scanner.setFault(null);
  await press(page, 'Look again');
  await page.getByText('Feeder, both sides, glass · color · up to 600 dpi').waitFor();
  await press(page, 'Continue');

  await showsStep(page, 'Paperless-ngx');
  await fill(page, 'Address', '127.0.0.1:1');
  await page.keyboard.press('Tab');
  await page.getByText('This address does not work yet.').waitFor();
  await press(page, 'Continue');
  await page.getByText('is this machine itself').waitFor();
  await fill(page, 'User', LOGIN.username);
  await fill(page, 'Password', 'wrong');
  await fill(page, 'Address', appliance.dms.url);
  await press(page, 'Continue');
  await page.getByText('refused the user name or the password').waitFor();
  await takePicture(page, 'set-up-wrong-login');
  await fill(page, 'Password', LOGIN.password);
  await page.keyboard.press('Enter');

  await showsStep(page, 'Languages and time zone');
  assert.ok(await page.getByLabel('English').isChecked());
  const zone = page.getByLabel('Time zone', { exact: true });
  assert.is(await zone.inputValue(), 'Europe/Berlin');
  await press(page, 'Continue');

  await showsStep(page, 'Buttons');
  await page.getByLabel('Receipts').uncheck();
  await press(page, 'Continue');

  await showsStep(page, 'Who may scan');
  const before = await lookedAt(page);
  await fill(page, 'Password for scanning', 'for-everyone');
  await press(page, 'Continue');

  await showsStep(page, 'Test scan');
  const family = await opened(context);
  await fill(family, 'Password for scanning', 'for-everyone');
  await family.getByRole('link', { name: 'Finish the set-up' }).waitFor();
  await takePicture(family, 'set-up-family');
  await press(page, /^Scan$/);
  await page.getByText('It works: the page was scanned and filed.').waitFor();
  await takePicture(page, 'set-up-tested');
  await press(page, 'Finish');

  await showsStep(page, 'Everything is ready');
  assert.is.not(await lookedAt(page), before, 'the self-test ran again after the last steps');
  const checked = page.waitForResponse('**/self-test');
  await press(page, 'Start scanning');
  await checked;
  await says(page, 'What are you scanning?');
  await page
    .getByRole('button', { name: /^Letters/ })
    .first()
    .waitFor();
  assert.is(await page.getByRole('button', { name: /Receipts/ }).count(), 0);
  // The other phone shows what has changed since.
  await family.keyboard.press('Enter');
  await says(family, 'What are you scanning?');
  await family.locator('#home').getByRole('link', { name: 'Settings' }).waitFor();
  await appliance.dms.idle();
  assert.match(appliance.dms.documents()[0]?.title ?? '', 'Test scan');

  // After the set-up, its steps are shown as settings.
  await page.getByRole('link', { name: 'Settings' }).click();
  await showsStep(page, 'Settings');
  await page.getByRole('link', { name: 'Scanner Virtual: Feeder' }).waitFor();
  await takePicture(page, 'set-up-overview');
  await page.getByRole('link', { name: /^Who may scan/ }).click();
  await showsStep(page, 'Who may scan');
  await page.getByLabel('Everyone in the network').check();
  await press(page, 'Save');
  await showsStep(page, 'Settings');
  await page.getByRole('link', { name: 'Who may scan Everyone in the network' }).waitFor();
  await press(page, 'Log out');
  await showsStep(page, 'Enter the operator password');
});
