import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  BLANK,
  codes,
  droppedOf,
  inShort,
  pagesOf,
  planOf,
  SEPARATOR,
  TEXT,
  type Side,
} from './stack.ts';

const test = suite('grouping pages into documents');

const LETTER: Side[] = [TEXT, TEXT];
/** Two sheets with two sides, and one whose back is missing. */
const DUPLEX = [LETTER, LETTER, [TEXT]];
const BLANK_BACK: Side[] = [TEXT, BLANK];

const CASES: [what: string, assembly: object, sheets: Side[][], documents: string][] = [
  ['combined: the whole stack', { page_grouping: 'combined' }, DUPLEX, '1 2 3 4 5'],
  ['per_page: each side', { page_grouping: 'per_page' }, DUPLEX, '1 | 2 | 3 | 4 | 5'],
  ['per_sheet: both sides of each sheet', { page_grouping: 'per_sheet' }, DUPLEX, '1 2 | 3 4 | 5'],
  ['per_sheet, scanned on one side', { page_grouping: 'per_sheet' }, [[TEXT], [TEXT]], '1 | 2'],
  [
    'per_sheet: a sheet that is blank on both sides gives no document',
    { page_grouping: 'per_sheet', remove_blank_pages: 'all' },
    [LETTER, [BLANK, BLANK], LETTER],
    '1 2 | 5 6',
  ],
  [
    'separator: both sides of the sheet are left out',
    { page_grouping: 'separator' },
    [LETTER, [SEPARATOR, TEXT], LETTER, LETTER],
    '1 2 | 5 6 7 8',
  ],
  [
    'separator: the code may be on the back',
    { page_grouping: 'separator' },
    [LETTER, [BLANK, SEPARATOR], LETTER],
    '1 2 | 5 6',
  ],
  [
    'separator: first, last and doubled ones make no empty document',
    { page_grouping: 'separator' },
    [[SEPARATOR], [TEXT], [SEPARATOR], [SEPARATOR], [TEXT], [SEPARATOR]],
    '2 | 5',
  ],
  [
    'separator: texts of the profile',
    { page_grouping: 'separator', barcodes: { separator: ['CUT', 'NEXT'] } },
    [[TEXT], [codes('NEXT')], [TEXT], [codes('PATCHT')]],
    '1 | 3 4',
  ],
  [
    'a text that only begins like a separator is none',
    { page_grouping: 'separator' },
    [[TEXT], [codes('PATCHT2')], [codes('patcht')]],
    '1 2 3',
  ],
  [
    'separator: a serial number begins a document with its sheet, also from the back',
    { page_grouping: 'separator' },
    [LETTER, [TEXT, codes('ASN5')], LETTER, [codes('ASN 6'), TEXT]],
    '1 2 | 3 4 5 6 | 7 8',
  ],
  [
    'separator: the same serial number again does not, nor one that cannot be used',
    { page_grouping: 'separator' },
    [[codes('ASN5')], [codes('ASN5')], [codes('ASNX')]],
    '1 2 3',
  ],
  [
    'separator: nor the serial number of the separator in front',
    { page_grouping: 'separator' },
    [[codes('PATCHT', 'ASN5')], [TEXT], [codes('ASN5')], [codes('ASN6')]],
    '2 3 | 4',
  ],
  [
    'other groupings are not divided by codes',
    { page_grouping: 'combined', barcodes: {} },
    [[TEXT], [codes('PATCHT')], [codes('ASN6')]],
    '1 2 3',
  ],
  [
    'blank_page: a sheet divides that is blank on both sides, a blank back does not',
    { page_grouping: 'blank_page' },
    [BLANK_BACK, [BLANK, BLANK], LETTER, [BLANK]],
    '1 2 | 5 6',
  ],
  [
    'blank_page with backs',
    { page_grouping: 'blank_page', remove_blank_pages: 'backs' },
    [BLANK_BACK, [BLANK, BLANK], [BLANK, TEXT]],
    '1 | 5 6',
  ],
];

for (const [what, assembly, sheets, documents] of CASES) {
  test(what, () => {
    assert.is(inShort(pagesOf(planOf(assembly, sheets))), documents);
  });
}

test('backs leaves out blank backs, all every blank page, none nothing', () => {
  const sheets = [BLANK_BACK, [BLANK, TEXT], [BLANK]];
  const dropped = (removed: string): unknown =>
    droppedOf(planOf({ remove_blank_pages: removed }, sheets));
  assert.equal(dropped('none'), []);
  assert.equal(dropped('backs'), [[2, 'blank']]);
  assert.equal(dropped('all'), [
    [2, 'blank'],
    [3, 'blank'],
    [5, 'blank'],
  ]);
});

test('a blank page is dropped with its score, and one that is nearly blank is kept with a warning', () => {
  const near = { ...BLANK, blank: { score: 1.04, mark: null } };
  const plan = planOf({ remove_blank_pages: 'all' }, [
    [TEXT],
    [BLANK],
    [near],
    [{ ...BLANK, blank: null }],
  ]);
  assert.equal(plan.dropped_pages, [{ page: 2, reason: 'blank', score: 0.02 }]);
  assert.equal(plan.warnings, ['Page 3 is nearly blank (score 1.04). It was kept.']);
  assert.equal(planOf({ remove_blank_pages: 'backs' }, [[near]]).warnings, []);
});

test.run();
