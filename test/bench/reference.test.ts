import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Measurement } from './measurement.ts';
import { sampleMeasurement } from './measurement-sample.ts';
import { referenceOf, spreadOver } from './reference.ts';

const test = suite('Tesseract alone directly before and after a run');

function alone(change: Partial<Measurement> = {}): Measurement {
  const work = { rawPages: ['a', 'b'], imageSizes: [], pdfA: undefined };
  return sampleMeasurement({ side: 'tesseract', pace: undefined, work, ...change });
}

test('a reference is the mean of the two, for each page', () => {
  const before = { pages: alone({ cpuSeconds: 6, totalMs: 3000 }), lastPage: undefined };
  const after = { pages: alone({ cpuSeconds: 8, totalMs: 5000 }), lastPage: undefined };
  const reference = referenceOf(before, after, 2);
  assert.is(reference.cpuSecondsPerPage, 3.5);
  assert.is(reference.totalMs, 4000);
  assert.is(reference.lastPageMs, undefined);
});

test('the last page has a reference where it was recognised alone before and after', () => {
  const lastPage = (totalMs: number): Measurement => alone({ pages: 1, totalMs });
  const before = { pages: alone(), lastPage: lastPage(4000) };
  assert.is(referenceOf(before, { pages: alone(), lastPage: lastPage(4400) }, 2).lastPageMs, 4200);
  assert.is(referenceOf(before, { pages: alone(), lastPage: undefined }, 2).lastPageMs, undefined);
});

test('pages that a stack repeats stand for all of it', () => {
  const sample = { pages: alone({ cpuSeconds: 6 }), lastPage: undefined };
  const { cpuSecondsPerPage, texts, pages } = referenceOf(sample, sample, 4);
  assert.is(pages, 2);
  assert.is(cpuSecondsPerPage, 3);
  assert.equal(texts, ['one two three', 'four five six', 'one two three', 'four five six']);
  const whole = spreadOver(sample.pages, 4);
  assert.is(whole.pages, 4);
  assert.equal(whole.work.rawPages, ['a', 'b', 'a', 'b']);
});

test('a stack that does not repeat the pages has no reference in them', () => {
  const sample = { pages: alone(), lastPage: undefined };
  assert.throws(() => referenceOf(sample, sample, 3), /no multiple of a sample of 2/);
  const other = { pages: alone({ pages: 1 }), lastPage: undefined };
  assert.throws(() => referenceOf(sample, other, 2), /not the same pages/);
});

test.run();
