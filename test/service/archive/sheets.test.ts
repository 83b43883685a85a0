import {
  inSheetOrder,
  nextSheet,
  sheetOfBack,
  unmatchedSides,
  withBacksApart,
} from '../../../service/archive/sheets.ts';
import type { RecordedPage } from '../../../service/archive/scan-record.ts';
import { page } from '../../support/stored-scan.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('sheets and their sides');

const front = (number: number, sheet = number): RecordedPage => page(number, { sheet });
const back = (number: number, sheet: number): RecordedPage => page(number, { sheet, side: 'back' });
const FRONTS = [front(1), front(2), front(3)];

/** Sheets of the next backs, by the pages that are there. */
function sheets(
  pages: readonly RecordedPage[],
  unmatched = false,
): { reverse: number[]; same: number[] } {
  const of = (order: 'reverse' | 'same'): number[] =>
    [0, 1, 2, 3].map((index) => sheetOfBack({ pages, unmatched }, order, index));
  return { reverse: of('reverse'), same: of('same') };
}

test('second sides belong to the fronts that were added since', () => {
  const complete = [front(1), back(2, 1), front(3, 2), front(4, 3)];
  assert.equal(sheets(complete), { reverse: [3, 2, 4, 5], same: [2, 3, 4, 5] });
});

/** What is found of pages, and of a source that is known to be simplex. */
const COUNTS: [string, readonly RecordedPage[], [number, number] | undefined][] = [
  ['fronts alone', FRONTS, undefined],
  ['as many backs', [...FRONTS, back(4, 3), back(5, 2), back(6, 1)], undefined],
  ['a back too few', [...FRONTS, back(4, 3), back(5, 2)], [3, 2]],
  ['a back too many', [front(1), back(2, 1), back(3, 2)], [1, 2]],
  ['fronts that were added since', [front(1), back(2, 1), front(3, 2)], undefined],
  ['backs of later fronts', [front(1), back(2, 1), front(3, 2), front(4, 3), back(5, 3)], [3, 2]],
  ['a back fed again', [front(1), { ...back(2, 2), replaced: true }, back(3, 1)], undefined],
  ['backs on sheets of their own', [...FRONTS, back(4, 4), back(5, 5)], undefined],
];

for (const [what, pages, counts] of COUNTS) {
  test(`${what}: ${counts ? counts.join(' fronts, ') + ' backs' : 'nothing to find'}`, () => {
    const [fronts, backs] = counts ?? [];
    const expected = counts && { fronts, backs };
    assert.equal(unmatchedSides({ pages, duplex: false }), expected);
    assert.is(unmatchedSides({ pages, duplex: true }), undefined);
  });
}

test('second sides come after the fronts, as they were scanned, when they cannot be matched', () => {
  const given = [...FRONTS, back(4, 3), { ...back(6, 1), replaced: true as const }, back(5, 2)];
  const pages = withBacksApart({ pages: given, arranged: false });
  const inPlace = withBacksApart({ pages: given, arranged: true });
  assert.equal(
    inPlace.map(({ number }) => number),
    given.map(({ number }) => number),
    'as a person arranged them',
  );
  assert.equal(
    pages.map(({ number, sheet, side }) => [number, sheet, side]),
    [
      [1, 1, 'front'],
      [6, 1, 'back'],
      [2, 2, 'front'],
      [3, 3, 'front'],
      [4, 4, 'back'],
      [5, 5, 'back'],
    ],
  );
});

test('second sides and more fronts are on the sheet after the last one', () => {
  assert.is(nextSheet([]), 1);
  assert.is(nextSheet([front(1, 4), back(2, 4), front(3, 2)]), 5);
});

/** What was scanned, and the numbers of the pages in the order of the sheets. */
const ORDERS: [string, RecordedPage[], number[]][] = [
  ['their scanning where every page is a sheet', [2, 1, 11, 3].map((n) => page(n)), [1, 2, 3, 11]],
  ['the front of a sheet before its back', [back(1, 1), front(2, 1)], [2, 1]],
  [
    'the sheets where the second sides were fed after the first ones',
    [...FRONTS, back(4, 3), back(5, 2), back(6, 1)],
    [1, 6, 2, 5, 3, 4],
  ],
];

for (const [what, pages, order] of ORDERS) {
  test(`the order of pages is that of ${what}`, () => {
    assert.equal(
      inSheetOrder(pages).map(({ number }) => number),
      order,
    );
  });
}
