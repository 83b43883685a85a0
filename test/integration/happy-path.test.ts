import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { readOpenApi } from '../../service/http/open-api.ts';
import type { ScanResult } from '../../service/archive/scan-view.ts';
import { withAppliance, type Appliance } from '../support/appliance/appliance.ts';
import { describedResponses } from '../support/open-api-schemas.ts';
import { cleanPages, recoveredShare, shippedPage, textOfPdf } from '../support/pages.ts';
import type { TestAnswer } from '../support/send-to.ts';
import { assert, suite } from '../support/suite.ts';

const test = suite<{ appliance: Appliance }>('from the feeder to the DMS');

withAppliance(test, {
  profiles: [
    { name: 'default', source: 'ADF', title: 'Letters {date}' },
    { name: 'duplex', source: 'ADF Duplex', resolution: 150 },
    { name: 'glass', source: 'Flatbed', mode: 'Color', resolution: 150, page_size: 'a5' },
  ],
});

const scanResponse = describedResponses(await readOpenApi('1')).find(
  ({ path: where, status }) => where === '/scan' && status === 200,
);

/** The result of a scan that must have worked, checked against the description. */
function resultOf(answer: TestAnswer): ScanResult {
  assert.is(answer.status, 200, answer.text);
  assert.is(scanResponse?.check(answer.json), undefined);
  return answer.json as unknown as ScanResult;
}

test('a clean stack is one document with 98 % of its words', async ({ appliance }) => {
  const pages = cleanPages();
  assert.ok(pages.length >= 8);
  appliance.scanner.load(pages.map(({ file }) => file));
  const result = resultOf(await appliance.scan({}));

  assert.is(result.profile, 'default');
  assert.is(result.page_count, pages.length);
  assert.is(result.documents.length, 1);
  const numbers = pages.map((_, index) => index + 1);
  assert.equal(result.documents[0]?.pages, numbers);
  assert.equal(result.warnings, []);

  const directory = path.join(appliance.scansDir, result.scan_id);
  const texts = await textOfPdf(path.join(directory, 'document-0001.pdf'));
  for (const [index, page] of pages.entries()) {
    const share = recoveredShare(page.text, texts[index] ?? '');
    assert.ok(share >= 0.98, `page ${index + 1}: ${(share * 100).toFixed(1)} % of the words`);
  }
});

test("the DMS stored the bytes on disk, under the profile's title", async ({ appliance }) => {
  appliance.scanner.load([shippedPage('invoice').file]);
  const result = resultOf(await appliance.scan({}));
  const [document] = result.documents;
  const stored = await readFile(
    path.join(appliance.scansDir, result.scan_id, document?.filename ?? ''),
  );
  assert.is(stored.length, document?.bytes);
  assert.is(createHash('sha256').update(stored).digest('hex'), document?.sha256);

  const upload = appliance.dms.uploads().at(-1);
  assert.is(upload?.sha256, document?.sha256);
  assert.is(upload?.headers['content-length'] !== undefined, true);
  assert.is(upload?.headers['transfer-encoding'], undefined);
  const title = upload?.fields.find(([name]) => name === 'title')?.[1] ?? '';
  assert.match(title, /^Letters \d{4}-\d{2}-\d{2}$/);
  assert.equal(document?.destinations, [{ status: 'submitted', task_id: upload?.task_id ?? '' }]);
});

test('the scan directory holds all, and scan.json is the answer', async ({ appliance }) => {
  appliance.scanner.load([shippedPage('receipt').file, shippedPage('form').file]);
  const result = resultOf(await appliance.scan({}));
  assert.equal(await appliance.files(result.scan_id), [
    'document-0001.pdf',
    'events.jsonl',
    'page-0001.tif',
    'page-0002.tif',
    'scan.json',
  ]);
  const record = await appliance.record(result.scan_id);
  assert.is(record['state'], 'finished');
  assert.is(record['error'], null);
  const { scan_id, profile, page_count, pages, timings_ms, duration_ms } = result;
  const said = { scan_id, profile, page_count, pages, timings_ms, duration_ms };
  assert.equal({ ...record, ...said }, record);
});

test('both sides of each sheet are scanned in the order of reading', async ({ appliance }) => {
  const names = ['letter-bank', 'blank-back-plain', 'article-one', 'article-two'];
  appliance.scanner.load(names.map((name) => shippedPage(name).file));
  const result = resultOf(await appliance.scan({ profile: 'duplex' }));
  assert.is(result.page_count, 4);
  assert.is(appliance.scanner.state.settings?.source, 'ADF Duplex');
  const texts = await textOfPdf(path.join(appliance.scansDir, result.scan_id, 'document-0001.pdf'));
  for (const [index, name] of names.entries()) {
    const share = recoveredShare(shippedPage(name).text, texts[index] ?? '');
    if (name.startsWith('blank')) assert.is(texts[index]?.trim(), '');
    else assert.ok(share > 0.9, `${name}: ${share}`);
  }
});

test('the glass gives one page, as the profile says', async ({ appliance }) => {
  appliance.scanner.load([shippedPage('brochure-color').file]);
  const result = resultOf(await appliance.scan({ profile: 'glass' }));
  assert.is(result.page_count, 1);
  const { source, mode, resolution } = appliance.scanner.state.settings ?? {};
  assert.equal([source, mode, resolution], ['Flatbed', 'Color', 150]);
  // 148 mm × 210 mm at 150 dpi; 26 bytes a pixel row and column of tolerance for the header.
  const { size } = await stat(path.join(appliance.scansDir, result.scan_id, 'page-0001.tif'));
  const expected = Math.round((148 / 25.4) * 150) * Math.round((210 / 25.4) * 150) * 3;
  assert.ok(Math.abs(size / expected - 1) < 0.01, `${size} bytes, expected about ${expected}`);
});
