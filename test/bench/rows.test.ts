import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { goalsOf } from './goals.ts';
import { sampleMeasurement } from './measurement-sample.ts';
import { plotOf } from './plot.ts';
import { rowsOf } from './rows.ts';
import { toMarkdown, toText, withFigures } from './table-text.ts';
import { comparison, memory, shares } from './tables.ts';

const test = suite('what the benchmark makes of its measurements');

const PRINTED = ['one two three', 'four five six'];

const measurements = [
  sampleMeasurement({ side: 'tesseract', pace: undefined, cpuSeconds: 3, afterLastMs: undefined }),
  sampleMeasurement({ cpuSeconds: 3, totalMs: 7000 }),
  sampleMeasurement({ cpuSeconds: 9, totalMs: 30_000, texts: ['one two', 'four five six'] }),
  sampleMeasurement({ cpuSeconds: 4, totalMs: 8000, peakMb: { service: 90, tesseract: 70 } }),
  sampleMeasurement({ side: 'naive', afterLastMs: 40_000, cpuSeconds: 16, bytes: 800_000 }),
];
const rows = rowsOf(measurements, () => PRINTED);
const ours = rows.find(({ side }) => side === 'ours');

test('a row holds the medians of its rounds, and each round', () => {
  assert.is(rows.length, 3);
  assert.is(ours?.rounds, 3);
  assert.is(ours?.total_s, 8);
  assert.is(ours?.cpu_s_per_page, 2);
  assert.equal(ours?.measured.total_s, [7, 30, 8]);
  assert.is(ours?.noise.total, (30 - 7) / 8);
});

test('peaks are the largest of all rounds', () => {
  assert.equal(ours?.peak_mb, { service: 90, tesseract: 70 });
});

test('ratios are those to the other sides of the same stack', () => {
  assert.is(ours?.ratios.after_last_to_naive, 2000 / 40_000);
  assert.is(ours?.ratios.cpu_to_naive, 4 / 16);
  assert.is(ours?.ratios.cpu_to_tesseract, 4 / 3);
  assert.is(ours?.ratios.bytes_to_naive, 0.5);
});

test('a side has no ratio to itself', () => {
  assert.is(rows.find(({ side }) => side === 'naive')?.ratios.cpu_to_naive, null);
});

test('words are counted against the print and against Tesseract alone', () => {
  const [row] = rowsOf([sampleMeasurement({ texts: ['one', 'four five six'] })], () => PRINTED);
  assert.is(row?.words, 6);
  assert.is(row?.lost_of_printed, 2);
  assert.is(row?.lost_of_tesseract, null);
});

test('the goals say what was reached and what was not', () => {
  const one = sampleMeasurement({ side: 'tesseract', pages: 1, pace: undefined, totalMs: 1500 });
  const figures = {
    start: { ready_ms: 1, at_rest_mb: { service: 120 } },
    delivery: { uploads: 1, wall_ms: 1, dms_ms: 0, own_ms: 4, own_cpu_ms: 1, own_upload_ms: 1 },
    large: { document_mb: 1, service_peak_mb: 90, seconds: 1 },
    health: { asked: 1, p50_ms: 1, p99_ms: 60, max_ms: 60 },
  };
  const goals = goalsOf(
    rowsOf([...measurements, one], () => PRINTED),
    figures,
  );
  const of = (text: string): boolean | undefined =>
    goals.find(({ goal }) => goal.includes(text))?.reached;
  assert.is(of('own recognition (gray, 2 pages, 25)'), true);
  assert.is(of('against the naive script'), true);
  assert.is(of('CPU against Tesseract alone'), false);
  assert.is(of('at rest'), false);
  assert.is(of('large document'), true);
  assert.is(of('p99'), false);
});

test('the tables show every row', () => {
  const text = toText(comparison(rows));
  assert.is(text.split('\n').length, 4);
  assert.match(text, /gray +2 +ours +25 +2\.00 +0\.05/);
  assert.match(toText(memory(rows)), /service 90, tesseract 70/);
  assert.is(shares(rows).length, 1, 'no shares were measured');
});

test('the figures of a page are replaced, and nothing else of it', () => {
  const marks = ['<!-- figures: written by npm run bench -->', '<!-- end of figures -->'] as const;
  const figures = toMarkdown([
    ['a', 'b'],
    ['1', '2'],
  ]);
  const page = withFigures(`before\n${marks[0]}\nold\n${marks[1]}\nafter\n`, figures);
  assert.is(
    page,
    `before\n${marks[0]}\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n${marks[1]}\nafter\n`,
  );
  assert.throws(() => withFigures('no marks', figures), /are missing/);
});

test('the plot draws a longer bar for a longer wait', () => {
  const svg = plotOf(rows);
  const widths = [...svg.matchAll(/<rect x="250" y="\d+" width="([\d.]+)"/g)].map(([, width]) =>
    Number(width),
  );
  const [oursWait = 0, naiveWait = 0] = widths;
  assert.is(naiveWait, 520);
  assert.is(oursWait, 26);
  assert.match(svg, /^<svg [^]*<\/svg>\n$/);
});

test.run();
