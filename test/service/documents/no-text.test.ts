import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { planDocuments } from '../../../service/documents/plan-documents.ts';
import { BLANK, planOf, SEPARATOR, stack, TEXT, type Side } from './stack.ts';

const test = suite('pages with ink and without text');

const UNREAD: Side = { ...TEXT, words: 0, characters: 0, confidence: null, unread: true };
const ADVICE = 'should have text, scan the paper again with more contrast or resolution.';

/** Warnings of a scan of fronts. */
function warningsOf(...pages: readonly Side[]): readonly string[] {
  return planOf(
    {},
    pages.map((page) => [page]),
  ).warnings;
}

test('are named in one warning', () => {
  assert.equal(warningsOf(TEXT, UNREAD), [
    `No text was found on page 2, which is not blank. If it ${ADVICE}`,
  ]);
  assert.equal(warningsOf(TEXT, UNREAD, TEXT, TEXT, UNREAD), [
    `No text was found on pages 2, 5, which are not blank. If they ${ADVICE}`,
  ]);
});

test('are not all pages without words', () => {
  assert.equal(warningsOf(BLANK, { ...BLANK, blank: null }), []);
});

test('are those of documents only', () => {
  const assembly = { page_grouping: 'separator', barcodes: { separator: ['PATCHT'] } };
  const { dropped_pages, warnings } = planOf(assembly, [[TEXT], [{ ...UNREAD, ...SEPARATOR }]]);
  assert.is(dropped_pages.length, 1);
  assert.equal(warnings, []);
});

test('are no warning where the text of the scan does not matter', () => {
  const record = stack({ processing: { low_confidence: 0 } }, [[UNREAD]]);
  assert.equal(planDocuments(record).warnings, []);
});

test.run();
