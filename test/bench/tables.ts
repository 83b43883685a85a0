import type { Goal } from './goals.ts';
import type { Row } from './rows.ts';
import type { ServiceFigures } from './service/service-figures.ts';

/** Rows of cells, the headings first. */
export type Table = readonly (readonly string[])[];

/** The figures that the sides are compared by. `/naive` and `/tess` are ratios of the figure before them. */
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
    number(row.after_last_s),
    number(ratios.after_last_to_naive),
    number(row.total_s),
    number(ratios.total_to_naive),
    number(ratios.total_to_tesseract),
    number(row.cpu_s_per_page),
    number(ratios.cpu_to_naive),
    number(ratios.cpu_to_tesseract),
    row.bytes_per_page === null ? '–' : (row.bytes_per_page / 1000).toFixed(0),
    number(ratios.bytes_to_naive),
    `${row.lost_of_printed} of ${row.words}`,
    row.lost_of_tesseract === null ? '–' : String(row.lost_of_tesseract),
    `${(row.noise.foreign * 100).toFixed(0)} %`,
  ];
}

/** Where our own time goes: the stages, and the CPU of each part and of the programs that it started. */
export function shares(rows: readonly Row[]): Table {
  const cells = rows
    .filter((row) => row.cpu_s_per_page_of)
    .map((row) => [...whoCells(row), listed(row.stages_s), listed(row.cpu_s_per_page_of)]);
  return [['mode', 'pages', 'side', 'sheets/min', 'stages in s', 'CPU s/page'], ...cells];
}

/** The largest process of each kind in MB, for the largest stacks. */
export function memory(rows: readonly Row[]): Table {
  const most = Math.max(0, ...rows.map(({ pages }) => pages));
  const cells = rows
    .filter(({ pages }) => pages === most)
    .map((row) => [...whoCells(row), peaks(row.peak_mb)]);
  return [['mode', 'pages', 'side', 'sheets/min', 'peak MB of each process'], ...cells];
}

/** What the service itself costs. */
export function serviceTable({ start, delivery, large, health }: ServiceFigures): Table {
  const rest = Object.entries(start.at_rest_mb).map(([name, mb]) => `${name} ${mb.toFixed(0)}`);
  return [
    ['service', ''],
    ['start to ready', `${start.ready_ms.toFixed(0)} ms`],
    ['at rest', `${rest.join(', ')} MB`],
    [`a document of ${large.document_mb} MB in flight`, `${large.service_peak_mb.toFixed(0)} MB`],
    [
      `an upload, of ${delivery.uploads} (100 documents × 2 destinations)`,
      `${delivery.wall_ms.toFixed(1)} ms, of these ${delivery.dms_ms.toFixed(1)} in the DMS`,
    ],
    [
      'our own time of an upload',
      `${delivery.own_ms.toFixed(1)} ms, ${delivery.own_upload_ms.toFixed(1)} without the record in scan.json; ` +
        `CPU ${delivery.own_cpu_ms.toFixed(1)} ms`,
    ],
    [
      `/health while OCR has all cores, ${health.asked} times`,
      `p50 ${health.p50_ms.toFixed(1)} ms, p99 ${health.p99_ms.toFixed(1)} ms, max ${health.max_ms.toFixed(1)} ms`,
    ],
  ];
}

export function goalTable(goals: readonly Goal[]): Table {
  const cells = goals.map(({ goal, limit, measured, reached }) => [
    reached ? 'reached' : 'MISSED',
    number(measured),
    number(limit),
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

function number(value: number | null): string {
  if (value === null) return '–';
  return value.toFixed(Math.abs(value) < 10 ? 2 : 1);
}
