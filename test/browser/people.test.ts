import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { warning } from '../../helpers/warnings.ts';
import type { NewScanEvent } from '../../service/archive/scan-event.ts';
import {
  assembled,
  begun,
  ended,
  fed,
  page as fedPage,
  planned,
  storeScan,
} from '../support/stored-scan.ts';
import { assert } from '../support/suite.ts';
import {
  buttons,
  changeScan,
  checkAccessible,
  counts,
  giveTitle,
  openOptions,
  pageTests,
  postsOf,
  press,
  says,
  scanPages,
  scanWithOptions,
  takePicture,
} from './page-bench.ts';

const HOSTILE = '<script>document.title="hacked"</script><b id=hacked>';

const test = pageTests('the control page, for everyone', {
  token: 'the token',
  profiles: [
    { name: 'default', description: 'Letters and invoices' },
    { name: 'hostile', description: HOSTILE },
    { name: 'very-long-name-that-does-not-break-anywhere-and-goes-on-for-ever' },
  ],
  problems: [
    {
      file: 'broken.yaml',
      field: 'resolution',
      profile: 'broken',
      message: `"resolution" must be a number, found ${HOSTILE}.`,
    },
  ],
});

test('the page asks for the token once, and in German for German readers', async ({
  feeder,
  open,
}) => {
  const page = await open('/', { locale: 'de-DE' });
  await says(page, 'Dieser Dienst ist geschützt');
  await checkAccessible(page);
  await page.getByLabel('Passwort zum Scannen').fill('another');
  await press(page, 'Weiter');
  const wrong = page.locator('.problem', { hasText: 'Das ist nicht das Passwort.' });
  assert.not.match(await wrong.innerText(), /npm|docker|secret/);
  await takePicture(page, 'token-german');
  await page.route('**/session', (route) => route.abort());
  await page.getByLabel('Passwort zum Scannen').press('Enter');
  await page.getByText('Der Dienst antwortet nicht').waitFor();
  await page.unroute('**/session');
  await page.getByLabel('Passwort zum Scannen').fill('the token');
  await page.getByLabel('Passwort zum Scannen').press('Enter');
  await says(page, 'Was möchten Sie scannen?');
  assert.is(await page.evaluate('document.documentElement.lang'), 'de');
  assert.is(await page.evaluate('document.cookie'), '', 'no script can read the cookie');
  await page.context().clearCookies();
  await page.reload();
  await page.getByText('Das Passwort wurde geändert, oder Ihre Anmeldung ist').waitFor();
  await page.getByLabel('Passwort zum Scannen').fill('the token');
  await page.getByLabel('Passwort zum Scannen').press('Enter');
  await says(page, 'Was möchten Sie scannen?');
  await page.reload();
  await says(page, 'Was möchten Sie scannen?');
  await page.getByText(/^1 Profil hat einen Fehler/).click();
  const setUp = page.locator('#set-up');
  await setUp.getByText(/^Für die Person.*npm run doctor.*docker compose exec service/).waitFor();
  await setUp.getByText('Meldung des Dienstes:').waitFor();
  assert.match(await setUp.locator('[lang=en]').innerText(), 'must be a number');
  await takePicture(page, 'set-up-german');
  await press(page, /Letters and invoices/);
  await feeder.feedPages(4);
  feeder.end('scanner_jammed');
  await says(page, 'Papierstau');
  await page.getByText('4 Seiten sind gesichert.').first().waitFor();
  const details = page.locator('summary', { hasText: 'Meldung des Dienstes' });
  await details.click();
  await page.getByText('scanner_jammed').waitFor();
  assert.not.match(await page.locator('#scan').innerText(), ENGLISH);
  await details.click();
  await page.locator('#page-4').scrollIntoViewIfNeeded();
  const picture = page.locator('#page-4 img');
  await picture.evaluate((image: { decode(): Promise<void> }) => image.decode());
  await page.evaluate('scrollTo(0, 0)');
  await takePicture(page, 'jam-german');
});

test('after the cookie expired, a press scans once the token is entered; a running call is not repeated', async ({
  app,
  feeder,
  open,
}) => {
  const page = await open();
  const enterToken = async (): Promise<void> => {
    await says(page, 'This service is protected');
    await page.getByLabel('Password for scanning').fill('the token');
    await press(page, 'Continue');
  };
  await enterToken();
  await giveTitle(page, 'Kept');
  // Stops the list from reloading, so that the press is refused first.
  await page.route('**/profiles', () => {});
  await page.context().clearCookies();
  await press(page, /Letters and invoices/);
  await enterToken();
  await feeder.feedPages(1);
  await counts(page, '1 page');

  const posts = postsOf(page);
  await page.context().clearCookies();
  await page.context().setOffline(true);
  await says(page, 'No connection. Trying again.');
  await page.context().setOffline(false);
  await enterToken();
  await feeder.feedPages(1);
  await counts(page, '2 pages');
  feeder.end();
  await says(page, 'Filed');
  await page.getByRole('heading', { name: 'Kept' }).waitFor();
  assert.equal(posts, ['/session']);
  const headers = { Authorization: 'Bearer the token' };
  const { text } = await app.send({ path: '/scans', headers });
  assert.is((JSON.parse(text) as { scans: object[] }).scans.length, 1);
});

/** The width left at 400 % zoom on a 1280-pixel screen, and the smallest phone. */
const SMALL = [
  { width: 320, height: 568 },
  { width: 320, height: 256 },
];

test('nothing is cut off at 320 pixels, zoomed, or in the dark', async ({ feeder, open }) => {
  for (const viewport of SMALL) {
    const page = await open('/', { viewport, colorScheme: 'dark' });
    await page.getByLabel('Password for scanning').fill('the token');
    await press(page, 'Continue');
    await says(page, 'What are you scanning?');
    await page.getByText(/1 profile has a mistake/).click();
    await checkAccessible(page);
    assert.is(await page.evaluate('document.documentElement.scrollWidth'), 320);
    await takePicture(page, `small-${viewport.height}`);
    await press(page, /very-long-name/);
    await feeder.feedPages(2);
    await counts(page, '2 pages');
    await checkAccessible(page);
    assert.is(await page.evaluate('document.documentElement.scrollWidth'), 320);
    feeder.end();
    await says(page, 'Filed');
    // Scrolls, so that the button bar does not cover content.
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await checkAccessible(page);
    assert.is(await page.evaluate('document.documentElement.scrollWidth'), 320);
    await page.context().close();
  }
});

test('text from others is never markup, and the keyboard suffices', async ({ feeder, open }) => {
  const page = await open();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  await page.route('**/metadata/tags?*', (route) =>
    route.fulfill({ json: { tags: [{ id: 1, name: HOSTILE }] } }),
  );
  const check = { id: 'x', subject: HOSTILE, status: 'fail', message: HOSTILE, remedy: HOSTILE };
  const looked_at = '2026-11-22T10:00:00.000Z';
  await page.route(/self-test/, (route) => {
    const isNew = route.request().url().endsWith('?refresh=true');
    const checks = isNew ? [] : [check];
    return route.fulfill({ json: { status: 'problems', looked_at, checks } });
  });
  await page.getByLabel('Password for scanning').fill('the token');
  await page.keyboard.press('Enter');
  await says(page, 'What are you scanning?');
  await page.getByText(/^Check of the set-up: 1 problem/).click();
  await page.getByText(`${HOSTILE} ${HOSTILE}`).waitFor();
  await takePicture(page, 'set-up');
  await page.getByText(/Nov.*2026.*Check again/).waitFor();
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByText('Check of the set-up: Everything is in order.').waitFor();
  await page
    .locator('.card', { hasText: HOSTILE })
    .getByRole('button', { name: 'Options' })
    .focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('Tags').fill(HOSTILE);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: `Remove ${HOSTILE}` }).click();
  await page.getByLabel('Title of the next scan').focus();
  await page.keyboard.type(HOSTILE);
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /hacked/ }).focus();
  await page.keyboard.press('Enter');
  await feeder.feedPages(1);
  assert.is(await page.evaluate('document.activeElement.id'), 'headline');
  feeder.end();
  await says(page, 'Filed');
  await page.getByRole('heading', { name: HOSTILE }).waitFor();
  const spoken = page.getByRole('status');
  await spoken.filter({ hasText: /^Filed\. 1 page · 1 document/ }).waitFor();
  await page.keyboard.press('Tab');
  await page.getByRole('link', { name: 'All scans' }).focus();
  await page.keyboard.press('Enter');
  await says(page, 'What are you scanning?');
  assert.is(await page.evaluate('document.activeElement.id'), 'start-title');
  await page.getByRole('link', { name: HOSTILE }).focus();
  await page.keyboard.press('Enter');
  await says(page, 'Filed');
  assert.is(await page.evaluate('document.activeElement.id'), 'headline');
  await page.goBack();
  await says(page, 'What are you scanning?');
  await page.getByText(/1 profile has a mistake/).click();
  await page.getByText('broken.yaml').waitFor();
  assert.is(await page.locator('#hacked, main script').count(), 0);
  assert.is.not(await page.title(), 'hacked');
  assert.equal(errors, []);
});

const words = pageTests('the control page, in the words of a household');

const TAGS = [
  { id: 1, name: 'Tax' },
  { id: 2, name: 'Tax 2026' },
  { id: 3, name: 'Receipts' },
];

async function openTags(page: Page): Promise<void> {
  await page.route('**/metadata/tags?*', (route) => route.fulfill({ json: { tags: TAGS } }));
  await openOptions(page);
}

words('a tag is found in any case, and a misspelled one is reported', async ({ feeder, open }) => {
  const page = await open();
  await openTags(page);
  const field = page.getByLabel('Tags');
  await field.pressSequentially('tax 2026');
  await field.press('Enter');
  await page.getByRole('button', { name: 'Remove Tax 2026' }).waitFor();
  await field.pressSequentially('Reciepts');
  await scanWithOptions(page);
  await page.getByText('There is no tag “Reciepts”.').waitFor();
  assert.is(await page.evaluate('document.activeElement.id'), 'tags');
  await takePicture(page, 'tag-problem');
  await page.getByRole('button', { name: 'Receipts', exact: true }).click();
  const sent = page.waitForRequest((request) => request.method() === 'POST');
  await scanWithOptions(page);
  assert.equal((await sent).postDataJSON(), { profile: 'default', tags: [2, 3] });
  feeder.end('no_documents');
  await says(page, 'The feeder is empty');
});

words(
  'a chosen tag does not stop a scan when the list is unavailable',
  async ({ feeder, open }) => {
    const page = await open();
    await openTags(page);
    await page.getByLabel('Tags').pressSequentially('Tax');
    await press(page, 'Close');
    await page.route('**/metadata/tags?*', (route) => route.fulfill({ json: { tags: [] } }));
    await openOptions(page);
    await page.locator('.sheet .field[hidden]').waitFor({ state: 'attached' });
    await scanWithOptions(page);
    feeder.end('no_documents');
    await says(page, 'The feeder is empty');
  },
);

words('a warning without our text shows the text of the service', async ({ feeder, open }) => {
  const page = await open();
  await page.route('**/texts/later-english.js', (route) => route.abort());
  await press(page, /Letters and invoices/);
  await feeder.feedPages(1);
  feeder.end('scanner_jammed');
  await says(page, 'Paper jam');
  await page.getByText('Message of the service').click();
  await page.getByText('scanner_jammed').waitFor();
});

/** English words that occur in no German sentence. */
const ENGLISH = /\b(?:the|was|check|not|page|please|of)\b/i;

words(
  'failed deliveries are reported in German to German readers',
  async ({ dms, feeder, open }) => {
    dms.setFault({ kind: 'answer', status: 401, body: '{"detail":"Zutritt verweigert"}' });
    const page = await open('/', { locale: 'de-DE' });
    await scanPages(page, feeder, 1, /Receipts/);
    await says(page, 'Nicht alles wurde abgelegt');
    await page.getByText(/Das Token von Paperless-ngx fehlt oder ist falsch \(401/).waitFor();
    assert.equal(await buttons(page), ['Noch einmal senden', 'Nächsten Stapel scannen']);
    dms.setFault({ kind: 'answer', status: 500, body: 'Hoppla' });
    await press(page, 'Noch einmal senden');
    await page.getByText(/^Niemand weiß, ob „.+“ angekommen ist/).waitFor();
    await page.getByText(/Paperless-ngx hat einen Fehler \(500 Hoppla\)/).waitFor();
    // The buttons change after the text, once the call has ended.
    await page.locator('#actions').getByText('Nachsehen, ob es da ist').waitFor();
    // The safe action comes first. The one that may file twice comes last and asks for
    // confirmation.
    assert.equal(await page.locator('#actions > *').allInnerTexts(), [
      'Nachsehen, ob es da ist',
      'Nächsten Stapel scannen',
      'Fehlt dort: noch einmal senden',
    ]);
    await page.getByRole('link', { name: 'Dort nachsehen' }).waitFor();
    assert.not.match(await page.locator('#scan').innerText(), ENGLISH);
    await takePicture(page, 'unknown-german');
  },
);

/** A function that counts the lines over which a word is broken. */
const LINES_OF = `((selector, word) => {
  const texts = document.createTreeWalker(document.querySelector(selector), NodeFilter.SHOW_TEXT);
  while (!texts.nextNode().data.includes(word));
  const range = document.createRange();
  const start = texts.currentNode.data.indexOf(word);
  range.setStart(texts.currentNode, start);
  range.setEnd(texts.currentNode, start + word.length);
  return range.getClientRects().length;
})`;

words('in German, the words on a button keep away from its border', async ({ open }) => {
  const page = await open('/', { locale: 'de-DE', viewport: { width: 320, height: 568 } });
  const card = page.locator('.card').first();
  const label = await card.locator('.more span').boundingBox();
  const border = await card.boundingBox();
  assert.ok(label && border && border.x + border.width - label.x - label.width >= 8);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.locator('#hold').check();
  assert.is(await page.evaluate(`${LINES_OF}('.profile', 'Erst ansehen')`), 1);
});

words('a scan started at the scanner says so, with its notes', async ({ feeder, open }) => {
  const page = await open('/', { locale: 'de-DE' });
  const down = { system: 'Paperless-ngx', cause: 'It was asleep.' };
  const missing = { sheets: 1, page: 2 };
  await changeScan(page, ({ page_states }) => ({
    trigger: { button: 'scan' },
    title: 'Lieferschein',
    page_states: page_states.toReversed(),
    warnings: [
      warning('sheets_may_be_missing/after', missing),
      warning('no_text', { pages: '2' }),
      warning('destination_down', down),
      'Words of a later version.',
    ],
    warning_details: [
      { code: 'sheets_may_be_missing', facts: missing },
      { code: 'no_text', facts: { pages: '2' } },
      { code: 'destination_down', facts: down },
      null,
    ],
  }));
  await scanPages(page, feeder, 2, /Receipts/);
  await page.getByText('Der Scan wurde am Scanner gestartet, mit der Taste „scan“.').waitFor();
  await page.getByText('Nach Seite 1 fehlt vielleicht ein Blatt').waitFor();
  await page.getByText('Auf Seite 1 wurde kein Text gefunden').waitFor();
  await page.getByRole('heading', { name: /^receipts 20/ }).waitFor();
  await page.getByText('An Paperless-ngx gesendet').waitFor();
  await page.setViewportSize({ width: 320, height: 568 });
  assert.is(await page.evaluate(`${LINES_OF}('.delivery', 'Paperless-ngx')`), 1);
  assert.is(await page.locator('.note li').count(), 3, 'nothing is said to be in danger');
  const later = page.getByText('Words of a later version.');
  assert.not.ok(await later.isVisible(), 'in English only for those who look for it');
  await page.getByText('1 weiterer Hinweis steht auf Englisch unten').waitFor();
  const words = 'Meldung des Dienstes, für die Person, die ihn betreut';
  await page.locator('summary', { hasText: words }).click();
  await later.waitFor();
});

words(
  'a sheet that may be missing is noted once, until the scan is filed',
  async ({ feeder, open }) => {
    const page = await open();
    const said = [{ sheets: 1, page: 2 }, { sheets: 1, page: 2 }, { sheets: 1 }];
    await changeScan(page, () => ({
      warnings: said.map((facts) => JSON.stringify(facts)),
      warning_details: said.map((facts) => ({ code: 'sheets_may_be_missing', facts })),
    }));
    await press(page, /Letters and invoices/);
    await feeder.feedPages(2);
    feeder.end('scanner_jammed');
    await says(page, 'Paper jam');
    await page.getByText('After page 2, a sheet may be missing').waitFor();
    assert.is(await page.locator('.note li').count(), 1);
    const note = page.getByText('a sheet may be missing');
    await page.locator('summary', { hasText: 'Please note' }).click();
    await note.waitFor({ state: 'hidden' });
    await takePicture(page, 'folded');
    await press(page, /^Page 1/);
    await press(page, 'Move later');
    await page.getByRole('dialog', { name: 'Page 2 of 2' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('#page-2 + #page-1').waitFor();
    assert.not(await note.isVisible(), 'folded notes stay folded');
    await press(page, 'File only 2 pages');
    await says(page, 'Filed');
    assert.is(await page.getByText('a sheet may be missing').count(), 0);
    // The page reads the scan once more after its end.
    await page.unrouteAll({ behavior: 'wait' });
  },
);

/** More profiles and scans than the page shows at first. */
const MANY = 12;

const numbers = [...Array(MANY).keys()].map((index) => index + 1);

const profiles = numbers.map((number) => ({
  name: `p${number}`,
  description: `Folder ${number}`,
  publicUrl: 'https://paperless.example/',
}));

const home = pageTests('the start of the control page, with many choices', {
  profiles,
  store,
});

async function store(root: string): Promise<void> {
  for (const number of numbers) {
    const id = `202611${String(number).padStart(2, '0')}T063000Z-8f3a1c`;
    const at = new Date(Date.UTC(2026, 10, number, 6, 30));
    await storeScan(root, filed(id, `Letter ${number}`, at.toISOString()), id, at.getTime());
  }
  await storeScan(root, tornOff(TORN_ID), TORN_ID, Date.UTC(2026, 10, 10, 5, 30));
  const before = '20261102T053000Z-8f3a1c';
  await storeScan(root, tornOff(before), before, Date.UTC(2026, 10, 2, 5, 30));
}

const TORN_ID = '20261110T053000Z-8f3a1c';

function tornOff(scan_id: string): NewScanEvent[] {
  return [begun({ destinations: [] }, { scan_id, request: { title: 'Torn off' } }), fedPage(1)];
}

function filed(scan_id: string, title: string, started_at: string): NewScanEvent[] {
  return [
    begun({ destinations: [] }, { scan_id, request: { title } }),
    fedPage(1),
    fed(),
    planned([1]),
    assembled(),
    ended({ title, started_at, state: 'finished', error: null, page_count: 1, document_count: 1 }),
  ];
}

home('profiles and old scans are found by name', async ({ open }) => {
  const page = await open();
  await says(page, 'What are you scanning?');
  const cards = page.locator('.profile strong');
  assert.equal((await cards.allInnerTexts()).slice(-2), ['Folder 11', 'Folder 12']);
  await page.getByPlaceholder('Find what to scan').fill('folder 2');
  assert.equal(await cards.allInnerTexts(), ['Folder 2']);

  const scans = page.locator('#scans strong');
  await page.getByRole('link', { name: 'Letter 12' }).waitFor();
  assert.is(await scans.count(), 8);
  assert.equal((await scans.allInnerTexts()).slice(0, 2), ['Torn off', 'Letter 12']);
  await page.getByRole('button', { name: 'Show older scans' }).click();
  await page.getByRole('link', { name: 'Letter 1 1 Nov' }).waitFor();
  // The list continues with another interrupted scan, which has moved to the top.
  assert.equal((await scans.allInnerTexts()).slice(0, 3), ['Torn off', 'Torn off', 'Letter 12']);
  assert.match(await page.evaluate('document.activeElement.innerText'), /^Letter 5\n/);

  const search = page.getByPlaceholder('Find a scan by its name');
  await search.fill('LETTER 3');
  await page.getByRole('link', { name: 'Letter 12' }).waitFor({ state: 'detached' });
  assert.equal(await scans.allInnerTexts(), ['Letter 3']);
  const field = await search.boundingBox();
  assert.ok(field && field.y < 100, 'what is found is seen above a keyboard');
  await takePicture(page, 'search');
  await page.getByRole('link', { name: 'Letter 3' }).click();
  await page.getByRole('link', { name: 'All scans' }).click();
  await page.getByRole('link', { name: 'Letter 12' }).waitFor();
  assert.is(await search.inputValue(), '');
  await search.fill('Postcard');
  await page.getByText(/No scan has this in its name/).waitFor();
  const there = page.getByRole('link', { name: 'Look for it there' });
  const address = 'https://paperless.example/documents?query=Postcard';
  assert.is(await there.getAttribute('href'), address);
});

home('an interrupted scan can be finished; a missing one is reported', async ({ open }) => {
  const page = await open(`/#scan=${TORN_ID}`);
  await says(page, 'The scan was interrupted');
  assert.equal(await buttons(page), [
    'Go on with the rest',
    'File only 1 page',
    'Discard this scan',
  ]);
  await takePicture(page, 'interrupted');
  const gone = await open('/#scan=20990101T000000Z-000000');
  await says(gone, 'There is no such scan');
  await takePicture(gone, 'gone');
});

home('a damaged record is reported in the list and in the scan', async ({ open, root }) => {
  const damaged = path.join(root, '20261115T053000Z-8f3a1c');
  await mkdir(damaged);
  await writeFile(path.join(damaged, 'events.jsonl'), 'not an event\n');
  const page = await open();
  await page.getByRole('link', { name: /This scan cannot be read/ }).click();
  await says(page, 'This scan cannot be read');
  assert.equal(await buttons(page), []);
  await takePicture(page, 'unreadable');
});

home('a button that was used keeps its place, also after a reload', async ({ feeder, open }) => {
  const page = await open();
  const cards = page.locator('.profile strong');
  await cards.first().waitFor();
  const before = await cards.allInnerTexts();
  await press(page, /^Folder 5 /);
  await feeder.begun();
  feeder.end('no_documents');
  await says(page, 'The feeder is empty');
  await page.getByRole('link', { name: 'All scans' }).click();
  await says(page, 'What are you scanning?');
  assert.equal(await cards.allInnerTexts(), before);
  // The address may change before the page has loaded.
  await page.waitForURL(/#$/);
  await page.reload();
  await cards.first().waitFor();
  assert.equal(await cards.allInnerTexts(), before);
});
