import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
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
import { assert, withFixture } from '../support/suite.ts';
import { buttons, createPageBench, press, says, takePicture } from './page-bench.ts';

/** More than are shown at first, of each. */
const MANY = 12;

const numbers = [...Array(MANY).keys()].map((index) => index + 1);

const profiles = numbers.map((number) => ({ name: `p${number}`, description: `Folder ${number}` }));

const test = withFixture('the home of the control page, with much to choose from', () =>
  createPageBench({ profiles, store, publicUrl: 'https://paperless.example/' }),
);

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

test('a profile and an old scan are found by their names', async ({ open }) => {
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
  // Where the list goes on: another scan that was torn off has come to its top.
  assert.equal((await scans.allInnerTexts()).slice(0, 3), ['Torn off', 'Torn off', 'Letter 12']);
  assert.match(await page.evaluate('document.activeElement.innerText'), /^Letter 5\n/);

  const search = page.getByPlaceholder('Find by the name in this list');
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

test('a scan that was cut off can be finished; one that is gone says so', async ({ open }) => {
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

test('a scan says, listed or opened, that its record is damaged', async ({ open, root }) => {
  const damaged = path.join(root, '20261115T053000Z-8f3a1c');
  await mkdir(damaged);
  await writeFile(path.join(damaged, 'events.jsonl'), 'not an event\n');
  const page = await open();
  await page.getByRole('link', { name: /This scan cannot be read/ }).click();
  await says(page, 'This scan cannot be read');
  assert.equal(await buttons(page), []);
  await takePicture(page, 'unreadable');
});

test('profiles keep their places; the last used comes first later', async ({ feeder, open }) => {
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
  await page.reload();
  await cards.first().filter({ hasText: 'Folder 5' }).waitFor();
  assert.equal(await cards.allInnerTexts(), [
    'Folder 5',
    ...before.filter((name) => name !== 'Folder 5'),
  ]);
});
