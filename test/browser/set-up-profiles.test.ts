import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { scannersBody } from '../../service/http/routes/set-up.ts';
import type { Operator } from '../../service/operator/operator.ts';
import { SHIPPED } from '../../service/profiles/load-directories.ts';
import { createProfileStore, type ProfileStore } from '../../service/profiles/store.ts';
import type { SelfTestResult } from '../../service/self-test/self-test.ts';
import { createOwnFiles } from '../../service/settings/own-files.ts';
import { createProfileForms } from '../../service/set-up/profiles/profile-forms.ts';
import { ANSWERS, SCANNERS, SELF_TEST } from '../contract/samples.ts';
import { capturedLog } from '../support/captured-log.ts';
import { fakeSteps } from '../support/fake-steps.ts';
import { assert, withFixture } from '../support/suite.ts';
import { startTestApp } from '../support/test-app.ts';
import { launch, openPage, press, says, takePicture } from './page-bench.ts';

const NEVER_MS = 3_600_000;
const MINUTE_MS = 60_000;
const OPERATORS = 'name: invoices\nlabel: Rechnungen\ndestinations: []\ntrigger: {paper: true}\n';

/** Everyone is logged in, until a test logs them out. */
function openOperator(): { readonly operator: Operator; logOut: () => void } {
  let isLoggedIn = true;
  const refuse = (): never => {
    throw new Error('not expected in this test');
  };
  return {
    operator: {
      state: async () => 'set',
      isReplaced: () => false,
      claim: refuse,
      logIn: refuse,
      change: refuse,
      isLoggedIn: async () => isLoggedIn,
      logOut: async () => {},
    },
    logOut: () => void (isLoggedIn = false),
  };
}

/** A service with real profiles, whose scanner and self-test are played. */
async function openSettings(directory: string): Promise<{
  readonly store: ProfileStore;
  readonly port: number;
  readonly operators: string;
  readonly logOut: () => void;
  readonly asked: boolean[];
  close(): Promise<void>;
}> {
  const operators = path.join(directory, 'operators');
  await mkdir(operators);
  await writeFile(path.join(operators, 'bills.yaml'), OPERATORS);
  const files = createOwnFiles(path.join(directory, 'settings'));
  const own = files.pathOf('profiles');
  const store = await createProfileStore({
    directories: [operators, own, SHIPPED],
    ownFiles: { directory: own, read: files.readFile },
    savedDir: path.join(directory, 'saved'),
    outputDir: directory,
    dmsUrl: () => 'http://paperless:8000',
    installedLanguages: () => ['deu', 'eng'],
    log: capturedLog().log,
    lookEveryMs: NEVER_MS,
  });
  const { operator, logOut } = openOperator();
  const settings = { current: () => ({}) };
  const asked: boolean[] = [];
  const app = await startTestApp({
    store,
    names: () => ({ list: async () => ({ kind: 'objects', objects: TAGS }) }),
    operator: {
      operator,
      isNew: async () => false,
      isFinished: () => true,
      steps: fakeSteps({
        answers: async () => ({ ...ANSWERS, answers: FOUND, languages: INSTALLED, to_do: [] }),
        scanners: async () => scannersBody(SCANNERS, [], undefined),
        selfTest: async (refresh) => {
          asked.push(refresh);
          return selfTest(refresh ? 0 : 2);
        },
        profileForms: createProfileForms({ files, settings, profiles: store }),
      }),
    },
  });
  const close = async (): Promise<void> => {
    store.close();
    await app.close();
  };
  return { store, port: app.port, operators, logOut, asked, close };
}

/** French was removed after the page had asked. */
const INSTALLED = { ...ANSWERS.languages, installed: ['deu', 'eng', 'fra'] };

const FOUND = {
  ...ANSWERS.answers,
  scanner: ANSWERS.answers.scanner && {
    ...ANSWERS.answers.scanner,
    name: 'airscan:escl:Scanner:http://10.0.0.9/eSCL',
  },
};

const TAGS = ['Invoice', 'School'].map((name, index) => ({ id: index + 1, name }));

function selfTest(minutes: number): SelfTestResult {
  const looked_at = new Date(Date.now() - minutes * MINUTE_MS).toISOString();
  const fine = { found: null, expected: null, remedy: null, status: 'ok', message: '' } as const;
  const scanner = { ...fine, id: 'scanner', subject: 'auto' };
  return { ...SELF_TEST, looked_at, checks: [scanner, ...SELF_TEST.checks] };
}

const test = withFixture('profiles in the settings of the page', async (directory) => {
  const service = await openSettings(directory);
  const browser: Browser = await launch();
  return {
    ...service,
    open: (hash: string, options?: BrowserContextOptions): Promise<Page> =>
      openPage(browser, `http://127.0.0.1:${service.port}/#set-up${hash}`, options),
    close: async () => {
      await browser.close();
      await service.close();
    },
  };
});

const LANGUAGES = [
  {
    options: { locale: 'en-US' },
    title: 'Profiles',
    fixed: 'Written on the machine, in bills.yaml. Change it there.',
    add: 'New profile',
    save: 'Save',
    name: 'Name',
    missing: 'Enter a name.',
    wrong: 'Must be a whole number from 0 to 99.',
    placeholder: 'Has the unknown placeholder {secret}',
    trigger: 'With a button of the scanner',
    saved: 'Saved: School',
    remove: 'Remove this profile',
    yes: 'Yes',
    removed: 'Removed: School',
  },
  {
    options: { locale: 'de-DE', viewport: { width: 320, height: 480 } },
    title: 'Profile',
    fixed: 'Auf dem Rechner angelegt, in bills.yaml, und nur dort zu ändern.',
    add: 'Neues Profil',
    save: 'Speichern',
    name: 'Name',
    missing: 'Geben Sie einen Namen ein.',
    wrong: 'Nehmen Sie eine ganze Zahl von 0 bis 99.',
    placeholder: 'in Klammern nur die Platzhalter unten',
    trigger: 'Mit einem Knopf am Scanner',
    saved: 'Gespeichert: School',
    remove: 'Dieses Profil entfernen',
    yes: 'Ja',
    removed: 'Entfernt: School',
  },
];

async function looksGood(page: Page, name: string): Promise<void> {
  const { width } = page.viewportSize() ?? {};
  assert.is(await page.evaluate('document.documentElement.scrollWidth'), width, name);
  await takePicture(page, name);
}

for (const { options, ...texts } of LANGUAGES) {
  test(`a profile is made, corrected and removed with the keyboard: ${options.locale}`, async ({
    open,
    store,
  }) => {
    const page = await open('=profiles', options);
    await says(page, texts.title);
    await page.getByText(texts.fixed).waitFor();
    const shown = await page.locator('.setting strong').allInnerTexts();
    assert.equal(shown, shown.toSorted(new Intl.Collator(options.locale).compare));
    assert.is(await page.getByText('receipts ·').count(), 0);
    assert.is(await page.getByRole('link', { name: /Rechnungen/ }).count(), 0);
    await looksGood(page, `profiles-${options.locale}`);
    await page.getByRole('link', { name: texts.add }).focus();
    await page.keyboard.press('Enter');
    await says(page, texts.add);
    await looksGood(page, `profile-new-${options.locale}`);
    await press(page, texts.save);
    await page.locator('#profile--label[aria-invalid=true]:focus').waitFor();
    await page.getByText(texts.missing).waitFor();
    await page.keyboard.type('School');
    await page.locator('#profile--mode').selectOption('Gray');
    await page.locator('#profile--tags').fill('School, 2026');
    await page.locator('#profile--title').fill('{secret}');
    await page.locator('#profile--trigger').selectOption({ label: texts.trigger });
    await page.locator('#profile--function').fill('x');
    await page.keyboard.press('Enter');
    await page.locator('#profile--title[aria-invalid=true]:focus').waitFor();
    await page.locator('#profile--title-said', { hasText: texts.placeholder }).waitFor();
    await page.locator('#profile--title').fill('{date}');
    await page.keyboard.press('Enter');
    await page.locator('#profile--function[aria-invalid=true]:focus').waitFor();
    await page.locator('#profile--function-said', { hasText: texts.wrong }).waitFor();
    await looksGood(page, `profile-wrong-${options.locale}`);
    assert.is(await page.locator('#profile--label').inputValue(), 'School');
    await page.locator('#profile--function').fill('2');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText(texts.saved).waitFor();
    await looksGood(page, `profile-saved-${options.locale}`);
    const made = store.list().find(({ label }) => label === 'School');
    assert.match(made?.name ?? '', /^school-[0-9a-f]{4}$/);
    assert.equal(made?.trigger, { button: 'scan', function: 2 });
    assert.equal(made?.destinations[0]?.tags, ['School', '2026']);
    assert.is(made?.destinations[0]?.create_missing, true);
    assert.is(made?.title, '{date}');
    await page.getByRole('link', { name: /^School/ }).click();
    await says(page, 'School');
    await press(page, texts.remove);
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText(texts.removed).waitFor();
    assert.is(store.get(made?.name ?? ''), undefined);
  });
}

test('a shipped profile shows what it does, is changed under its name, and keeps its German name', async ({
  open,
  store,
}) => {
  const page = await open('=profile/receipts');
  await says(page, 'Receipts');
  await page.getByText('The one that comes with the service stays').waitFor();
  assert.is(await page.locator('#profile-receipts-page_grouping').inputValue(), 'per_page');
  // What the scanner cannot do is not offered, once it has answered.
  const sources = page.locator('#profile-receipts-source option');
  await sources.filter({ hasText: 'Feeder, both sides' }).waitFor({ state: 'attached' });
  await page.locator('#profile-receipts-resolution').selectOption('200');
  await page.locator('#profile-receipts-label').fill('Bills');
  await page.getByLabel('Only on the machine').check();
  assert.not.ok(await page.locator('#profile-receipts-tags').isVisible());
  await press(page, 'Save');
  await page.getByText('Saved: Bills').waitFor();
  const profile = store.get('receipts');
  assert.equal(profile?.label, { en: 'Bills', de: 'Belege' });
  assert.equal([profile?.resolution, profile?.timeout_seconds], [200, 600]);
  assert.equal(profile?.destinations, []);
});

test('a change from elsewhere is told before it is replaced, and a refused trigger is shown at its field', async ({
  open,
  store,
}) => {
  const page = await open('=profile/receipts');
  await says(page, 'Receipts');
  const other = await page.context().newPage();
  await other.goto(page.url());
  await says(other, 'Receipts');
  await other.locator('#profile-receipts-label').fill('Theirs');
  await press(other, 'Save');
  await other.getByText('Saved: Theirs').waitFor();
  await page.locator('#profile-receipts-label').fill('Mine');
  await press(page, 'Save');
  await page.getByText('Someone else changed this profile meanwhile.').waitFor();
  assert.equal(store.get('receipts')?.label, { en: 'Theirs', de: 'Belege' });
  await page.locator('#profile-receipts-trigger').selectOption('paper');
  await press(page, 'Save');
  await page.locator('#profile-receipts-trigger[aria-invalid=true]:focus').waitFor();
  await page.getByText('This already starts "invoices".').waitFor();
  await page.locator('#profile-receipts-trigger').selectOption('none');
  await press(page, 'Save');
  await page.getByText('Saved: Mine').waitFor();
  assert.equal(store.get('receipts')?.label, { en: 'Mine', de: 'Belege' });
});

test('what was typed survives a lost session, a lost service and going back', async ({
  open,
  logOut,
}) => {
  const page = await open('=profile/');
  await says(page, 'New profile');
  await page.locator('#profile--label').fill('School');
  await page.locator('#profile--page_size').selectOption({ label: 'A5' });
  await page.route('**/set-up/profiles/*', (route) => route.abort());
  await press(page, 'Save');
  await page.locator('.problem', { hasText: /answer/ }).waitFor();
  await page.unroute('**/set-up/profiles/*');
  await press(page, 'Back');
  await says(page, 'Profiles');
  await page.goBack();
  await says(page, 'New profile');
  assert.is(await page.locator('#profile--page_size').inputValue(), '"a5"');
  logOut();
  await press(page, 'Save');
  await page.getByText('You were logged out.').waitFor();
  assert.is(await page.locator('#profile--label').inputValue(), 'School');
});

test('a profile is stored once, even if the first answer was lost and something else was typed', async ({
  open,
  store,
}) => {
  const page = await open('=profile/', { locale: 'en-US' });
  await page.locator('#profile--label').fill('Gärten');
  const route = '**/set-up/profiles/garten-*';
  await page.route(route, async (one) => {
    await one.fetch();
    await one.abort();
  });
  await press(page, 'Save');
  await page.getByText('The appliance does not answer.').waitFor();
  await page.unroute(route);
  await page.locator('#profile--label').fill('Gärten am Haus');
  await press(page, 'Save');
  await page.getByText('Save again to replace it').waitFor();
  await press(page, 'Save');
  await page.getByRole('status').getByText('Saved: Gärten am Haus').waitFor();
  const labels = store.list().map(({ label }) => label);
  const stored = labels.filter((label) => typeof label === 'string' && label.startsWith('Gärten'));
  assert.equal(stored, ['Gärten am Haus']);
});

test('a tag that Paperless-ngx lacks is refused at its field, unless it shall be created', async ({
  open,
  store,
}) => {
  const page = await open('=profile/');
  await says(page, 'New profile');
  const tags = page.locator('#profile--tags');
  await page.locator('#profile--label').fill('Club');
  await tags.fill('invoice, ');
  await page.locator('#profile--tag-names option[value="invoice, School"]').waitFor({
    state: 'attached',
  });
  await tags.fill('invoice, Club');
  const creation = page.getByLabel('Create tags that Paperless-ngx does not have yet');
  assert.ok(await creation.isChecked());
  await creation.uncheck();
  await press(page, 'Save');
  await page.getByText('There is no tag “Club” in Paperless-ngx.').waitFor();
  await page.locator('#profile--tags[aria-invalid=true]:focus').waitFor();
  assert.is(
    store.list().some(({ label }) => label === 'Club'),
    false,
  );
  await looksGood(page, 'profile-no-tag');
  await page.route('**/metadata/tags', (route) => route.abort());
  await creation.check();
  await press(page, 'Save');
  await page.getByText('Saved: Club').waitFor();
  const made = store.list().find(({ label }) => label === 'Club');
  assert.equal(made?.destinations[0]?.tags, ['invoice', 'Club']);
  assert.is(made?.destinations[0]?.create_missing, true);
});

test('a language that is no longer installed is explained at the languages of the profile', async ({
  open,
  store,
}) => {
  const page = await open('=profile/receipts');
  await says(page, 'Receipts');
  const language = (code: string): Locator => page.locator(`#profile-receipts-language-${code}`);
  await language('fra').check({ force: true });
  await press(page, 'Save');
  await page.getByRole('alert').getByText('One of these languages is not installed.').waitFor();
  await page.locator('#profile-receipts-language-deu:focus').waitFor();
  await looksGood(page, 'profile-languages');
  await language('fra').uncheck({ force: true });
  await language('deu').check({ force: true });
  await press(page, 'Save');
  await page.getByText('Saved: Receipts').waitFor();
  assert.equal(store.get('receipts')?.processing.languages, ['deu']);
});

test('each card of the settings shows its last check, and all are checked again on request', async ({
  open,
  asked,
}) => {
  const page = await open('', { locale: 'en-US' });
  const card = (name: string): Locator => page.locator('a.setting', { hasText: name });
  await card('Scanner')
    .getByText(/^10\.0\.0\.9/)
    .waitFor();
  await card('Scanner').getByText('Checked 2 minutes ago: answers').waitFor();
  await card('Paperless-ngx')
    .getByText('Checked 2 minutes ago: It is wrong. Correct it.')
    .waitFor();
  await card('Languages').getByText('Checked 2 minutes ago: not checked').waitFor();
  const lines = (of: string): Promise<string | null> =>
    page.locator(`${of} .icon path`).first().getAttribute('d');
  assert.is(await lines('.note summary'), await lines('.checks li.bad'));
  await looksGood(page, 'settings-checked');
  await press(page, 'Check again');
  await card('Scanner').getByText('Checked just now: answers').waitFor();
  assert.equal(asked, [false, true]);
  await page.getByText('All checks').click();
  await page.locator('.checks li.bad', { hasText: 'It is wrong.' }).waitFor();
  await card('Profiles').click();
  await says(page, 'Profiles');
});

test('a card does not grow when its check arrives', async ({ open }) => {
  const page = await open('=profiles', { locale: 'en-US', viewport: { width: 390, height: 844 } });
  await says(page, 'Profiles');
  const held = Promise.withResolvers<void>();
  await page.route('**/set-up/self-test*', async (route) => {
    await held.promise;
    await route.continue();
  });
  const card = page.locator('a.setting', { hasText: 'Scanner' });
  await page.evaluate('location.hash = "set-up"');
  await card.getByText('Checking').waitFor();
  const before = await card.boundingBox();
  held.resolve();
  await card.getByText('Checked 2 minutes ago: answers').waitFor();
  assert.equal(await card.boundingBox(), before);
});

test('the cards fit a small phone in German', async ({ open }) => {
  const page = await open('', { locale: 'de-DE', viewport: { width: 320, height: 480 } });
  await page.getByText('Geprüft vor 2 Minuten: antwortet').waitFor();
  await looksGood(page, 'settings-checked-de');
});
