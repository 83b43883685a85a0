import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { groupPages, isDuplex } from '../../../service/scan/group-pages.ts';

const test = suite('grouping pages into documents');

const PAGES = [1, 2, 3, 4, 5];

test('combined makes one document of all pages', () => {
  assert.equal(groupPages(PAGES, 'combined', 'ADF'), [PAGES]);
});

test('per_page makes one document of each page', () => {
  assert.equal(groupPages(PAGES, 'per_page', 'ADF Duplex'), [[1], [2], [3], [4], [5]]);
});

test('per_sheet takes the two sides of a sheet together', () => {
  assert.equal(groupPages(PAGES, 'per_sheet', 'ADF Duplex'), [[1, 2], [3, 4], [5]]);
  assert.equal(groupPages([1, 2], 'per_sheet', 'Card Duplex'), [[1, 2]]);
});

/** Numbers of the pages that are there, with the sheets they are sides of. */
const MISSING: [string, number[], number[][]][] = [
  ['a back', [1, 3, 4], [[1], [3, 4]]],
  ['a front', [2, 3, 4], [[2], [3, 4]]],
  [
    'a whole sheet',
    [1, 2, 5, 6],
    [
      [1, 2],
      [5, 6],
    ],
  ],
  ['every back', [1, 3, 5], [[1], [3], [5]]],
  ['all but one back', [4], [[4]]],
];

for (const [what, pages, sheets] of MISSING) {
  test(`sides never move to another sheet where ${what} is missing`, () => {
    assert.equal(groupPages(pages, 'per_sheet', 'ADF Duplex'), sheets);
  });
}

test('a sheet that is scanned on one side is one page', () => {
  assert.equal(groupPages([1, 2], 'per_sheet', 'ADF Front'), [[1], [2]]);
  assert.equal(groupPages([1, 2], 'per_sheet', undefined), [[1], [2]]);
});

test('a source is a duplex one by its name, however it is written', () => {
  for (const source of [
    'ADF Duplex',
    'adf duplex',
    'ADF-DUPLEX',
    'Automatic Document Feeder (Duplex)',
  ]) {
    assert.ok(isDuplex(source), source);
  }
  for (const source of ['ADF', 'Flatbed', 'ADF Front', '', undefined]) {
    assert.not.ok(isDuplex(source), source);
  }
});

test('every page is in exactly one document', () => {
  for (const grouping of ['combined', 'per_page', 'per_sheet'] as const) {
    for (const pages of [PAGES, [2, 3, 7, 8, 9]]) {
      assert.equal(groupPages(pages, grouping, 'ADF Duplex').flat(), pages);
    }
  }
});

test.run();
