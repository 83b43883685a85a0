import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inSheetOrder } from '../../../service/archive/page-order.ts';
import { page } from '../../support/stored-scan.ts';

const test = suite('the order of pages');

const numbers = (pages: readonly ReturnType<typeof page>[]): number[] =>
  inSheetOrder(pages).map(({ number }) => number);

test('is that of their scanning where every page is a sheet', () => {
  assert.equal(numbers([page(2), page(1), page(11), page(3)]), [1, 2, 3, 11]);
});

test('has the front of a sheet before its back, whichever was scanned first', () => {
  const [front, back] = [page(2, { sheet: 1 }), page(1, { sheet: 1, side: 'back' })];
  assert.equal(numbers([back, front]), [2, 1]);
});

test('is that of the sheets where the second sides were fed after the first ones', () => {
  const backs = [3, 2, 1].map((sheet, index) => page(4 + index, { sheet, side: 'back' }));
  assert.equal(numbers([page(1), page(2), page(3), ...backs]), [1, 6, 2, 5, 3, 4]);
});

test('leaves the given list as it was', () => {
  const given = [page(2), page(1)];
  inSheetOrder(given);
  assert.is(given[0]?.number, 2);
});

test.run();
