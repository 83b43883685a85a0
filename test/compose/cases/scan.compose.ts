import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { recoveredShare, shippedPage } from '../../support/pages.ts';
import { attach } from '../appliance.ts';
import { openDms } from '../stored-documents.ts';

/** Of the words of a clean page, in the document that the DMS gives out. */
const LEAST_SHARE = 0.98;

const LETTERS = ['letter-insurance', 'letter-bank', 'invoice'];

const test = suite('a scan through the published port');
const appliance = await attach();
await appliance.ready();
const dms = await openDms(appliance, 'dms');

/** Front and back are two pages of a clean article. */
const SHEETS = [
  { front: 'article-one.jpg', back: 'article-two.jpg' },
  { front: 'minutes.jpg', back: 'manual.jpg' },
];

function assertText(found: string | undefined, page: string): void {
  const share = recoveredShare(shippedPage(page).text, found ?? '');
  assert.ok(share >= LEAST_SHARE, `${page}: only ${(share * 100).toFixed(1)} % of its words`);
}

const files = LETTERS.map((page) => `${page}.jpg`);

test('simplex, combined: a stack becomes one searchable document in the DMS', async () => {
  await appliance.load('scanner', { pages: files });
  const result = await appliance.scanned({ profile: 'simplex' });
  assert.is(result.page_count, 3);
  assert.is(result.documents.length, 1);
  const [document] = result.documents;
  assert.is(document?.destinations.length, 1);
  const [entry] = document?.destinations ?? [];
  assert.is(entry?.status, 'submitted');
  const pages = await dms.textOf(entry ?? { status: 'none' });
  for (const [index, page] of LETTERS.entries()) assertText(pages[index], page);
});

test('duplex, combined: both sides of each sheet, in order', async () => {
  await appliance.load('scanner', { pages: SHEETS });
  const result = await appliance.scanned({ profile: 'duplex' });
  assert.is(result.page_count, 4);
  const pages = await dms.textOf(result.documents[0]?.destinations[0] ?? { status: 'none' });
  for (const [index, page] of ['article-one', 'article-two', 'minutes', 'manual'].entries()) {
    assertText(pages[index], page);
  }
});

test('two destinations: each document goes to both, in their order', async () => {
  const archive = await openDms(appliance, 'archive');
  const before = await archive.count();
  await appliance.load('scanner', { pages: files.slice(0, 2) });
  const result = await appliance.scanned({ profile: 'twice' });
  assert.is(result.documents.length, 2);
  for (const [index, { destinations }] of result.documents.entries()) {
    assert.equal(
      destinations.map(({ status }) => status),
      ['submitted', 'submitted'],
    );
    const [first, second] = destinations;
    const [inDms] = await dms.textOf(first ?? { status: 'none' });
    const [inArchive] = await archive.textOf(second ?? { status: 'none' });
    assertText(inDms, LETTERS[index] ?? '');
    assert.is(inArchive, inDms);
  }
  assert.is(await archive.count(), before + 2);
});

test.run();
