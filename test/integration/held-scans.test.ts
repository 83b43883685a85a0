import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ScanResult } from '../../service/archive/scan-view.ts';
import { startAppliance, type Appliance } from '../support/appliance/appliance.ts';
import { recoveredShare, shippedPage, textOfPdf, type ShippedPage } from '../support/pages.ts';
import type { TestAnswer } from '../support/test-app.ts';

const test = suite<{ appliance: Appliance }>('a scan that is fed in several steps');

test.before(async (context) => {
  context.appliance = await startAppliance({
    profiles: [
      { name: 'book', source: 'Flatbed', resolution: 200 },
      { name: 'letters', source: 'ADF', resolution: 200 },
    ],
  });
});

test.after(({ appliance }) => appliance.close());

const [A, B, C] = ['letter-bank', 'letter-insurance', 'letter-landlord'].map(shippedPage);
const [A_BACK, B_BACK, C_BACK] = ['minutes', 'letter-school', 'report'].map(shippedPage);

function load({ scanner }: Appliance, ...pages: readonly (ShippedPage | undefined)[]): void {
  scanner.load(pages.flatMap((page) => (page ? [page.file] : [])));
}

function resultOf(answer: TestAnswer): ScanResult {
  assert.is(answer.status, 200, answer.text);
  return answer.json as unknown as ScanResult;
}

/** Sees that a document has these pages, in this order. */
async function checkText(
  { scansDir }: Appliance,
  result: ScanResult,
  pages: readonly (ShippedPage | undefined)[],
): Promise<void> {
  const file = path.join(scansDir, result.scan_id, result.documents[0]?.filename ?? '');
  const texts = await textOfPdf(file);
  const shares = pages.map((page, index) => recoveredShare(page?.text ?? '', texts[index] ?? ''));
  assert.ok(
    shares.every((share) => share > 0.9),
    `words found per page: ${shares.join(', ')}`,
  );
}

test('a book on the flatbed becomes one document, also when the service is restarted meanwhile', async ({
  appliance,
}) => {
  load(appliance, A);
  const first = resultOf(await appliance.scan({ profile: 'book', hold: true }));
  assert.equal([first.state, first.page_count, first.documents], ['held', 1, []]);
  const id = first.scan_id;
  load(appliance, B);
  resultOf(await appliance.scan({ continue_scan: id, hold: true }));

  await appliance.service.stop();
  await appliance.service.start();
  const { scans } = (await appliance.get('/scans')).json as { scans: { state: string }[] };
  assert.equal([scans.length, scans[0]?.state], [1, 'held']);
  assert.is((await appliance.get(`/scans/${id}`)).json?.['state'], 'held');

  load(appliance, C);
  resultOf(await appliance.scan({ continue_scan: id, hold: true }));
  const result = resultOf(await appliance.post(`/scans/${id}/resume`, {}));
  assert.equal([result.state, result.warnings], ['finished', []]);
  assert.equal(
    result.documents.map(({ pages }) => pages),
    [[1, 2, 3]],
  );
  await checkText(appliance, result, [A, B, C]);
  assert.is(appliance.dms.uploads().length, 1);
});

test('both sides of a stack on a one-sided feeder; two backs went through at once, so they are fed again', async ({
  appliance,
}) => {
  load(appliance, A, B, C);
  const { scan_id: id } = resultOf(await appliance.scan({ profile: 'letters', hold: true }));
  load(appliance, C_BACK, A_BACK);
  const refused = await appliance.scan({ continue_scan: id, side: 'backs' });
  assert.is(refused.status, 422, refused.text);
  const { error, fronts, backs, page_count } = refused.json ?? {};
  assert.equal([error, fronts, backs, page_count], ['sheet_count_mismatch', 3, 2, 5]);
  assert.is((await appliance.get(`/scans/${id}`)).json?.['state'], 'held');

  load(appliance, C_BACK, B_BACK, A_BACK);
  const result = resultOf(await appliance.scan({ continue_scan: id, side: 'backs' }));
  assert.is(result.page_count, 8);
  assert.equal(
    result.documents.map(({ pages }) => pages),
    [[1, 8, 2, 7, 3, 6]],
  );
  assert.equal(
    result.dropped_pages
      .map(({ page, reason }) => [page, reason])
      .toSorted((a, b) => Number(a[0]) - Number(b[0])),
    [
      [4, 'replaced'],
      [5, 'replaced'],
    ],
  );
  await checkText(appliance, result, [A, A_BACK, B, B_BACK, C, C_BACK]);
  assert.is(appliance.dms.uploads().length, 2);
});

test.run();
