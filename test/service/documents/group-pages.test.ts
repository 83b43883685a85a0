import { fold } from '../../../service/archive/fold.ts';
import type { PageEdit } from '../../../service/archive/scan-event.ts';
import { planDocuments } from '../../../service/documents/plan-documents.ts';
import { assert, suite } from '../../support/suite.ts';
import {
  BLANK,
  codes,
  droppedOf,
  inShort,
  pagesOf,
  planOf,
  SEPARATOR,
  type Side,
  stack,
  TEXT,
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

const SHEETS = [[TEXT, TEXT], [TEXT, TEXT], [TEXT]];

type Edits = readonly (readonly [page: number, edit: PageEdit])[];

interface Planned {
  readonly documents: (readonly number[])[];
  readonly dropped: [number, string][];
}

function planned(assembly: object, edits: Edits, sheets: readonly (readonly Side[])[]): Planned {
  const edited = edits.reduce(
    (record, [page, edit]) =>
      fold(record, { type: 'edited', at: record.started_at, page, ...edit }),
    stack({ assembly }, sheets),
  );
  const plan = planDocuments(edited);
  return { documents: pagesOf(plan), dropped: droppedOf(plan) };
}

const LEFT_OUT = { left_out: true };
const STARTS = { starts_document: true };

/** What is done to pages, by its word. */
const DONE: Readonly<Record<string, PageEdit>> = {
  out: LEFT_OUT,
  in: { left_out: false },
  starts: STARTS,
  joins: { starts_document: false },
  last: { before: null },
};

/** Edits as `5 out, 1 before 2`. */
function editsOf(text: string): Edits {
  return text.split(', ').map((one) => {
    const [page, word = '', other] = one.split(' ');
    return [Number(page), DONE[word] ?? { before: Number(other) }] as const;
  });
}

/** What becomes of five pages, of which the others are left out by a person. */
const EDITED: [grouping: string, edits: string, documents: string][] = [
  ['combined', '2 out', '1 3 4 5'],
  ['combined', '2 out, 2 in', '1 2 3 4 5'],
  ['per_page', '2 out', '1 | 3 | 4 | 5'],
  ['per_sheet', '5 out', '1 2 | 3 4'],
  ['combined', '5 before 1', '5 1 2 3 4'],
  ['combined', '1 last, 1 before 2', '1 2 3 4 5'],
  ['combined', '4 before 2, 5 before 4', '1 5 4 2 3'],
  ['per_sheet', '2 last', '1 | 3 4 | 5 | 2'],
  ['combined', '3 starts', '1 2 | 3 4 5'],
  ['per_sheet', '2 starts', '1 | 2 | 3 4 | 5'],
  ['blank_page', '4 starts', '1 2 3 | 4 5'],
  ['separator', '3 starts', '1 2 | 3 4 5'],
  ['combined', '1 starts', '1 2 3 4 5'],
  ['per_page', '3 starts', '1 | 2 | 3 | 4 | 5'],
  ['combined', '3 starts, 3 out', '1 2 | 4 5'],
  ['combined', '3 starts, 3 joins', '1 2 3 4 5'],
  ['combined', '1 out, 2 out, 3 out, 4 out, 5 out', ''],
];

for (const [page_grouping, edits, documents] of EDITED) {
  test(`${page_grouping}, ${edits}: ${documents || 'no document'}`, () => {
    const plan = planned({ page_grouping }, editsOf(edits), SHEETS);
    assert.is(inShort(plan.documents), documents);
    const out = [1, 2, 3, 4, 5].filter((page) => !documents.includes(String(page)));
    assert.equal(
      plan.dropped,
      out.map((page) => [page, 'person']),
    );
  });
}

test('a separator that a person left out separates all the same', () => {
  const sheets = [[TEXT], [SEPARATOR, TEXT], [TEXT]];
  assert.equal(planned({ page_grouping: 'separator' }, [[2, LEFT_OUT]], sheets), {
    documents: [[1], [4]],
    dropped: [
      [2, 'person'],
      [3, 'separator'],
    ],
  });
  const blank = [[TEXT], [BLANK, BLANK], [TEXT]];
  assert.equal(planned({ page_grouping: 'blank_page' }, [[2, LEFT_OUT]], blank), {
    documents: [[1], [4]],
    dropped: [
      [2, 'person'],
      [3, 'blank'],
    ],
  });
});

test('the blank side of a sheet with text separates nothing, wherever the other side is moved', () => {
  const sheets = [
    [TEXT, TEXT],
    [TEXT, BLANK],
    [TEXT, TEXT],
  ];
  assert.equal(planned({ page_grouping: 'blank_page' }, [[3, { before: 1 }]], sheets), {
    documents: [[3, 1, 2, 4, 5, 6]],
    dropped: [],
  });
  const separated = [[TEXT], [BLANK, BLANK], [TEXT]];
  assert.equal(
    planned({ page_grouping: 'blank_page' }, [[3, { before: 1 }]], separated).documents,
    [[1], [4]],
  );
});

test('the serial number of a page that is left out begins no document', () => {
  const sheets = [[TEXT], [codes('ASN7')], [TEXT]];
  assert.equal(planned({ page_grouping: 'separator' }, [[2, LEFT_OUT]], sheets).documents, [
    [1, 3],
  ]);
  assert.equal(planned({ page_grouping: 'separator' }, [], sheets).documents, [[1], [2, 3]]);
});
