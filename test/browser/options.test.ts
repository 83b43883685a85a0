import type { Page } from 'playwright-core';
import type { ProfileSummary, ScannerChoice } from '../../service/page/types.d.ts';
import { assert } from '../support/suite.ts';
import {
  openOptions,
  pageTests,
  press,
  says,
  scanWithOptions,
  takePicture,
  type PageBench,
} from './page-bench.ts';

const test = pageTests('the options of a button on the control page');

const SETTINGS = {
  source: 'ADF',
  mode: 'Gray',
  resolution: 300,
  page_size: 'a4',
  page_grouping: 'combined',
  remove_blank_pages: 'none',
  languages: ['eng'],
};

const LETTERS: ProfileSummary = {
  name: 'default',
  label: { en: 'Letters', de: 'Briefe' },
  description: '',
  kind: 'feeder',
  mode: 'Gray',
  resolution: 300,
  usable: true,
  public_urls: [null],
  settings: SETTINGS,
  icon: null,
  saved: false,
  based_on: null,
  revision: null,
  own: null,
};

const MODES: ScannerChoice['modes'] = [
  { mode: 'Color', kind: 'color' },
  { mode: 'Gray', kind: 'gray' },
];

const CHOICES: ScannerChoice[] = [
  {
    source: 'ADF',
    sides: null,
    kind: 'feeder',
    modes: MODES,
    resolutions: [150, 200, 300, 600],
    page_sizes: ['auto', 'a4', 'a5'],
  },
  {
    source: 'ADF Duplex',
    sides: null,
    kind: 'both_sides',
    modes: MODES,
    resolutions: [200, 300],
    page_sizes: ['a4'],
  },
];

interface Shown {
  profiles?: ProfileSummary[];
  saving?: { possible: boolean; left: number };
  scanners?: { status: number; json: object };
}

/** Replaces the service's answers about profiles. `shown` may be changed later. */
async function show(page: Page, shown: Shown): Promise<void> {
  await page.route('**/profiles', (route) =>
    route.fulfill({
      json: {
        profiles: shown.profiles ?? [LETTERS],
        problems: [],
        languages: ['deu', 'eng'],
        saving: shown.saving ?? { possible: true, left: 50 },
      },
    }),
  );
  const json = { scanners: [{ profiles: ['default'], choices: CHOICES }] };
  await page.route('**/scanners', (route) => route.fulfill(shown.scanners ?? { json }));
}

async function opened(
  bench: PageBench,
  shown: Shown = {},
  context: Parameters<PageBench['open']>[1] = {},
): Promise<Page> {
  const page = await bench.open('about:blank', context);
  await show(page, shown);
  await page.goto(`http://127.0.0.1:${bench.app.port}/`);
  await page.locator('.card').first().waitFor();
  return page;
}

async function choose(page: Page, text: string): Promise<void> {
  await page.getByRole('dialog').getByLabel(text, { exact: true }).check();
}

async function sentBy(
  { feeder }: PageBench,
  page: Page,
  work: () => Promise<void>,
): Promise<unknown> {
  const request = page.waitForRequest((one) => one.method() === 'POST');
  await work();
  feeder.end('no_documents');
  await says(page, 'The feeder is empty');
  return (await request).postDataJSON();
}

test('one sheet in colour: the choice is shown on the button, kept on that phone, and reset by one touch', async (bench) => {
  const page = await opened(bench);
  await openOptions(page);
  await page.getByLabel('Both sides').waitFor();
  assert.is(await page.getByText(/600/).count(), 1);
  await takePicture(page, 'settings');
  await choose(page, 'Color');
  await choose(page, 'Finest (600)');
  await choose(page, 'Feeder, both sides');
  // Scans of both sides do not support 600 dpi.
  assert.is(await page.getByText(/600/).count(), 0);
  await press(page, 'Close');
  const chosen = page.locator('.chosen');
  assert.is(await chosen.innerText(), 'Color, both sides');
  await page.reload();
  assert.is(await chosen.innerText(), 'Color, both sides');
  await takePicture(page, 'chosen');
  const body = await sentBy(bench, page, () => page.locator('.profile').click());
  assert.equal(body, { profile: 'default', settings: { mode: 'Color', source: 'ADF Duplex' } });
  await page.locator('#back').click();
  await openOptions(page, /Letters/);
  await press(page, 'Back to the button’s own');
  await page.getByText('As the button has it.').waitFor();
  const plain = await sentBy(bench, page, () => scanWithOptions(page));
  assert.equal(plain, { profile: 'default' });
});

test('waiting before filing is a choice that stays, and each button shows it', async (bench) => {
  const page = await opened(bench);
  const wait = page.getByLabel('Wait before filing');
  const mark = page.locator('.profile', { hasText: 'Waits before filing' });
  assert.is(await mark.count(), 0);
  await wait.check();
  await mark.waitFor();
  await page.getByText(/^On for this device/).waitFor();
  await takePicture(page, 'waits');
  const held = { profile: 'default', hold: true };
  assert.equal(await sentBy(bench, page, () => page.locator('.profile').click()), held);
  await page.locator('#back').click();
  await page.waitForURL(/#$/);
  await page.reload();
  await mark.waitFor();
  assert.ok(await wait.isChecked());
  await wait.uncheck();
  await mark.waitFor({ state: 'detached' });
  const plain = await sentBy(bench, page, () => page.locator('.profile').click());
  assert.equal(plain, { profile: 'default' });
});

test('a language can be chosen, and the last one is remembered', async (bench) => {
  const page = await opened(bench, {}, { locale: 'de-DE' });
  await page.locator('.more').click();
  await page.getByLabel('Beide Seiten').waitFor();
  assert.ok(await page.getByLabel('Englisch').isDisabled());
  await page.getByLabel('Deutsch').check();
  await page.getByLabel('Englisch').uncheck();
  await takePicture(page, 'settings-german');
  await press(page, 'Schließen');
  assert.is(await page.locator('.chosen').innerText(), 'Deutsch');
});

test('a setting can be chosen by keyboard without losing focus', async (bench) => {
  const page = await opened(bench, {}, { viewport: { width: 320, height: 480 } });
  await page.locator('.more').focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('Good (300)').focus();
  await page.keyboard.press('ArrowRight');
  assert.ok(await page.getByLabel('Finest (600)').isChecked());
  assert.is(await page.evaluate('document.activeElement.id'), 'resolution-600');
  await takePicture(page, 'settings-small');
  assert.is(await page.evaluate('document.documentElement.scrollWidth'), 320);
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  assert.is(await page.evaluate('document.activeElement.id'), 'options-default');
  assert.is(await page.locator('.chosen').innerText(), '600 dpi');
});

test('the other options remain if a scanner does not describe itself', async (bench) => {
  const scanners = { status: 409, json: { error: 'scanner_busy', message: 'Busy.' } };
  const page = await opened(bench, { scanners });
  await openOptions(page);
  await page.getByText(/does not say right now/).waitFor();
  await choose(page, 'One document per page');
  const body = await sentBy(bench, page, () => scanWithOptions(page));
  assert.equal(body, { profile: 'default', settings: { page_grouping: 'per_page' } });
});

const SCHOOL: ProfileSummary = {
  ...LETTERS,
  name: 'school-1f3a',
  label: 'Schule',
  icon: 'school',
  saved: true,
  based_on: 'default',
  revision: '3b1f',
  own: { label: 'Schule', icon: 'school', settings: { mode: 'Color' } },
};

/** With these buttons, the list is longer than the screen. */
const OTHERS = ['a', 'b', 'c', 'd', 'e'].map((name) => ({
  ...LETTERS,
  name,
  label: `Folder ${name}`,
}));

test('two taps save a choice as a new button, which is shown, and reset the original one', async (bench) => {
  const shown: Shown = { profiles: [LETTERS, ...OTHERS] };
  const page = await opened(bench, shown, { viewport: { width: 320, height: 480 } });
  let put: { path: string; body: unknown } | undefined;
  await page.route('**/profiles/*', async (route) => {
    const request = route.request();
    put = { path: new URL(request.url()).pathname, body: request.postDataJSON() };
    shown.profiles = [LETTERS, ...OTHERS, SCHOOL];
    await route.fulfill({ status: 201, json: SCHOOL });
  });
  await openOptions(page);
  await choose(page, 'Color');
  await press(page, 'Save as a button');
  assert.is(await page.getByLabel('Name of the button').inputValue(), 'Letters, color');
  await page.getByLabel('Name of the button').fill('Schüler & Eltern');
  await page.getByLabel('School', { exact: true }).check();
  await takePicture(page, 'save');
  for (const one of await page.locator('.sheet :is(button, input)').all()) {
    const box = await one.boundingBox();
    assert.ok(box && box.y >= 0 && box.y + box.height <= 480, 'nothing has to be scrolled for');
  }
  await press(page, 'Save this button');
  await page.locator('#notice', { hasText: '“Schüler & Eltern” is saved' }).waitFor();
  await page.locator('.profile:focus', { hasText: 'Schule' }).waitFor();
  const box = await page.locator('.profile', { hasText: 'Schule' }).boundingBox();
  const notice = await page.locator('#notice').boundingBox();
  assert.ok(box && notice && box.y >= 0 && box.y + box.height <= notice.y, 'both are seen');
  assert.ok(notice.y + notice.height <= 480);
  assert.match(put?.path ?? '', /^\/profiles\/schuler-eltern-[0-9a-f]{4}$/);
  assert.equal(put?.body, {
    based_on: 'default',
    label: 'Schüler & Eltern',
    icon: 'school',
    settings: { mode: 'Color' },
  });
  assert.is(await page.locator('.chosen').count(), 0);
  await takePicture(page, 'saved');
});

test('a saved button is changed, and the change of a faster phone is shown first', async (bench) => {
  const button = { ...SCHOOL, settings: { ...SETTINGS, mode: 'Color' } };
  const shown: Shown = { profiles: [LETTERS, button] };
  const page = await opened(bench, shown);
  const puts: { revision: string | undefined; path: string; body: unknown }[] = [];
  await page.route('**/profiles/*', async (route) => {
    const request = route.request();
    const revision = request.headers()['if-match'];
    puts.push({ revision, path: new URL(request.url()).pathname, body: request.postDataJSON() });
    if (puts.length === 1) {
      shown.profiles = [LETTERS, { ...button, label: 'Verein', revision: '4c2e' }];
      await route.fulfill({ status: 412, json: { error: 'profile_changed', message: 'No.' } });
    } else await route.fulfill({ json: button });
  });
  const change = async (): Promise<void> => {
    await press(page, 'Change this button');
    await page.getByLabel('Name of the button').fill('Schule und Verein');
    await press(page, 'Save this button');
  };
  await openOptions(page, /Schule/);
  await choose(page, 'Finest (600)');
  await takePicture(page, 'saved-options');
  const dialog = page.getByRole('dialog');
  assert.equal(await dialog.locator('footer button').allInnerTexts(), [
    'Scan',
    'Change this button',
  ]);
  assert.equal(await dialog.locator('.saving button').allInnerTexts(), [
    'Save as a button',
    'Remove this button',
  ]);
  await press(page, 'Change this button');
  assert.is(await dialog.getByRole('radio').count(), ICON_COUNT);
  assert.not(await page.getByLabel('Sheet', { exact: true }).isChecked());
  assert.is(await page.getByLabel('Name of the button').inputValue(), 'Schule');
  await press(page, 'Cancel');
  await change();
  await page.getByRole('alert').filter({ hasText: 'Another phone was faster' }).waitFor();
  await page.getByRole('dialog', { name: 'Options: Verein' }).waitFor();
  await takePicture(page, 'changed-elsewhere');
  await change();
  await page.locator('#notice', { hasText: '“Schule und Verein” is saved' }).waitFor();
  const path = '/profiles/school-1f3a';
  const body = {
    based_on: 'default',
    label: 'Schule und Verein',
    icon: 'school',
    settings: { mode: 'Color', resolution: 600 },
  };
  assert.equal(puts, [
    { revision: '"3b1f"', path, body },
    { revision: '"4c2e"', path, body },
  ]);
});

/** Also the plain sheet, whichever icon the button has. */
const ICON_COUNT = 12;

const REFUSALS: [status: number, error: string, said: RegExp][] = [
  [507, 'insufficient_storage', /The disk cannot take more/],
  [409, 'profile_exists', /A button has this name/],
  [409, 'too_many_profiles', /There are too many buttons/],
  [412, 'profile_changed', /Another phone was faster/],
  [401, 'unauthorized', /The password is missing/],
];

for (const [status, error, said] of REFUSALS) {
  test(`an unsaved button shows the cause: ${error}`, async (bench) => {
    const page = await opened(bench);
    const json = { error, message: 'No.' };
    await page.route('**/profiles/*', (route) => route.fulfill({ status, json }));
    await openOptions(page);
    await press(page, 'Save as a button');
    await press(page, 'Save this button');
    await page.getByRole('alert').filter({ hasText: said }).waitFor();
    await takePicture(page, `save-${error}`);
  });
}

test('options that cannot be saved are not offered', async (bench) => {
  const page = await opened(bench, { saving: { possible: false, left: 0 } });
  await openOptions(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Done' }).waitFor();
  const full = await opened(bench, { saving: { possible: true, left: 0 }, profiles: [SCHOOL] });
  await openOptions(full, /Schule/);
  await full.getByText(/as many buttons as there can be/).waitFor();
  assert.is(await full.getByRole('button', { name: 'Save as a button' }).count(), 0);
});

test('a button without its profile says so, does not scan, and can be removed from any phone', async (bench) => {
  const broken: ProfileSummary = {
    ...SCHOOL,
    kind: null,
    mode: null,
    resolution: null,
    usable: false,
    public_urls: [],
    settings: null,
  };
  const shown: Shown = { profiles: [LETTERS, broken] };
  const page = await opened(bench, shown);
  const card = page.locator('.profile', { hasText: 'Schule' });
  assert.match(await card.innerText(), 'its profile is missing');
  await card.click({ force: true });
  await says(page, 'What are you scanning?');
  await takePicture(page, 'broken-button');
  let removed: string | undefined;
  await page.route('**/profiles/*', async (route) => {
    removed = `${route.request().method()} ${route.request().headers()['if-match']}`;
    shown.profiles = [LETTERS];
    await route.fulfill({ status: 404, json: { error: 'profile_not_found', message: 'Gone.' } });
  });
  await openOptions(page, /Schule/);
  await press(page, 'Remove this button');
  await press(page, 'Yes');
  await card.waitFor({ state: 'detached' });
  await page.locator('#notice', { hasText: '“Schule” is removed' }).waitFor();
  assert.is(removed, 'DELETE "3b1f"');
});
