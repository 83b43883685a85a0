import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { goalsOf } from './goals.ts';
import type { DocumentLikeness } from './likeness/document-likeness.ts';
import { likenessTable } from './likeness/likeness-table.ts';
import { sampleMeasurement, sampleReference } from './measurement-sample.ts';
import { plotOf } from './plot.ts';
import { rowsOf } from './rows.ts';
import {
  comparison,
  cpuShares,
  goalTable,
  memory,
  stages,
  toMarkdown,
  toText,
  withFigures,
} from './tables.ts';

const test = suite('what the benchmark makes of its measurements');

const PRINTED = ['one two three', 'four five six'];

const FIGURES = {
  settings: 'node service/main.ts',
  start: { ready_ms: 1, at_rest_mb: { service: 160 } },
  delivery: { uploads: 1, wall_ms: 1, dms_ms: 0, own_ms: 4, own_cpu_ms: 1, own_upload_ms: 1 },
  large: { document_mb: 1, service_peak_mb: 90, seconds: 1 },
  health: { asked: 1, p50_ms: 1, p99_ms: 60, max_ms: 60 },
};

function likeness(side: string, page: number, edges: number): DocumentLikeness {
  const features = { 'whole page': page, 'text edges': edges };
  return {
    mode: 'gray',
    pages: 2,
    side,
    likeness: [{ dpi: 300, features }],
    differing_pixels: null,
  };
}

/** A machine that is at half its speed in the second round, and in the third one again as in the first. */
const slow = sampleReference({ cpuSecondsPerPage: 3, totalMs: 8000, lastPageMs: 3000 });
const measurements = [
  sampleMeasurement({ side: 'tesseract', pace: undefined, cpuSeconds: 3, afterLastMs: undefined }),
  sampleMeasurement({ cpuSeconds: 3.3, totalMs: 7000, reference: sampleReference() }),
  sampleMeasurement({
    cpuSeconds: 7.2,
    totalMs: 30_000,
    afterLastMs: 4400,
    texts: ['one two', 'four five six'],
    reference: slow,
  }),
  sampleMeasurement({
    cpuSeconds: 3.9,
    totalMs: 8000,
    peakMb: { service: 90, tesseract: 70 },
    reference: sampleReference(),
  }),
  sampleMeasurement({
    side: 'naive',
    afterLastMs: 40_000,
    totalMs: 20_000,
    cpuSeconds: 24,
    bytes: 800_000,
    reference: slow,
  }),
];
const rows = rowsOf(measurements, () => PRINTED);
const ours = rows.find(({ side }) => side === 'ours');

test('a row holds the medians of its rounds, and each round', () => {
  assert.is(rows.length, 3);
  assert.is(ours?.rounds, 3);
  assert.is(ours?.total_s, 8);
  assert.is(ours?.cpu_s_per_page, 3.9 / 2);
  assert.equal(ours?.measured.total_s, [7, 30, 8]);
  assert.is(ours?.noise.total, (30 - 7) / 8);
});

test('peaks are the largest of all rounds', () => {
  assert.equal(ours?.peak_mb, { service: 90, tesseract: 70 });
});

test('the ratio to Tesseract alone is that to its own runs before and after, round by round', () => {
  const digits = ours?.measured.cpu_to_tesseract.map((ratio) => ratio.toFixed(3));
  assert.equal(digits, ['1.100', '1.200', '1.300']);
  assert.is(ours?.ratios.cpu_to_tesseract?.toFixed(3), '1.200');
  assert.is(ours?.reference_cpu_s_per_page, 1.5);
});

test('what is beyond the last page is held against that page alone, round by round', () => {
  assert.equal(ours?.measured.beyond_last_page_s, [0.5, 1.4, 0.5]);
  assert.is(ours?.beyond_last_page_s, 0.5);
});

test('ratios to the naive script are those of the same stack', () => {
  assert.is(ours?.ratios.after_last_to_naive, 2000 / 40_000);
  assert.is(ours?.ratios.bytes_to_naive, 0.5);
  // 1.2 and 4 times Tesseract alone at their moments.
  assert.is(ours?.ratios.cpu_to_naive?.toFixed(3), '0.300');
});

test('the time has a ratio to Tesseract alone where no feeder sets it and both did the same pages', () => {
  const total = (change: Parameters<typeof sampleMeasurement>[0]): number | null | undefined =>
    rowsOf([sampleMeasurement(change)], () => PRINTED)[0]?.ratios.total_to_tesseract;
  assert.is(total({ pace: 'unpaced', reference: sampleReference() }), 2);
  assert.is(total({ pace: 25, reference: sampleReference() }), null);
  assert.is(total({ pace: 'unpaced', reference: sampleReference({ pages: 1 }) }), null);
});

test('a side has no ratio to itself', () => {
  assert.is(rows.find(({ side }) => side === 'naive')?.ratios.cpu_to_naive, null);
});

test('words are counted against the print and against Tesseract alone', () => {
  const [row] = rowsOf([sampleMeasurement({ texts: ['one', 'four five six'] })], () => PRINTED);
  assert.is(row?.words, 6);
  assert.is(row?.lost_of_printed, 2);
  assert.is(row?.lost_of_tesseract, null);
  const reference = sampleReference({ texts: ['one two', 'four five'] });
  const [beside] = rowsOf(
    [sampleMeasurement({ texts: ['one', 'four five six'], reference })],
    () => PRINTED,
  );
  assert.is(beside?.lost_of_tesseract, 1);
});

test('the goals say what was reached and what was not', () => {
  const turned = sampleMeasurement({
    variant: 'rotate',
    cpuSeconds: 5.4,
    reference: sampleReference(),
  });
  const goals = goalsOf(
    rowsOf([...measurements, turned], () => PRINTED),
    [likeness('ours', 0.99, 0.9), likeness('naive', 0.9903, 0.91)],
    FIGURES,
  );
  const of = (text: string): boolean | undefined =>
    goals.find(({ goal }) => goal.includes(text))?.reached;
  assert.is(of('own recognition (gray, 2 pages, 25)'), true);
  assert.is(of('against the naive script'), true);
  assert.is(of('CPU against Tesseract alone'), false);
  // 1.8 times Tesseract alone, and 1.2 times without.
  assert.is(goals.find(({ goal }) => goal.includes('rotate'))?.measured.toFixed(3), '1.500');
  assert.is(of('against the same without (gray, 2 pages, 25, rotate)'), false);
  assert.is(of('default: whole page, worst page (gray, 2 pages)'), true);
  assert.is(of('default: text edges, worst page'), false);
  assert.is(of('at rest'), false);
  assert.is(of('large document'), true);
  assert.is(of('p99'), false);
});

test('line art is to be the same, pixel by pixel', () => {
  const lineart = (differing: number): boolean | undefined =>
    goalsOf([], [{ ...likeness('ours', 1, 1), differing_pixels: [0, differing] }], FIGURES).find(
      ({ goal }) => goal.startsWith('pixels'),
    )?.reached;
  assert.is(lineart(0), true);
  assert.is(lineart(1), false);
});

test('the tables show every row', () => {
  const text = toText(comparison(rows));
  assert.is(text.split('\n').length, 4);
  assert.match(text, /gray +2 +ours +25 +2\.00 \(2\.00–4\.40\) +0\.05/);
  assert.match(text, /1\.20 \(1\.10–1\.30\)/);
  assert.match(toText(memory(rows)), /service 90, tesseract 70/);
});

test('the CPU of each part is told with its share, and that of OCR beyond Tesseract alone', () => {
  assert.is(cpuShares(rows).length, 1, 'no shares were measured');
  const cpuParts = { service: 0.4, 'programs of processor': 3.6 };
  const measured = sampleMeasurement({
    cpuShares: cpuParts,
    stagesMs: { scan: 1500 },
    reference: sampleReference(),
  });
  const of = rowsOf([measured], () => PRINTED);
  const [headings = [], cells = []] = cpuShares(of);
  assert.equal(headings.slice(4), [
    'service',
    'programs of processor',
    'tesseract alone',
    'programs of processor − tesseract',
  ]);
  assert.equal(cells.slice(4), ['0.200 (10.0 %)', '1.800 (90.0 %)', '1.50', '0.300 (15.0 %)']);
  assert.match(toText(stages(of)), /scan 1\.50/);
});

test('likeness has a line for each resolution, and its goal four digits', () => {
  const table = likenessTable([
    likeness('ours', 0.99, 0.9),
    { ...likeness('naive', 1, 1), likeness: [], differing_pixels: [0, 3] },
  ]);
  assert.equal(table.slice(1), [
    ['gray', '2', 'ours', '300', '0.9900, worst 0.9900', '0.9000, worst 0.9000', '–', '–', '–'],
    ['gray', '2', 'naive', '300', '–', '–', '–', '–', '3'],
  ]);
  const goal = { goal: 'like', limit: 0.0005, measured: 0.0003, reached: true };
  assert.equal(goalTable([goal])[1], ['reached', '0.0003', '0.0005', 'like']);
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
  const widths = [...svg.matchAll(/<rect x="300" y="\d+" width="([\d.]+)"/g)].map(([, width]) =>
    Number(width),
  );
  const [oursWait = 0, naiveWait = 0] = widths;
  assert.is(naiveWait, 520);
  assert.is(oursWait, 26);
  assert.match(svg, /^<svg [^]*<\/svg>\n$/);
});

test.run();
