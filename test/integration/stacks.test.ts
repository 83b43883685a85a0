import type { ScanResult } from '../../service/archive/scan-view.ts';
import { withAppliance, type Appliance } from '../support/appliance/appliance.ts';
import type { TestAnswer } from '../support/send-to.ts';
import { assert, suite } from '../support/suite.ts';
import { printStack, type SheetKind } from './support/stacks.ts';

const test = suite<{ appliance: Appliance }>('stacks as people put them together');

/** No text is looked at here, so none is recognised. */
const QUICK = { resolution: 150, processing: { ocr: false } };
const LETTERS = { page_grouping: 'separator', remove_blank_pages: 'backs' };

withAppliance(test, {
  profiles: [
    { name: 'letters', source: 'ADF Duplex', ...QUICK, assembly: LETTERS },
    { name: 'one-sided', source: 'ADF', ...QUICK, assembly: LETTERS },
    { name: 'blanks', source: 'ADF Duplex', ...QUICK, assembly: { page_grouping: 'blank_page' } },
    { name: 'written', source: 'ADF Duplex', ...QUICK, assembly: { remove_blank_pages: 'all' } },
    { name: 'whole', source: 'ADF', ...QUICK },
    {
      name: 'sheets',
      source: 'ADF',
      ...QUICK,
      assembly: { page_grouping: 'per_sheet', remove_blank_pages: 'backs', backs_order: 'same' },
    },
  ],
});

/** Puts a stack into the feeder and makes a call that feeds it. */
async function feed(
  appliance: Appliance,
  body: object,
  ...kinds: readonly SheetKind[]
): Promise<TestAnswer> {
  const paper = await printStack(...kinds);
  appliance.scanner.load(paper.sheets);
  const answer = await appliance.scan(body);
  await paper.remove();
  return answer;
}

function resume(appliance: Appliance, id: string, body: object = {}): Promise<TestAnswer> {
  return appliance.post(`/scans/${id}/resume`, body);
}

/** The result of a finished scan, every page of which is in one document or dropped. */
function resultOf(answer: TestAnswer): ScanResult {
  assert.is(answer.status, 200, answer.text);
  const result = answer.json as unknown as ScanResult;
  if (result.state === 'held') return result;
  const pages = [
    ...result.documents.flatMap((document) => document.pages),
    ...result.dropped_pages.map(({ page }) => page),
  ].toSorted((a, b) => a - b);
  assert.equal(
    pages,
    Array.from({ length: result.page_count }, (_, index) => index + 1),
  );
  return result;
}

function pagesOf(answer: TestAnswer): (readonly number[])[] {
  return resultOf(answer).documents.map(({ pages }) => pages);
}

test('separators may be anywhere, and a sticker on a back', async ({ appliance }) => {
  const answer = await feed(
    appliance,
    { profile: 'letters' },
    ...(['separator', 'letter', 'both sides', 'separator', 'separator face down'] as const),
    ...(['blank front', 'sticker on back', 'letter', 'sticker', 'separator'] as const),
  );
  // Page 2 n - 1 is the front of sheet n. Both stickers say the same, so they are on one document.
  assert.equal(pagesOf(answer), [
    [3, 5, 6],
    [11, 12],
    [13, 14, 15, 17],
  ]);
  const { dropped_pages, warnings } = resultOf(answer);
  const separators = dropped_pages.filter(({ reason }) => reason === 'separator');
  assert.equal(
    separators.map(({ page }) => page),
    [1, 2, 7, 8, 9, 10, 19, 20],
  );
  assert.equal(warnings, []);
});

test('a blank sheet separates, a blank front alone does not', async ({ appliance }) => {
  const stack = ['letter', 'blank', 'both sides', 'blank front', 'blank', 'blank'] as const;
  const divided = await feed(appliance, { profile: 'blanks' }, ...stack);
  assert.equal(pagesOf(divided), [
    [1, 2],
    [5, 6, 7, 8],
  ]);
  const written = await feed(appliance, { profile: 'written' }, ...stack);
  assert.equal(pagesOf(written), [[1, 5, 6, 8]]);
});

test('blank pages are filed when it is asked for, separators never', async ({ appliance }) => {
  const stack = ['blank', 'separator', 'blank'] as const;
  const refused = await feed(appliance, { profile: 'written' }, 'blank');
  assert.is(refused.json?.['error'], 'only_blank_pages', refused.text);
  const id = String(refused.json?.['scan_id']);
  assert.equal(pagesOf(await resume(appliance, id, { keep_blank_pages: true })), [[1, 2]]);
  const held = resultOf(await feed(appliance, { profile: 'whole', hold: true }, ...stack));
  const corrected = await resume(appliance, held.scan_id, {
    profile: 'letters',
    keep_blank_pages: true,
  });
  assert.equal(pagesOf(corrected), [[1], [3]]);
});

test('second sides go to their fronts, also after a jam', async ({ appliance }) => {
  const { scan_id: id } = resultOf(
    await feed(appliance, { profile: 'sheets', hold: true }, 'letter', 'letter', 'letter'),
  );
  appliance.scanner.setFault({ kind: 'jam', atPage: 2 });
  const jammed = await feed(
    appliance,
    { continue_scan: id, side: 'backs' },
    ...(['letter', 'blank', 'letter'] as const),
  );
  appliance.scanner.setFault(null);
  assert.is(jammed.json?.['error'], 'scanner_jammed', jammed.text);
  const rest = await feed(appliance, { continue_scan: id }, 'blank', 'letter');
  assert.equal(pagesOf(rest), [[1, 4], [2], [3, 6]]);
  assert.equal(
    resultOf(rest).dropped_pages.map(({ page, reason }) => [page, reason]),
    [[5, 'blank']],
  );
});
