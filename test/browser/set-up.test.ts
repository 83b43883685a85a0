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

const test = suite<NewAppliance>('the set-up in the browser');

test.before(async (context) => {
  context.browser = await launch();
});
test.before.each(async (context) => {
  context.appliance = await startAppliance({
    isNew: true,
    profiles: [],
    scanner: { pages: [path.join(PAGES, 'letter-school.jpg')], name: 'Office 8020' },
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
  await later.getByRole('link', { name: 'Settings' }).waitFor();
});
