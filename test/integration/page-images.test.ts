import path from 'node:path';
import sharp from 'sharp';
import type { ScanResult } from '../../service/archive/scan-view.ts';
import { archiveLevelOf, imagesOf, textOf } from '../helpers/processor/support/inspect-pdf.ts';
import { withAppliance, type Appliance } from '../support/appliance/appliance.ts';
import { recoveredShare, shippedPage, textOfPdf } from '../support/pages.ts';
import { assert, suite } from '../support/suite.ts';

/** A feeder with a black backing that scans backs upside down, and has no Lineart. */
const test = suite<{ appliance: Appliance }>('images of pages, from the feeder to the document');

withAppliance(test, {
  scanner: { backing: 'black', turnsBacks: true },
  profiles: [
    {
      name: 'lineart',
      source: 'ADF Duplex',
      mode: 'Lineart',
      page_size: 'auto',
      // Upside-down pages are not turned by what they say: it is rotate_backs that turns them.
      processing: { rotate_backs: 180, rotate_pages: false },
    },
    {
      name: 'layers',
      source: 'ADF',
      mode: 'Color',
      processing: { optimize: 3 },
      assembly: { page_grouping: 'per_page' },
    },
    { name: 'gray', source: 'ADF' },
  ],
});

/** The result of a scan that must have worked, and its documents. */
async function scan(
  appliance: Appliance,
  profile: string,
): Promise<{ result: ScanResult; files: string[] }> {
  const answer = await appliance.scan({ profile });
  assert.is(answer.status, 200, answer.text);
  const result = answer.json as unknown as ScanResult;
  const directory = path.join(appliance.scansDir, result.scan_id);
  return { result, files: result.documents.map(({ filename }) => path.join(directory, filename)) };
}

test('sheets of two sizes are cut, turned, and made black and white', async ({ appliance }) => {
  const [front, back] = [shippedPage('letter-bank'), shippedPage('letter-landlord')];
  const note = path.join(appliance.directory, 'note.png');
  const part = { left: 0, top: 0, width: 2480, height: 1417 };
  await sharp(front.file).extract(part).withDensity(300).png().toFile(note);
  appliance.scanner.load([
    { front: front.file, back: back.file },
    { front: note, back: note },
  ]);
  const { result, files } = await scan(appliance, 'lineart');
  assert.equal(result.warnings, []);
  assert.is(appliance.scanner.state.settings?.mode, 'Gray');
  const [file = ''] = files;
  const texts = await textOfPdf(file);
  const start = front.text.slice(0, 500);
  for (const [index, text] of [front.text, back.text, start, start].entries()) {
    const share = recoveredShare(text, texts[index] ?? '');
    assert.ok(share > 0.95, `page ${index + 1}: ${share}`);
  }
  const images = await imagesOf(file);
  assert.ok(images.every(({ encoding }) => encoding === 'ccitt' || encoding === 'jbig2'));
  // The paper, and a millimetre of the backing at the right and at the bottom.
  const sizes = images.map(({ width, height }) => [width, height].map((px) => (px * 25.4) / 300));
  const expected = [
    [211, 298],
    [211, 298],
    [211, 121],
    [211, 121],
  ];
  const off = sizes.flat().map((mm, index) => Math.abs(mm - (expected.flat()[index] ?? 0)));
  assert.ok(Math.max(...off) < 1.5, JSON.stringify(sizes));
  assert.is(await archiveLevelOf(file), '2B');
});

test('a letter is stored in layers, and a page with pictures as one', async ({ appliance }) => {
  const pages = ['letter-bank', 'brochure-color'].map((name) => shippedPage(name));
  appliance.scanner.load(pages.map(({ file }) => file));
  const { result, files } = await scan(appliance, 'layers');
  const [letter = '', brochure = ''] = files;
  assert.is((await imagesOf(letter)).length, 3);
  assert.is((await imagesOf(brochure)).length, 1);
  assert.ok((result.documents[0]?.bytes ?? Infinity) < 120_000);
  assert.ok(recoveredShare(pages[0]?.text ?? '', await textOf(letter)) > 0.97);
  assert.is(await archiveLevelOf(letter), '2B');
});

test('a page of few words is turned with its stack', async ({ appliance }) => {
  const { file } = shippedPage('letter-bank');
  const dense = path.join(appliance.directory, 'dense.png');
  const sparse = path.join(appliance.directory, 'sparse.png');
  await sharp(file).rotate(180).withDensity(300).png().toFile(dense);
  const few = await sharp(file)
    .extract({ left: 0, top: 0, width: 2480, height: 230 })
    .extend({ bottom: 1000, background: '#f8f8f8' })
    .png()
    .toBuffer();
  await sharp(few).rotate(180).withDensity(300).png().toFile(sparse);
  appliance.scanner.load([sparse, dense]);
  const { result } = await scan(appliance, 'gray');
  const { json } = await appliance.get(`/scans/${result.scan_id}`);
  const facts = json?.['page_facts'] as { turned: number }[];
  assert.equal(
    facts.map(({ turned }) => turned),
    [180, 180],
  );
});
