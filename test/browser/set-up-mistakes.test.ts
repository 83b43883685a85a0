import { assert, until } from '../support/suite.ts';
import { pageTests, press, says } from './page-bench.ts';
import { opened, SCANNERS } from './set-up-bench.ts';

const test = pageTests('the set-up on the control page, when something is missing');

test('a scanner that is found by a second look is chosen, but a typed address stays', async (bench) => {
  const { page, service, show } = await opened(bench, {}, { scanners: [] });
  await show('=scanner');
  await page.getByText('No scanner was found.').waitFor();
  service.scanners = SCANNERS;
  await press(page, 'Look again');
  await page.getByRole('radio', { name: 'HP OfficeJet 8020' }).waitFor();
  assert.ok(await page.getByRole('radio', { name: 'HP OfficeJet 8020' }).isChecked());
  assert.not.ok(await page.getByLabel('Address of the scanner').isVisible());
  service.scanners = [];
  await show('=scanner');
  await page.getByText('No scanner was found.').waitFor();
  await page.getByLabel('Address of the scanner').fill('192.168.1.50');
  service.scanners = SCANNERS;
  await press(page, 'Look again');
  await page.getByRole('radio', { name: 'HP OfficeJet 8020' }).waitFor();
  assert.is(await page.getByLabel('Address of the scanner').inputValue(), '192.168.1.50');
  assert.ok(await page.getByRole('radio', { name: 'Another scanner' }).isChecked());
});

test('what the operator fixed cannot be saved in the settings, and names what fixed it', async (bench) => {
  const { page, service, show } = await opened(bench);
  service.state.finished = true;
  service.answers.to_do = [];
  service.answers.fixed.profiles = ['invoices', 'post'];
  service.answers.fixed.dms_api_token = 'dms_api_token';
  service.answers.fixed.scan_api_token = 'scan_api_token';
  for (const step of ['house', 'paperless']) {
    await show(`=${step}`);
    await page.getByText('It can be changed there only.').first().waitFor();
    assert.is(await page.getByRole('button', { name: 'Save' }).count(), 0, step);
  }
  assert.not.ok(await page.getByLabel('Address', { exact: true }).isEditable());
  await show('');
  for (const card of ['Scanner', 'Languages and time zone']) {
    await page.getByRole('link', { name: `${card} fixed by invoices, post` }).waitFor();
  }
  assert.is(await page.getByText('To be done').count(), 0);
});

test('an empty password or code is not sent', async (bench) => {
  const { page, service, show } = await opened(bench);
  await show('=paperless');
  await page.getByLabel('Address', { exact: true }).fill('paperless.lan');
  await page.getByLabel('User', { exact: true }).fill('anna');
  await page.getByLabel('Password', { exact: true }).fill('secret');
  const text = { en: 'A code is needed.', de: '' };
  const json = { error: 'destination_unavailable', message: '', problem: 'paperless.mfa', text };
  service.stored['/set-up/paperless'] = { status: 503, json };
  await page.keyboard.press('Enter');
  await page.locator('#paperless-code[aria-invalid=true]:focus').waitFor();
  await page.getByLabel('Address', { exact: true }).evaluate((field) => field.blur());
  const count = (): number => service.sent.filter(([, body]) => 'user' in Object(body)).length;
  assert.is(count(), 1);
  await page.locator('#paperless-code').press('Enter');
  await page.locator('#paperless-code[aria-invalid=true]:focus').waitFor();
  assert.is(count(), 1);
  service.state = { state: 'set', logged_in: false, finished: true };
  service.sent.length = 0;
  await show('');
  await page.locator('#operator-password').press('Enter');
  await page.getByText('Enter the password.').waitFor();
  assert.equal(service.sent, []);
});

test('a self-test without an answer checks no card, and a log-out forgets what was typed', async (bench) => {
  const { page, service, show } = await opened(bench);
  service.state.finished = true;
  await page.route('**/set-up/self-test*', (route) => route.abort());
  await show('=paperless');
  await page.getByLabel('Password', { exact: true }).fill('secret');
  await press(page, 'Settings');
  await page.locator('.check', { hasText: 'not checked' }).first().waitFor();
  assert.is(await page.locator('.check', { hasText: 'Checking' }).count(), 0);
  await page.getByText('The appliance does not answer.').waitFor();
  await press(page, 'Log out');
  await page.locator('#set-up-page').getByText('Paperless-ngx').first().click();
  await says(page, 'Paperless-ngx');
  assert.is(await page.getByLabel('Password', { exact: true }).inputValue(), '');
});

test('a set-up that cannot be loaded is loaded as soon as the service answers', async (bench) => {
  const { page } = await opened(bench);
  let isCut = true;
  await page.route(/\/(?:page\/set-up\/set-up\.js|)$/, (route) =>
    isCut ? route.abort() : route.fallback(),
  );
  await page.goto('about:blank');
  isCut = false;
  await page.goto(`http://127.0.0.1:${bench.app.port}/`);
  await page.locator('.card').first().waitFor();
  isCut = true;
  const asked = page.waitForRequest(/set-up\.js$/);
  await page.evaluate('location.hash = "set-up"');
  await asked;
  isCut = false;
  await page.locator('#set-up-title').waitFor();
});

const local = pageTests('the test scan of an appliance without a Paperless-ngx', {
  profiles: [{ name: 'default', isLocal: true }],
});

local('a document that stays on the machine is a good test scan', async (bench) => {
  const { page, service, show } = await opened(bench);
  service.stored['/set-up/finish'] = { json: { to_do: [] } };
  await show('=test');
  await press(page, /^Scan$/);
  await bench.feeder.feedPages(1);
  bench.feeder.end();
  await page.locator('.callout.good', { hasText: 'stays on the machine' }).waitFor();
  await until(() => service.sent.some(([path]) => path === '/set-up/finish'), 'the finish');
});
