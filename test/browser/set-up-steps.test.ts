import type { BrowserContextOptions, Page } from 'playwright-core';
import { assert } from '../support/suite.ts';
import { until } from '../support/within.ts';
import { pageTests, press, says, takePicture } from './page-bench.ts';
import { KINDS, opened, SCANNERS, selfTestCheck } from './set-up-bench.ts';

const test = pageTests('the steps of the set-up on the control page');

/** Checks of every card. */
const CHECKED = ['scanner', 'dms.tcp', 'processor', 'profiles', 'secrets.caller_token', 'storage'];

const SCREENS = [
  '=scanner',
  '=paperless',
  '=languages',
  '=buttons',
  '=house',
  '=test',
  '=done',
  '=password',
];

const DEVICES: Record<string, BrowserContextOptions> = {
  'a small phone in German, in the dark': {
    locale: 'de-DE',
    colorScheme: 'dark',
    viewport: { width: 320, height: 480 },
  },
  'a desktop in English': { viewport: { width: 1280, height: 800 } },
};

for (const [device, context] of Object.entries(DEVICES)) {
  test(`every step fits ${device}, and is accessible`, async (bench) => {
    const { page, service, show } = await opened(bench, context);
    service.stored['/set-up/finish'] = { json: { to_do: ['paperless', 'house'] } };
    const name = context.locale ?? 'desktop';
    const look = async (what: string): Promise<void> => {
      const { width } = page.viewportSize() ?? {};
      assert.is(await page.evaluate('document.documentElement.scrollWidth'), width, what);
      await takePicture(page, `set-up-${name}-${what}`);
    };
    for (const hash of SCREENS) {
      await show(hash);
      if (hash === '=scanner') await page.getByText('LiDE 400').waitFor();
      await look(hash.slice(1));
    }
    service.state.finished = true;
    await show('');
    await page.locator('#set-up-page details').click();
    const isGerman = context.locale === 'de-DE';
    const problem = isGerman
      ? 'Das dms.tcp Keine Antwort. Starten'
      : 'The dms.tcp No answer. Start';
    await page.locator('.checks li.bad', { hasText: problem }).waitFor();
    await look('settings');
    service.state = { state: 'set', logged_in: false, finished: true };
    await show('');
    await look('log-in');
    service.state = { state: 'new', logged_in: false, finished: false };
    await show('');
    await look('claim');
    service.state = { state: 'closed', logged_in: false, finished: true };
    await show('');
    await look('closed');
    service.state = { state: 'unreadable', logged_in: false, finished: true };
    await show('');
    await page.getByText(isGerman ? 'ist nicht lesbar' : 'cannot be read').waitFor();
    await look('unreadable');
  });
}

test('going back keeps what was typed, a reload keeps all but secrets, and a skipped step is still to do', async (bench) => {
  const { page, service, show } = await opened(bench);
  await show('=paperless');
  await page.getByLabel('Address', { exact: true }).fill('192.168.1.10:8000');
  await page.getByLabel('User', { exact: true }).fill('anna');
  await page.getByLabel('Password', { exact: true }).fill('secret');
  await page.getByText('Paperless-ngx answers there.').waitFor();
  await takePicture(page, 'set-up-paperless');
  await press(page, 'Back');
  await says(page, 'Scanner');
  await page.getByLabel('HP OfficeJet 8020').waitFor();
  await takePicture(page, 'set-up-scanner');
  await press(page, 'Continue');
  await says(page, 'Paperless-ngx');
  assert.is(await page.getByLabel('Password', { exact: true }).inputValue(), 'secret');
  await page.goBack();
  await says(page, 'Scanner');
  await page.goForward();
  await says(page, 'Paperless-ngx');
  assert.is(await page.getByLabel('User', { exact: true }).inputValue(), 'anna');
  await page.reload();
  await says(page, 'Paperless-ngx');
  const values = ['Address', 'User', 'Password'].map((label) =>
    page.getByLabel(label, { exact: true }).inputValue(),
  );
  assert.equal(await Promise.all(values), ['192.168.1.10:8000', 'anna', '']);
  await press(page, 'Do this later');
  await says(page, 'Languages and time zone');
  assert.equal(service.sent, [
    ['/set-up/paperless', { address: 'http://paperless:8000' }],
    ['/set-up/paperless', { address: '192.168.1.10:8000' }],
    ['/set-up/scanner', { scanner: 'airscan:e0:HP' }],
  ]);
  service.stored['/set-up/finish'] = { json: { to_do: ['paperless'] } };
  await show('=done');
  await says(page, 'Almost ready');
  await page.getByRole('link', { name: 'Paperless-ngx To be done' }).click();
  await says(page, 'Paperless-ngx');
});

/** A problem of the Paperless-ngx step: its key, the field that shows it, and whether a token was given. */
const PROBLEMS: [problem: string, field: string, isToken?: boolean][] = [
  ['paperless.tcp', 'paperless-address'],
  ['paperless.tls', 'paperless-address'],
  ['paperless.wrong_login', 'paperless-password'],
  ['paperless.mfa', 'paperless-code'],
  ['paperless.token', 'paperless-token', true],
  ['paperless.permission', 'paperless-password'],
];

test('a message of the service is shown at its field, in the language of the page', async (bench) => {
  const { page, service, show } = await opened(bench, { locale: 'de-DE' });
  service.answers.answers.paperless.token = true;
  for (const [problem, field, isToken = false] of PROBLEMS) {
    const text = { en: `English ${problem}`, de: `Deutsch ${problem}` };
    const json = { error: 'destination_unavailable', message: text.en, problem, text };
    service.stored['/set-up/paperless'] = { status: 503, json };
    await show('=paperless');
    if (isToken) {
      await page.getByLabel('Token', { exact: true }).first().check();
      await page.locator('#paperless-token').fill('0123456789');
    } else {
      await page.locator('#paperless-user').fill('anna');
      await page.locator('#paperless-password').fill('secret');
    }
    await page.keyboard.press('Enter');
    await page.locator(`#${field}[aria-invalid=true]:focus`).waitFor();
    if (problem === 'paperless.mfa') {
      await page.getByText('Authenticator-App zeigt').waitFor();
      await page.keyboard.type('123456');
      await page.keyboard.press('Enter');
    }
    await page.locator(`#${field}-said`, { hasText: text.de }).waitFor();
  }
  assert.equal(
    service.sent.filter(([, body]) => 'code' in Object(body)),
    [
      [
        '/set-up/paperless',
        { address: 'http://paperless:8000', user: 'anna', password: 'secret', code: '123456' },
      ],
    ],
  );
});

test('a setting that is fixed on the machine is shown with its name, and cannot be changed', async (bench) => {
  const { page, service, show } = await opened(bench);
  service.answers.fixed = {
    dms_url: 'DMS_URL',
    dms_api_token: 'dms_api_token',
    time_zone: 'TZ',
    scan_api_token: 'scan_api_token',
    profiles: ['invoices'],
  };
  for (const [step, name] of [
    ['paperless', 'DMS_URL'],
    ['paperless', 'dms_api_token'],
    ['languages', 'TZ'],
    ['house', 'scan_api_token'],
    ['buttons', 'invoices'],
  ]) {
    await show(`=${step}`);
    await page.getByText(name ?? '').waitFor();
  }
  await show('=paperless');
  assert.not.ok(await page.getByLabel('Address', { exact: true }).isEditable());
  await press(page, 'Continue');
  await says(page, 'Languages and time zone');
  assert.equal(service.sent, []);
});

test('the address that the installation assumes is proposed if a Paperless-ngx answers there', async (bench) => {
  const { page, service, show } = await opened(bench);
  const json = { problem: 'paperless.tcp', text: { en: 'Nothing answers there.', de: '' } };
  service.stored['/set-up/paperless'] = { status: 503, json };
  const asked = page.waitForResponse('**/set-up/paperless');
  await show('=paperless');
  await asked;
  await press(page, 'Continue');
  await page.locator('#paperless-address[aria-invalid=true]:focus').waitFor();
  assert.is(await page.getByLabel('Address', { exact: true }).inputValue(), '');
  service.stored = {};
  await show('=paperless');
  await page.getByText('Paperless-ngx answers there.').waitFor();
  const value = await page.getByLabel('Address', { exact: true }).inputValue();
  assert.is(value, 'http://paperless:8000');
});

for (const [locale, language] of [
  ['de-DE', 'Deutsch'],
  ['ga-IE', 'English'],
] as const) {
  test(`while the processor starts, a browser in ${locale} is offered ${language}`, async (bench) => {
    const { page, service, show } = await opened(bench, { locale });
    service.answers.languages.installed = null;
    await show('=languages');
    assert.ok(await page.getByLabel(language).isChecked());
  });
}

test('a language that is not installed is stored, and the page says how to install it', async (bench) => {
  const { page, service, show } = await opened(bench);
  const text = { en: 'Run `docker compose up --detach --build`.', de: '' };
  service.stored['/set-up/languages'] = { json: { missing: ['fra'], text } };
  await show('=languages');
  await page.getByLabel('English').uncheck();
  await press(page, 'Continue');
  await page.getByText('Choose at least one language.').waitFor();
  await page.getByText('These have to be installed on the machine first.').waitFor();
  await page.getByLabel('Another language').selectOption({ label: 'French' });
  await page.getByLabel('Time zone', { exact: true }).selectOption('Europe/Paris');
  await press(page, 'Continue');
  const command = page.locator('.command', { hasText: /^docker compose up --detach --build$/ });
  await command.waitFor();
  await page.getByText('Your choice is saved.').waitFor();
  assert.ok(await isInView(page, '.next'));
  const lines =
    'new Set([...document.querySelectorAll(".command span")].map((one) => one.getClientRects().length))';
  assert.equal(await page.evaluate(`[...${lines}]`), [1], 'no word of a command is broken');
  await takePicture(page, 'set-up-language-missing');
  await page.getByLabel('French (not installed)').uncheck();
  await command.waitFor({ state: 'detached' });
  await page.getByLabel('French (not installed)').check();
  await press(page, 'Continue');
  await command.waitFor();
  await press(page, 'Continue');
  await says(page, 'Buttons');
  const body = { languages: ['fra'], time_zone: 'Europe/Paris' };
  assert.equal(service.sent[0], ['/set-up/languages', body]);
});

test('the card of the languages says how to install a chosen language that is missing', async (bench) => {
  const { page, service, show } = await opened(bench);
  service.answers.answers.languages = ['deu', 'fra'];
  service.answers.languages.text = { en: 'Run `apt-get install tesseract-ocr-fra`.', de: '' };
  await show('=languages');
  await page.locator('.command', { hasText: 'apt-get install tesseract-ocr-fra' }).waitFor();
  await page.getByLabel('French (not installed)').uncheck();
  await page.locator('.command').waitFor({ state: 'detached' });
});

test('a restart, a scanner that is off, and a shown password are named', async (bench) => {
  const { page, show } = await opened(bench);
  await show('=paperless');
  const shown = page.getByRole('button', { name: 'Hide: Password' });
  await press(page, 'Show: Password');
  await shown.click();
  await press(page, 'Show: Password');
  assert.is(await shown.innerText(), 'Hide');
  await page.route('**/set-up/buttons', (route) => route.abort());
  await show('=buttons');
  await press(page, 'Continue');
  await page.getByText('It may be restarting: wait a minute').waitFor();
  const json = { error: 'no_scanner_detected', message: 'No scanner.' };
  await page.route(/\/scan$/, (route) => route.fulfill({ status: 503, json }));
  await show('=test');
  await press(page, /^Scan$/);
  await page.locator('.callout', { hasText: 'The scanner does not answer' }).waitFor();
  assert.is(await page.getByRole('link', { name: 'See this scan' }).count(), 0);
});

async function isInView(page: Page, selector: string): Promise<boolean> {
  const box = await page.locator(selector).boundingBox();
  const { height = 0 } = page.viewportSize() ?? {};
  return box !== null && box.y >= 0 && box.y + box.height <= height;
}

test('without a scanner in the list, its address can be typed', async (bench) => {
  const { page, service, show } = await opened(bench, {}, { scanners: [] });
  await show('=scanner');
  await page.getByText('No scanner was found.').waitFor();
  const text = { en: 'Nothing answers there.', de: '' };
  const json = { error: 'no_scanner_detected', message: '', problem: 'scanner.tcp', text };
  service.stored['/set-up/scanner'] = { status: 503, json };
  await page.getByLabel('Address of the scanner').fill('192.168.1.50');
  await press(page, 'Continue');
  await page.getByText(text.en).waitFor();
  assert.is(await page.evaluate('document.activeElement.id'), 'scanner-address');
  service.stored = {};
  await page.keyboard.press('Enter');
  await says(page, 'Paperless-ngx');
});

test('a chosen scanner that does not answer is not shown as ready', async (bench) => {
  const { page, service, show } = await opened(bench);
  service.answers.answers.scanner = { device: 'airscan:e1:Canon', name: 'LiDE 400', kinds: [] };
  service.scanners = SCANNERS.map((scanner) => ({
    ...scanner,
    problem: { error: 'no_scanner_detected', message: '' },
  }));
  await show('=scanner');
  const chosen = page.locator('.callout', { hasText: 'Chosen: LiDE 400' });
  await chosen.getByText('Does not answer. Is it switched on?').waitFor();
  assert.match((await chosen.getAttribute('class')) ?? '', /wait/);
  await page.locator('.choice-card.wait', { hasText: 'LiDE 400' }).waitFor();
  service.scanners = SCANNERS.map((scanner) => ({ ...scanner, problem: null }));
  await press(page, 'Look again');
  await page.locator('.callout.good', { hasText: 'Chosen: LiDE 400' }).waitFor();
});

test('the early check of the address moves nothing, and "Continue" tells its problem', async (bench) => {
  const { page, service, show } = await opened(bench);
  const text = { en: 'Nothing answers there. '.repeat(8), de: '' };
  const json = { error: 'destination_unavailable', message: '', problem: 'paperless.tcp', text };
  service.stored['/set-up/paperless'] = { status: 503, json };
  await show('=paperless');
  const password = page.getByLabel('Password', { exact: true });
  const before = await password.boundingBox();
  await page.getByLabel('Address', { exact: true }).fill('192.168.1.10');
  await password.click();
  await page.getByText('Nothing answers there. Is the port right').waitFor();
  assert.equal(await password.boundingBox(), before);
  await press(page, 'Continue');
  await page.locator('#paperless-address[aria-invalid=true]:focus').waitFor();
  await page.getByText('Nothing answers there.').waitFor();
  service.stored = {};
  await page.keyboard.press('Enter');
  await page.getByText('Enter the user.').waitFor();
});

test('the early check of the address moves nothing on a small phone, in German', async (bench) => {
  const { page, service, show } = await opened(
    bench,
    DEVICES['a small phone in German, in the dark'],
  );
  const text = { en: '', de: 'Dort antwortet nichts. '.repeat(8) };
  service.stored['/set-up/paperless'] = {
    status: 503,
    json: { error: '', message: '', problem: 'paperless.tcp', text },
  };
  await show('=paperless');
  const user = page.getByLabel('Benutzer', { exact: true });
  const top = (): Promise<number> => user.evaluate((field) => field.offsetTop);
  const before = await top();
  await page.getByLabel('Adresse', { exact: true }).fill('192.168.1.10');
  await page.keyboard.press('Tab');
  await page.getByText('Stimmt der Port (meist 8000)?').waitFor();
  assert.is(await top(), before);
});

for (const [locale, names, mistakes] of [
  [
    'en-US',
    ['English', 'French', 'German'],
    {
      'papier 12': 'A space cannot be used',
      'papier-ä-12': '“ä” cannot be used',
      short: 'This is too short',
    },
  ],
  [
    'de-DE',
    ['Deutsch', 'Englisch', 'Französisch'],
    { 'papier 12': 'Leerzeichen gehen', 'papier-ä-12': '„ä“ geht', kurz: 'Das ist zu kurz' },
  ],
] as const) {
  test(`languages are sorted by name, and a wrong password names its mistake: ${locale}`, async (bench) => {
    const { page, service, show } = await opened(bench, { locale });
    service.answers.languages.installed = ['deu', 'eng', 'fra'];
    await show('=languages');
    assert.equal(await page.locator('.segments label').allInnerTexts(), names);
    service.answers.answers.house = 'password';
    await show('=house');
    const field = page.locator('#house-password');
    for (const [typed, text] of Object.entries(mistakes)) {
      await field.fill(typed);
      await page.keyboard.press('Enter');
      await page.locator('#house-password-said', { hasText: text }).waitFor();
    }
    const kept = locale === 'de-DE' ? 'Ein Passwort ist gesetzt.' : 'A password is set.';
    await page.locator('#house-password-hint', { hasText: kept }).waitFor();
    await field.fill('');
    await page.keyboard.press('Enter');
    await field.waitFor({ state: 'hidden' });
    assert.equal(service.sent, []);
  });
}

test('the test scan asks for the password for scanning with one message', async (bench) => {
  const { page, show } = await opened(bench);
  let known = false;
  const refused = { error: 'unauthorized', message: 'The token is missing.' };
  await page.route('**/session', (route) => {
    known = route.request().postDataJSON().token === 'for-everyone';
    return route.fulfill(known ? { status: 204 } : { status: 401, json: refused });
  });
  const scans: boolean[] = [];
  await page.route(/\/scan(?:s\/.*)?$/, (route) => {
    scans.push(known);
    const busy = { error: 'scanner_busy', message: '' };
    return route.fulfill({ status: known ? 409 : 401, json: known ? busy : refused });
  });
  await show('=test');
  await press(page, /^Scan$/);
  await page.getByText('Enter the password for scanning, then scan.').waitFor();
  assert.is(await page.getByText('token').count(), 0);
  assert.is(await page.locator('.callout').count(), 0);
  await page.locator('#house-password').fill('wrong');
  await press(page, /^Scan$/);
  await page.getByText('That is not the password for scanning.').waitFor();
  assert.equal(scans, [false]);
  await page.locator('#house-password').fill('for-everyone');
  await press(page, /^Scan$/);
  await page.getByText('The scanner is in use').waitFor();
  assert.not.ok(await page.locator('#house-password').isVisible());
});

test('the test scan can be stopped, counts its pages, and finishes the set-up', async (bench) => {
  const { feeder, holdReading } = bench;
  const { page, service, show } = await opened(bench);
  service.stored['/set-up/finish'] = { json: { to_do: [] } };
  await show('=test');
  await press(page, /^Scan$/);
  await feeder.feedPages(2);
  await page.getByText('Scanning: 2 pages').waitFor();
  await page.getByRole('button', { name: 'Test scan is running', disabled: true }).waitFor();
  await takePicture(page, 'set-up-test-scanning');
  await press(page, 'Stop after this sheet');
  await page.locator('.callout', { hasText: 'Stopped' }).waitFor();
  assert.not.ok(await page.getByRole('button', { name: /^Stop/ }).isVisible());
  await press(page, 'Scan once more');
  const release = holdReading();
  await feeder.feedPages(2);
  feeder.end();
  await page.getByText('0 of 2 pages read').waitFor();
  const bar = page.locator('#set-up-page form progress');
  assert.equal(await bar.evaluate((one) => [Object(one).value, Object(one).max]), [0, 2]);
  await takePicture(page, 'set-up-test-reading');
  assert.equal(service.sent, []);
  release();
  await page.getByText('It works: 2 pages were scanned and filed.').waitFor();
  await takePicture(page, 'set-up-test');
  await until(() => service.sent.some(([path]) => path === '/set-up/finish'), 'the finish');
  service.state.finished = true;
  await press(page, 'Back');
  await says(page, 'Who may scan');
  await page.goBack();
  await page.locator('.next.primary').waitFor();
  await press(page, 'Finish');
  await says(page, 'Everything is ready');
});

for (const [locale, names] of [
  ['en-US', ['Europe/Berlin (Central European Time)', 'Africa/Nairobi (East Africa Time)']],
  ['de-DE', ['Europa/Berlin (Mitteleuropäische Zeit)', 'Afrika/Nairobi (Ostafrikanische Zeit)']],
] as const) {
  test(`time zones have names, and buttons the order of the page: ${locale}`, async (bench) => {
    const { page, service, show } = await opened(bench, { locale });
    await show('=languages');
    const zones = await page.locator('#time-zone option').allInnerTexts();
    for (const name of names) assert.ok(zones.includes(name), name);
    const [first] = service.answers.answers.buttons;
    assert.ok(first);
    service.answers.answers.buttons = [
      ...['Scan 10', 'Scan 2'].map((label) => ({ ...first, name: label, label })),
      first,
    ];
    await show('=buttons');
    const labels = await page.locator('.choice-card strong').allInnerTexts();
    assert.equal(labels.slice(1), ['Scan 2', 'Scan 10']);
  });
}

test('a default button that the scanner cannot do leads to its profile', async (bench) => {
  const { page, service, show } = await opened(bench);
  for (const one of service.answers.answers.buttons) one.fits = one.name === 'receipts';
  await show('=buttons');
  await page.getByText('“Letters” is always on the page, but your scanner cannot do it.').waitFor();
  await page.getByText('Your scanner cannot do these: Card.').waitFor();
  await takePicture(page, 'set-up-unfit-default');
  await page.getByRole('link', { name: 'Change how it scans' }).click();
  await page.waitForURL(/#set-up=profile\/default$/);
});

test('settings say what was saved', async (bench) => {
  const { page, service, show } = await opened(bench);
  service.state.finished = true;
  Object.assign(service.answers.answers, {
    scanner: { device: 'airscan:e0:HP', name: 'HP OfficeJet 8020', kinds: KINDS },
    paperless: { address: 'http://192.168.1.10:8000', token: true },
    languages: ['eng', 'deu'],
    time_zone: 'Europe/Berlin',
    house: 'password',
  });
  service.answers.to_do = [];
  service.stored['/set-up/buttons'] = { json: { buttons: [] } };
  service.stored['/set-up/house'] = { status: 204, json: {} };
  service.stored['/set-up/password'] = { status: 204, json: {} };
  const saved = page.getByRole('status').filter({ visible: true });
  await show('=buttons');
  await press(page, 'Save');
  await saved.getByText('Saved: Buttons').waitFor();
  await show('=house');
  await page.getByText('each phone must enter the new one').waitFor();
  await page.locator('#house-password').fill('for-everyone');
  await press(page, 'Save');
  await saved.getByText('Each phone now asks for it once.').waitFor();
  await takePicture(page, 'set-up-saved');
  await show('=password');
  await page.locator('#operator-password').fill('the old password');
  await page.locator('#new-password').fill('the new password');
  await press(page, 'Save');
  await saved.getByText('The operator password was changed.').waitFor();
  assert.ok(await isInView(page, '#set-up-page button >> nth=0'), 'a way back at the top');
  await page.locator('#set-up-page').getByText('Test scan').click();
  await says(page, 'Test scan');
  assert.is(await page.getByRole('button', { name: 'Save' }).count(), 0);
  await press(page, 'Settings');
  await says(page, 'Settings');
  assert.is(await page.getByText('was changed').count(), 0);
  const checks = CHECKED.map((id) => selfTestCheck(id, 'ok', 'It works.', 'Es geht.'));
  service.selfTest = { status: 'ok', looked_at: new Date().toISOString(), checks };
  await show('');
  await page
    .getByText(/^Checked .*: answers$/)
    .first()
    .waitFor();
  await takePicture(page, 'set-up-settings');
});

test('the log-in says why it is unexpected', async (bench) => {
  const { page, service, show } = await opened(bench);
  service.state = { state: 'set', logged_in: false, finished: true, password_changed: true };
  await show('');
  await page.getByText('was changed after you logged in on this device').waitFor();
  service.state = { state: 'new', logged_in: false, finished: false };
  await show('');
  service.stored['/set-up/claim'] = { status: 409, json: { error: 'set_up_closed', message: '' } };
  service.state = { state: 'set', logged_in: false, finished: false };
  await page.locator('#new-password').fill('one of two phones');
  await page.keyboard.press('Enter');
  await says(page, 'Enter the operator password');
  await page.getByText('Another device was faster').waitFor();
  await takePicture(page, 'set-up-claimed-elsewhere');
});

test('a page that becomes visible again learns that the set-up was finished', async (bench) => {
  const { page, service } = await opened(bench);
  const link = page.locator('#settings');
  await link.getByText('Finish the set-up').waitFor();
  service.state.finished = true;
  await page.evaluate('window.dispatchEvent(new Event("scan-page-woken"))');
  await link.getByText('Settings').waitFor();
});

test('a service without set-up in the browser neither offers nor loads it', async ({
  app,
  open,
}) => {
  const page = await open('about:blank');
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
  const asked = page.waitForResponse('**/set-up');
  const errors: string[] = [];
  page.on('console', (one) => one.type() === 'error' && errors.push(one.location().url));
  await page.goto(`http://127.0.0.1:${app.port}/`);
  assert.is((await (await asked).json()).state, 'off');
  await page.locator('.card').first().waitFor();
  assert.not.ok(await page.locator('#settings').isVisible());
  assert.equal(
    loaded.filter((name) => /page\/.*set-up/.test(name)),
    [],
  );
  await page.goto(`http://127.0.0.1:${app.port}/#set-up`);
  await page.getByText('Set-up in the browser is switched off.').waitFor();
  assert.equal(
    errors.filter((url) => url.includes('/set-up')),
    [],
  );
});
