import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { groupPages } from '../../../service/scan/group-pages.ts';

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

test('a sheet that is scanned on one side is one page', () => {
  assert.equal(groupPages([1, 2], 'per_sheet', 'ADF Front'), [[1], [2]]);
  assert.equal(groupPages([1, 2], 'per_sheet', undefined), [[1], [2]]);
});

test('every page is in exactly one document', () => {
  for (const grouping of ['combined', 'per_page', 'per_sheet'] as const) {
    assert.equal(groupPages(PAGES, grouping, 'ADF Duplex').flat(), PAGES);
  }
});

test.run();
