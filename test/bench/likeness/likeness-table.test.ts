import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DocumentLikeness, PageLikeness } from './document-likeness.ts';
import { resolutionsOf, shortfalls, summaryOf } from './likeness-table.ts';

const test = suite('what is said of the likeness of a document');

function document(side: string, likeness: readonly PageLikeness[]): DocumentLikeness {
  return { mode: 'gray', pages: 2, side, likeness, differing_pixels: null };
}

const ours = document('ours', [
  { dpi: 300, features: { 'whole page': 0.9, 'text edges': 0.8 } },
  { dpi: 150, features: { 'whole page': 0.95 } },
  { dpi: 300, features: { 'whole page': 0.8, pictures: 0.7 } },
  { dpi: 150, features: { 'whole page': 0.85 } },
]);

test('a feature has a mean and a worst page at each resolution', () => {
  assert.equal(resolutionsOf(ours), [300, 150]);
  const page = summaryOf(ours, 300, 'whole page');
  assert.ok(Math.abs((page?.mean ?? 0) - 0.85) < 1e-12);
  assert.is(page?.worst, 0.8);
  assert.equal(summaryOf(ours, 300, 'pictures'), { mean: 0.7, worst: 0.7 });
  assert.is(summaryOf(ours, 150, 'colours'), undefined);
});

test('a shortfall is that of the page that comes off worst, at whichever resolution', () => {
  const naive = document('naive', [
    { dpi: 300, features: { 'whole page': 0.85, 'text edges': 0.6 } },
    { dpi: 150, features: { 'whole page': 0.5 } },
    { dpi: 300, features: { 'whole page': 0.75, pictures: 0.9 } },
    { dpi: 150, features: { 'whole page': 0.95 } },
  ]);
  const found = shortfalls(ours, naive).map(({ feature, shortfall }) => [
    feature,
    shortfall.toFixed(2),
  ]);
  // No page makes up for another: three of four are more like the raw page than those of the naive script.
  assert.equal(found, [
    ['whole page', '0.10'],
    ['text edges', '-0.20'],
    ['pictures', '0.20'],
  ]);
});

test.run();
