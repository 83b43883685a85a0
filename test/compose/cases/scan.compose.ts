import { recoveredShare, shippedPage } from '../../support/pages.ts';
import { attach } from '../appliance.ts';
import { openDms } from '../stored-documents.ts';
import { assert, suite } from '../../support/suite.ts';

const LEAST_SHARE = 0.98;

const PAGES = ['article-one', 'article-two', 'minutes', 'manual'];

const test = suite('a scan through the published port');
const appliance = await attach();

test('both sides of a stack become one searchable document, in order, in each of two systems', async () => {
  const archive = await openDms(appliance, 'archive');
  const before = await archive.count();
  const [one, two, three, four] = PAGES.map((name) => `${name}.jpg`);
  await appliance.load('scanner', {
    pages: [
      { front: one, back: two },
      { front: three, back: four },
    ],
  });
  const { page_count, documents } = await appliance.scanned({ profile: 'twice' });
  assert.equal([page_count, documents.length], [PAGES.length, 1]);
  const [inDms, inArchive] = documents[0]?.destinations ?? [];
  if (!inDms || !inArchive) throw new Error('not two destinations');
  assert.equal([inDms.status, inArchive.status], ['submitted', 'submitted']);
  const dms = await openDms(appliance, 'dms');
  const texts = await dms.textOf(inDms);
  for (const [index, page] of PAGES.entries()) {
    const share = recoveredShare(shippedPage(page).text, texts[index] ?? '');
    assert.ok(share >= LEAST_SHARE, `${page}: only ${(share * 100).toFixed(1)} % of its words`);
  }
  assert.equal(await archive.textOf(inArchive), texts);
  assert.is(await archive.count(), before + 1);
});
