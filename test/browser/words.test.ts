import type { Page } from 'playwright-core';
import { warning } from '../../helpers/warnings.ts';
import { assert, withFixture } from '../support/suite.ts';
import { buttons, createPageBench, press, says, takePicture } from './page-bench.ts';

const test = withFixture('the control page, in the words of a household', () =>
  createPageBench({ publicUrl: 'https://paperless.example' }),
);

const TAGS = [
  { id: 1, name: 'Tax' },
  { id: 2, name: 'Tax 2026' },
  { id: 3, name: 'Receipts' },
];

async function openOptions(page: Page): Promise<void> {
  await page.route('**/metadata/tags?*', (route) => route.fulfill({ json: { tags: TAGS } }));
  await page.getByText('Title and tags').click();
}

test('a tag is found in any case, a misspelled one is asked about', async ({ feeder, open }) => {
  const page = await open();
  await openOptions(page);
  const field = page.getByLabel('Tags');
  await field.pressSequentially('tax 2026');
  await field.press('Enter');
  await page.getByRole('button', { name: 'Remove Tax 2026' }).waitFor();
  await field.pressSequentially('Reciepts');
  await press(page, /Letters and invoices/);
  await page.getByText('There is no tag “Reciepts”.').waitFor();
  assert.is(await page.evaluate('document.activeElement.id'), 'tags');
  await takePicture(page, 'tag-problem');
  await page.getByRole('button', { name: 'Receipts', exact: true }).click();
  const sent = page.waitForRequest((request) => request.method() === 'POST');
  await page.locator('.profile', { hasText: 'Letters and invoices' }).click();
  assert.equal((await sent).postDataJSON(), { profile: 'default', tags: [2, 3] });
  feeder.end('no_documents');
  await says(page, 'The feeder is empty');
});

test('a tag that was typed before the list went away stops no scan', async ({ feeder, open }) => {
  const page = await open();
  await openOptions(page);
  await page.getByLabel('Tags').pressSequentially('Reciepts');
  await page.route('**/metadata/tags?*', (route) => route.fulfill({ json: { tags: [] } }));
  // Closed and opened, the fields are filled anew.
  await page.getByText('Title and tags').click();
  await page.getByText('Title and tags').click();
  await page.locator('#options .field[hidden]').waitFor({ state: 'attached' });
  await press(page, /Letters and invoices/);
  feeder.end('no_documents');
  await says(page, 'The feeder is empty');
});

test("without our words for warnings, the service's are there", async ({ feeder, open }) => {
  const page = await open();
  await page.route('**/texts/later-english.js', (route) => route.abort());
  await press(page, /Letters and invoices/);
  await feeder.feedPages(1);
  feeder.end('scanner_jammed');
  await says(page, 'Paper jam');
  await page.getByText('Message of the service').click();
  await page.getByText('scanner_jammed').waitFor();
});

/** What only a browser in English may show: English words that no German sentence has. */
const ENGLISH = /\b(?:the|was|check|not|page|please|of)\b/i;

test('in German, deliveries that went wrong are said in German', async ({ dms, feeder, open }) => {
  dms.setFault({ kind: 'answer', status: 401, body: '{"detail":"Zutritt verweigert"}' });
  const page = await open('/', { locale: 'de-DE' });
  await press(page, /Letters and invoices/);
  await feeder.feedPages(1);
  feeder.end();
  await says(page, 'Nicht alles wurde abgelegt');
  await page.getByText(/Der Token Ihres Dokumentensystems fehlt oder ist falsch \(401/).waitFor();
  assert.equal(await buttons(page), ['Noch einmal senden', 'Nächsten Stapel scannen']);
  dms.setFault({ kind: 'answer', status: 500, body: 'Hoppla' });
  await press(page, 'Noch einmal senden');
  await page.getByText(/^Niemand weiß, ob „.+“ angekommen ist/).waitFor();
  await page.getByText(/Ihr Dokumentensystem hat einen Fehler \(500 Hoppla\)/).waitFor();
  // They change once the call has ended, after the text.
  await page.locator('#actions').getByText('Nachsehen, ob es da ist').waitFor();
  // Nothing can go wrong with the first; what may file it twice is last, and asks again.
  assert.equal(await page.locator('#actions > *').allInnerTexts(), [
    'Nachsehen, ob es da ist',
    'Nächsten Stapel scannen',
    'Fehlt dort: noch einmal senden',
  ]);
  await page.getByRole('link', { name: 'Dort nachsehen' }).waitFor();
  assert.not.match(await page.locator('#scan').innerText(), ENGLISH);
  await takePicture(page, 'unknown-german');
});

test('a scan started at the scanner says so, with its notes', async ({ feeder, open }) => {
  const page = await open('/', { locale: 'de-DE' });
  await page.route(/\/scans\/[^/]+$/, async (route) => {
    const response = await route.fetch();
    const scan: { page_states: object[] } = await response.json();
    const said = [
      { code: 'sheets_may_be_missing', facts: { sheets: 1, page: 2 } },
      { code: 'no_text', facts: { pages: '2' } },
      { code: 'destination_down', facts: { system: 'Paperless-ngx', cause: 'It was asleep.' } },
    ];
    const changed = {
      trigger: { button: 'scan' },
      title: 'Lieferschein',
      page_states: scan.page_states.toReversed(),
      warnings: [
        warning('sheets_may_be_missing/after', { sheets: 1, page: 2 }),
        warning('no_text', { pages: '2' }),
        warning('destination_down', { system: 'Paperless-ngx', cause: 'It was asleep.' }),
        'Words of a later version.',
      ],
      warning_details: [...said, null],
    };
    await route.fulfill({ json: { ...scan, ...changed } });
  });
  await press(page, /Letters and invoices/);
  await feeder.feedPages(2);
  feeder.end();
  await page.getByText('Der Scan wurde am Scanner gestartet, mit der Taste „scan“.').waitFor();
  await page.getByText('Nach Seite 1 fehlt vielleicht ein Blatt').waitFor();
  await page.getByText('Auf Seite 1 wurde kein Text gefunden').waitFor();
  await page.getByRole('heading', { name: 'Lieferschein' }).waitFor();
  await page.getByText(/An Ihr Dokumentensystem gesendet\. Titel dort: „default 20/).waitFor();
  assert.is(
    await page.locator('.note li').count(),
    3,
    'what was filed is not said to be in danger',
  );
  const later = page.getByText('Words of a later version.');
  assert.not.ok(await later.isVisible(), 'in English only for those who look for it');
  await page.getByText('1 weiterer Hinweis steht auf Englisch unten').waitFor();
  await page.locator('summary', { hasText: 'Meldung des Dienstes' }).click();
  await later.waitFor();
});
