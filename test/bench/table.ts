import type { Goal } from './goals.ts';
import type { Row } from './rows.ts';
import type { ServiceFigures } from './service/service-figures.ts';

const HEADINGS = [
  'mode',
  'pages',
  'side',
  'sheets/min',
  'after last s',
  '/naive',
  'total s',
  '/naive',
  '/tess',
  'CPU s/page',
  '/naive',
  '/tess',
  'kB/page',
  '/naive',
  'lost',
  'lost/tess',
  'foreign',
];

/** The rows as a table for a terminal. */
export function tableOf(rows: readonly Row[]): string {
  return aligned([HEADINGS, ...rows.map(cellsOf)]);
}

/** The largest process of each kind, side by side. */
export function memoryTable(rows: readonly Row[]): string {
  const most = Math.max(0, ...rows.map(({ pages }) => pages));
  const lines = rows
    .filter(({ pages }) => pages === most)
    .map((row) => [
      row.mode,
      String(row.pages),
      nameOf(row),
      String(row.pace ?? '–'),
      Object.entries(row.peak_mb)
        .toSorted(([, one], [, other]) => other - one)
        .map(([name, mb]) => `${name} ${mb}`)
        .join(', '),
    ]);
  return aligned([['mode', 'pages', 'side', 'sheets/min', 'peak MB of each process'], ...lines]);
}

/** Where our own time goes: the stages, and the CPU of each part and of the programs that it started. */
export function shareTable(rows: readonly Row[]): string {
  const lines = rows
    .filter((row) => row.cpu_s_per_page_of)
    .map((row) => [
      row.mode,
      String(row.pages),
      nameOf(row),
      String(row.pace ?? '–'),
      listed(row.stages_s),
      listed(row.cpu_s_per_page_of),
    ]);
  return aligned([['mode', 'pages', 'side', 'sheets/min', 'stages s', 'CPU s/page'], ...lines]);
}

function listed(figures: Readonly<Record<string, number>> | null): string {
  const parts = Object.entries(figures ?? {}).map(([name, value]) => `${name} ${value.toFixed(2)}`);
  return parts.join(', ');
}

export function serviceText({ start, delivery, large, health }: ServiceFigures): string {
  const rest = Object.entries(start.at_rest_mb).map(([name, mb]) => `${name} ${mb.toFixed(0)} MB`);
  return [
    `start to ready ${start.ready_ms.toFixed(0)} ms; at rest: ${rest.join(', ')}`,
    `${delivery.uploads} uploads: ${delivery.wall_ms.toFixed(1)} ms each, ${delivery.dms_ms.toFixed(1)} of them in the DMS, ` +
      `${delivery.own_ms.toFixed(1)} our own (CPU ${delivery.own_cpu_ms.toFixed(1)}; ` +
      `${delivery.own_upload_ms.toFixed(1)} without scan.json)`,
    `a document of ${large.document_mb} MB in flight: service ${large.service_peak_mb.toFixed(0)} MB, ${large.seconds.toFixed(1)} s`,
    `/health beside OCR on all cores: p50 ${health.p50_ms.toFixed(1)} ms, p99 ${health.p99_ms.toFixed(1)} ms, ` +
      `max ${health.max_ms.toFixed(1)} ms of ${health.asked}`,
  ].join('\n');
}

export function goalsText(goals: readonly Goal[]): string {
  return goals
    .map(({ goal, limit, measured, reached }) => {
      const sign = reached ? 'reached' : 'MISSED ';
      return `${sign}  ${number(measured)} of at most ${number(limit)}  ${goal}`;
    })
    .join('\n');
}

function cellsOf(row: Row): string[] {
  const { ratios } = row;
  return [
    row.mode,
    String(row.pages),
    nameOf(row),
    String(row.pace ?? '–'),
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
    `${row.lost_of_printed}/${row.words}`,
    row.lost_of_tesseract === null ? '–' : String(row.lost_of_tesseract),
    `${(row.noise.foreign * 100).toFixed(0)} %`,
  ];
}

function nameOf({ side, variant }: Row): string {
  return variant === 'plain' ? side : `${side}, ${variant}`;
}

function number(value: number | null): string {
  if (value === null) return '–';
  return value.toFixed(Math.abs(value) < 10 ? 2 : 1);
}

function aligned(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => (line[column] ?? '').length)),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
