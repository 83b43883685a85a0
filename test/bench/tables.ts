import type { Goal } from './goals.ts';
import type { Row } from './rows.ts';
import type { ServiceFigures } from './service/service-figures.ts';
import { sum } from './statistics.ts';

/** Rows of cells, the headings first. */
export type Table = readonly (readonly string[])[];

/**
 * The figures that the sides are compared by. `/naive` and `/tess` are ratios of the figure before them; in brackets the
 * smallest and the largest of several rounds.
 */
export function comparison(rows: readonly Row[]): Table {
  const headings =
    'mode|pages|side|sheets/min|after last s|/naive|total s|/naive|/tess|CPU s/page|/naive|/tess|' +
    'kB/page|/naive|words lost|lost/tess|foreign';
  return [headings.split('|'), ...rows.map(comparisonCells)];
}

function comparisonCells(row: Row): string[] {
  const { ratios } = row;
  return [
    ...whoCells(row),
    ranged(row.after_last_s, row.measured.after_last_s),
    number(ratios.after_last_to_naive),
    number(row.total_s),
    number(ratios.total_to_naive),
    number(ratios.total_to_tesseract),
    number(row.cpu_s_per_page),
    number(ratios.cpu_to_naive),
    ranged(ratios.cpu_to_tesseract, row.measured.cpu_to_tesseract),
    row.bytes_per_page === null ? '–' : (row.bytes_per_page / 1000).toFixed(0),
    number(ratios.bytes_to_naive),
    row.lost_of_printed === null ? '–' : `${row.lost_of_printed} of ${row.words}`,
    row.lost_of_tesseract === null ? '–' : String(row.lost_of_tesseract),
    `${(row.noise.foreign * 100).toFixed(0)} %`,
  ];
}

/** How long each stage of our own took. */
export function stages(rows: readonly Row[]): Table {
  const cells = rows
    .filter((row) => row.stages_s)
    .map((row) => [...whoCells(row), listed(row.stages_s)]);
  return [['mode', 'pages', 'side', 'sheets/min', 'stages in s'], ...cells];
}

/**
 * Where our CPU time goes: seconds a page, and the share of the sum, of each part and of the programs that it started, and
 * what the programs of the processor took beyond Tesseract alone for the same pages directly before and after.
 */
export function cpuShares(rows: readonly Row[]): Table {
  const shown = rows.filter((row) => row.cpu_s_per_page_of);
  const used = shown.flatMap((row) =>
    Object.entries(row.cpu_s_per_page_of ?? {}).flatMap(([part, s]) => (s > 0 ? part : [])),
  );
  const parts = [...new Set(used)];
  const cells = shown.map((row) => {
    const of = row.cpu_s_per_page_of ?? {};
    const whole = sum(Object.values(of));
    const alone = row.reference_cpu_s_per_page;
    const programs = of['programs of processor'];
    return [
      ...whoCells(row),
      ...parts.map((part) => share(of[part], whole)),
      number(alone),
      alone === null || programs === undefined ? '–' : share(programs - alone, whole),
    ];
  });
  const beyond = 'programs of processor − tesseract';
  return [['mode', 'pages', 'side', 'sheets/min', ...parts, 'tesseract alone', beyond], ...cells];
}

function share(value: number | undefined, whole: number): string {
  if (value === undefined) return '–';
  return `${value.toFixed(3)} (${((value / whole) * 100).toFixed(1)} %)`;
}

/** The largest process of each kind in MB, for our largest stack of each kind. */
export function memory(rows: readonly Row[]): Table {
  const largest = new Map(
    rows
      .filter(({ side }) => side === 'ours')
      .toSorted((one, other) => one.pages - other.pages)
      .map((row) => [`${row.mode} ${row.variant}`, row]),
  );
  const cells = [...largest.values()].map((row) => [...whoCells(row), peaks(row.peak_mb)]);
  return [['mode', 'pages', 'side', 'sheets/min', 'peak MB of each process'], ...cells];
}

/** What the service itself costs. */
export function serviceTable({ settings, start, large, health }: ServiceFigures): Table {
  const rest = Object.entries(start.at_rest_mb).map(([name, mb]) => `${name} ${mb.toFixed(0)}`);
  return [
    ['service', ''],
    ['run as its image does (Dockerfile.service)', `\`${settings}\``],
    ['start to ready', `${start.ready_ms.toFixed(0)} ms`],
    ['at rest', `${rest.join(', ')} MB`],
    [`a document of ${large.document_mb} MB in flight`, `${large.service_peak_mb.toFixed(0)} MB`],
    [
      `/health while OCR has all cores, ${health.asked} times`,
      `p50 ${health.p50_ms.toFixed(1)} ms, p99 ${health.p99_ms.toFixed(1)} ms, max ${health.max_ms.toFixed(1)} ms`,
    ],
  ];
}

export function goalTable(goals: readonly Goal[]): Table {
  const cells = goals.map(({ goal, limit, measured, reached }) => [
    reached ? 'reached' : 'MISSED',
    number(measured, limit),
    number(limit, limit),
    goal,
  ]);
  return [['goal', 'measured', 'at most', 'what'], ...cells];
}

function whoCells({ mode, pages, side, variant, pace }: Row): string[] {
  const name = variant === 'plain' ? side : `${side}, ${variant}`;
  return [mode, String(pages), name, String(pace ?? '–')];
}

function listed(figures: Readonly<Record<string, number>> | null): string {
  const parts = Object.entries(figures ?? {}).map(([name, value]) => `${name} ${value.toFixed(2)}`);
  return parts.join(', ');
}

function peaks(figures: Readonly<Record<string, number>>): string {
  const sorted = Object.entries(figures).toSorted(([, one], [, other]) => other - one);
  return sorted.map(([name, mb]) => `${name} ${mb}`).join(', ');
}

/** A median, with the smallest and the largest of its rounds where there are several. */
function ranged(middle: number | null, rounds: readonly number[]): string {
  if (middle === null || rounds.length < 2) return number(middle);
  return `${number(middle)} (${number(Math.min(...rounds))}–${number(Math.max(...rounds))})`;
}

/** Two digits after the point for small figures, and four where the figure that it is held against is very small. */
function number(value: number | null, against = 1): string {
  if (value === null) return '–';
  if (against > 0 && against < 0.01) return value.toFixed(4);
  return value.toFixed(Math.abs(value) < 10 ? 2 : 1);
}

/** For a terminal: columns of one width. */
export function toText(table: Table): string {
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((line) => (line[column] ?? '').length)),
  );
  return table
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** As Markdown. */
export function toMarkdown(table: Table): string {
  const [headings = [], ...lines] = table;
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(headings), line(headings.map(() => '---')), ...lines.map(line)].join('\n');
}
