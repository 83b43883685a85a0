import { suite } from 'uvu';
import * as assert from 'uvu/assert';
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
import { withFixture } from '../support/with-fixture.ts';
import { createPageBench, says, takePicture } from './page-bench.ts';

/** More than are shown at first, of each. */
const MANY = 12;

const numbers = [...Array(MANY).keys()].map((index) => index + 1);

const test = withFixture(
  suite('the home of the control page, with much to choose from'),
  async () => {
    const profiles = numbers.map((number) => ({
      name: `p${number}`,
      description: `Folder ${number}`,
    }));
    const bench = await createPageBench({ profiles });
    for (const number of numbers) {
      const day = String(number).padStart(2, '0');
      const id = `202611${day}T063000Z-8f3a1c`;
      await storeScan(bench.root, filed(`Letter ${number}`), id, Date.UTC(2026, 10, number, 6, 30));
    }
    return bench;
  },
);

function filed(title: string): NewScanEvent[] {
  return [
    begun({ destinations: [] }, { request: { title } }),
    fedPage(1),
    fed(),
    planned([1]),
    assembled(),
    ended({ state: 'finished', error: null, page_count: 1, document_count: 1 }),
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
  await page.getByRole('button', { name: 'Show older scans' }).click();
  await page.getByRole('link', { name: 'Letter 1 ' }).waitFor();
  // The first of those that were not there before.
  assert.match(await page.evaluate('document.activeElement.innerText'), /^Letter 4\n/);

  const search = page.getByPlaceholder('Find a scan by its name');
  await search.fill('LETTER 3');
  await page.waitForFunction("document.querySelectorAll('#scans a').length === 1");
  assert.equal(await scans.allInnerTexts(), ['Letter 3']);
  await takePicture(page, 'search');
  await search.fill('Postcard');
  await page.getByText('No scan with this name.').waitFor();
});

test.run();
