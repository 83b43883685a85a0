import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fold } from '../../../service/archive/fold.ts';
import type { PageEdit } from '../../../service/archive/scan-event.ts';
import { planDocuments } from '../../../service/documents/plan-documents.ts';
import {
  BLANK,
  codes,
  droppedOf,
  inShort,
  pagesOf,
  SEPARATOR,
  stack,
  TEXT,
  type Side,
} from './stack.ts';

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
const CASES: [grouping: string, edits: string, documents: string][] = [
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

for (const [page_grouping, edits, documents] of CASES) {
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

test.run();
