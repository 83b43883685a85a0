import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Measurement } from './measurement.ts';
import { sampleMeasurement } from './measurement-sample.ts';
import { checkSameWork } from './same-work.ts';

const test = suite('the check that the sides of the benchmark did the same work');

const SET = {
  mode: 'gray',
  files: ['1', '2'],
  texts: ['One two, three.', 'four five six'],
  pictures: [[], []],
} as const;

function naive(change: Partial<Measurement> = {}): Measurement {
  return sampleMeasurement({ side: 'naive', ...change });
}

function complaint(...sides: Measurement[]): string {
  try {
    checkSameWork(SET, sides);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

test('sides that did the same work pass, Tesseract alone without a document too', () => {
  const alone = sampleMeasurement({
    side: 'tesseract',
    bytes: undefined,
    work: { rawPages: ['a', 'b'], imageSizes: [], pdfA: undefined },
  });
  assert.is(complaint(alone, sampleMeasurement(), naive()), '');
});

test('a missing page is told', () => {
  const short = naive({ pages: 1, texts: ['one two three'] });
  assert.match(complaint(sampleMeasurement(), short), /naive .* 1 pages with 1 texts, not 2/);
});

test('other raw pages are told', () => {
  const work = { ...sampleMeasurement().work, rawPages: ['a', 'c'] };
  assert.match(complaint(sampleMeasurement(), naive({ work })), /had other raw pages/);
});

test('images of another resolution are told', () => {
  const work = { ...sampleMeasurement().work, imageSizes: ['10×20', '5×10'] };
  assert.match(complaint(sampleMeasurement(), naive({ work })), /images differ/);
});

test('a document that is no PDF/A is told', () => {
  const work = { ...sampleMeasurement().work, pdfA: false };
  assert.match(complaint(sampleMeasurement({ work }), naive()), /PDF\/A/);
});

test('words that are missing on one side are told', () => {
  const poor = naive({ texts: ['one two', 'four five six'] });
  const told = complaint(sampleMeasurement(), poor);
  assert.match(told, /naive .*: 16\.7 % of the printed words are missing/);
  assert.match(told, /lie too far apart: ours .* 0\.0 %, naive .* 16\.7 %/);
});

test('a document without text has no words to miss, but the same pages', () => {
  const noOcr = { variant: 'no_ocr', texts: ['', ''] };
  checkSameWork(SET, [sampleMeasurement(), sampleMeasurement(noOcr)]);
  const work = { rawPages: ['a', 'x'], imageSizes: ['10×20', '10×20'], pdfA: true };
  const other = sampleMeasurement({ ...noOcr, work });
  assert.throws(() => checkSameWork(SET, [sampleMeasurement(), other]), /had other raw pages/);
});

test.run();
