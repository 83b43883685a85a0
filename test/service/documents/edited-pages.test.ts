import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fold } from '../../../service/archive/fold.ts';
import type { PageEdit } from '../../../service/archive/scan-event.ts';
import { planDocuments } from '../../../service/documents/plan-documents.ts';
import { BLANK, codes, droppedOf, pagesOf, SEPARATOR, stack, TEXT, type Side } from './stack.ts';

const test = suite('documents of pages that a person edited');

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

const CASES: [
  what: string,
  grouping: string,
  edits: Edits,
  documents: number[][],
  dropped: number[],
][] = [
  ['a page left out', 'combined', [[2, LEFT_OUT]], [[1, 3, 4, 5]], [2]],
  [
    'a page left out and taken back',
    'combined',
    [
      [2, LEFT_OUT],
      [2, { left_out: false }],
    ],
    [[1, 2, 3, 4, 5]],
    [],
  ],
  ['a page left out', 'per_page', [[2, LEFT_OUT]], [[1], [3], [4], [5]], [2]],
  [
    'a page left out',
    'per_sheet',
    [[5, LEFT_OUT]],
    [
      [1, 2],
      [3, 4],
    ],
    [5],
  ],
  ['a page moved to the front', 'combined', [[5, { before: 1 }]], [[5, 1, 2, 3, 4]], []],
  [
    'a page moved to the end and back',
    'combined',
    [
      [1, { before: null }],
      [1, { before: 2 }],
    ],
    [[1, 2, 3, 4, 5]],
    [],
  ],
  [
    'pages moved one after the other',
    'combined',
    [
      [4, { before: 2 }],
      [5, { before: 4 }],
    ],
    [[1, 5, 4, 2, 3]],
    [],
  ],
  [
    'a page moved away from the other side of its sheet',
    'per_sheet',
    [[2, { before: null }]],
    [[1], [3, 4], [5], [2]],
    [],
  ],
  [
    'a document that begins with a page',
    'combined',
    [[3, STARTS]],
    [
      [1, 2],
      [3, 4, 5],
    ],
    [],
  ],
  ['a document that begins with a back', 'per_sheet', [[2, STARTS]], [[1], [2], [3, 4], [5]], []],
  [
    'a document that begins with a back',
    'blank_page',
    [[4, STARTS]],
    [
      [1, 2, 3],
      [4, 5],
    ],
    [],
  ],
  [
    'a document that begins with a page',
    'separator',
    [[3, STARTS]],
    [
      [1, 2],
      [3, 4, 5],
    ],
    [],
  ],
  ['a document that begins with the first page', 'combined', [[1, STARTS]], [[1, 2, 3, 4, 5]], []],
  ['a document that begins with a page', 'per_page', [[3, STARTS]], [[1], [2], [3], [4], [5]], []],
  [
    'a document that begins with a page that is left out',
    'combined',
    [
      [3, STARTS],
      [3, LEFT_OUT],
    ],
    [
      [1, 2],
      [4, 5],
    ],
    [3],
  ],
  [
    'a beginning that is taken back',
    'combined',
    [
      [3, STARTS],
      [3, { starts_document: false }],
    ],
    [[1, 2, 3, 4, 5]],
    [],
  ],
  [
    'every page left out',
    'combined',
    [1, 2, 3, 4, 5].map((page) => [page, LEFT_OUT]),
    [],
    [1, 2, 3, 4, 5],
  ],
];

for (const [what, page_grouping, edits, documents, dropped] of CASES) {
  test(`${page_grouping}: ${what}`, () => {
    assert.equal(planned({ page_grouping }, edits, SHEETS), {
      documents,
      dropped: dropped.map((page) => [page, 'person']),
    });
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

test.run();
