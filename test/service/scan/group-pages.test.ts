import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { groupPages } from '../../../service/scan/group-pages.ts';

const test = suite('grouping pages into documents');

/** Pages of a stack, by the sheets that they are sides of. */
const pagesOf = (...sheets: number[]): { number: number; sheet: number }[] =>
  sheets.map((sheet, index) => ({ number: index + 1, sheet }));

const DUPLEX = pagesOf(1, 1, 2, 2, 3);

test('combined makes one document of all pages', () => {
  assert.equal(groupPages(DUPLEX, 'combined'), [[1, 2, 3, 4, 5]]);
});

test('per_page makes one document of each page', () => {
  assert.equal(groupPages(DUPLEX, 'per_page'), [[1], [2], [3], [4], [5]]);
});

test('per_sheet takes the two sides of a sheet together, wherever a side is missing', () => {
  assert.equal(groupPages(DUPLEX, 'per_sheet'), [[1, 2], [3, 4], [5]]);
  assert.equal(groupPages(pagesOf(1, 1, 2, 3, 3), 'per_sheet'), [[1, 2], [3], [4, 5]]);
  assert.equal(groupPages(DUPLEX.toSpliced(0, 1), 'per_sheet'), [[2], [3, 4], [5]]);
});

test('a sheet that is scanned on one side is one page', () => {
  assert.equal(groupPages(pagesOf(1, 2, 3), 'per_sheet'), [[1], [2], [3]]);
});

test.run();
