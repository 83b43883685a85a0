import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sampleMeasurement, sampleReference } from './measurement-sample.ts';
import { rowsOf } from './rows.ts';
import { pageCostTable, smallGoals, twoStackTable, watcherTable } from './small-figures.ts';

const test = suite('what the benchmark says of costs beside recognition');

/** A gray page takes Tesseract 1.5 CPU-seconds, and all of ours 2. */
const rows = rowsOf([sampleMeasurement({ pace: 'unpaced', reference: sampleReference() })], () => [
  'one two three',
  'four five six',
]);
const figures = {
  rows,
  page_costs: [
    { what: '+ blank score and skew', cpu_s_per_page: { gray: 0.06 } },
    { what: '+ all but black and white', cpu_s_per_page: { gray: 0.3, colour: 0.1 } },
  ],
  watchers: {
    watchers: 10,
    alone_cpu_s_per_page: 0.04,
    events_cpu_s_per_page: 0.05,
    previews_cpu_s_per_page: 0.07,
  },
};

test('the cost of a page has its share of Tesseract alone, where that was measured', () => {
  const [, blank = [], , tesseract] = pageCostTable(figures);
  assert.equal(blank.slice(1), ['0.060 (4.0 %)', '–', '–']);
  assert.equal(tesseract?.slice(1), ['1.50', '–', '–']);
  assert.is(pageCostTable(figures)[2]?.[2], '0.100');
});

test('watchers have the share that they add to a page', () => {
  assert.equal(
    watcherTable(figures).map(([, ms, share]) => [ms, share]),
    [
      ['CPU ms of the service per page', 'share of all CPU time of a page'],
      ['40.0', '0.0 %'],
      ['50.0', '0.5 %'],
      ['70.0', '1.5 %'],
    ],
  );
});

test('the goals say which costs are too high', () => {
  const goals = smallGoals(figures).map(({ measured, reached }) => [measured.toFixed(3), reached]);
  assert.equal(goals, [
    ['0.200', false],
    ['0.015', true],
    ['0.045', true],
  ]);
});

test('two stacks are shown with the order of their pages', () => {
  const [, first, , order] = twoStackTable({
    pages: 2,
    first: { alone_s: 1, beside_s: 2 },
    second: { alone_s: 3, beside_s: 4 },
    order: '1212',
  });
  assert.equal(first, ['first, unpaced', '1.00', '2.00']);
  assert.is(order?.[2], '1212');
});

test.run();
