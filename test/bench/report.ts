import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import type { Machine } from './machine.ts';
import type { AllMeasured } from './run-stack.ts';
import type { Plan } from './plan.ts';
import { rowsOf, type Row } from './rows.ts';
import { sum } from './statistics.ts';
import type { ServiceFigures } from './service/service-figures.ts';

const HEADING =
  '# Figures of the benchmark\n\nWritten by `npm run bench`. [Performance](performance.md) says what they mean and how they are measured. CPU time by process: `performance.json`.';

interface Report {
  readonly plan: Plan['name'];
  readonly began: string;
  readonly minutes: number;
  readonly machine: Machine;
  readonly rows: readonly Row[];
  readonly service: ServiceFigures;
  readonly goals: readonly Goal[];
}

export function makeReport(
  { began, ...facts }: Pick<Report, 'plan' | 'machine'> & { readonly began: Date },
  { measurements, texts, service }: AllMeasured,
): Report {
  const rows = rowsOf(measurements, texts);
  const minutes = (Date.now() - began.getTime()) / 60_000;
  const goals = [...rows.flatMap(rowGoals), ...serviceGoals(service)];
  return { ...facts, began: began.toISOString(), minutes, rows, service, goals };
}

export function reportText(report: Report): string {
  const [comparisons, ...others] = tablesOf(report);
  return markdownOf([comparisons, cpuShares(report.rows), ...others]);
}

/** Returns the names of the written files. A quick run does not change the documentation. */
export async function writeReport(report: Report): Promise<string[]> {
  const base = path.join(DOCS, report.plan === 'quick' ? 'performance-quick' : 'performance');
  await writeFormatted(`${base}.json`, JSON.stringify(report, rounded));
  if (report.plan === 'quick') return [`${base}.json`];
  const page = `${base}-figures.md`;
  const text = [HEADING, measuredOn(report), markdownOf(tablesOf(report))].join('\n\n');
  await writeFormatted(page, text);
  return [`${base}.json`, page];
}

function tablesOf({ rows, service, goals }: Report): [Table, ...Table[]] {
  return [comparison(rows), memory(rows), serviceTable(service), goalTable(goals)];
}

function markdownOf(tables: readonly Table[]): string {
  return tables.map(toMarkdown).join('\n\n');
}

function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value)
    ? Number(value.toPrecision(4))
    : value;
}

type Table = readonly (readonly string[])[];

/**
 * `/naive` and `/tess` are ratios of the figure before them. Parentheses hold the minimum and
 * maximum of the rounds.
 */
function comparison(rows: readonly Row[]): Table {
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
    `${(row.foreign * 100).toFixed(0)} %`,
  ];
}

/**
 * CPU-seconds per page, the share of each part with its programs, and how much more the processor
 * used than Tesseract alone on the same pages just before and after.
 */
function cpuShares(rows: readonly Row[]): Table {
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

/** Peak memory for our largest stack of each kind. */
function memory(rows: readonly Row[]): Table {
  const largest = new Map(
    rows
      .filter(({ side }) => side === 'ours')
      .toSorted((one, other) => one.pages - other.pages)
      .map((row) => [`${row.mode} ${row.variant}`, row]),
  );
  const cells = [...largest.values()].map((row) => {
    const sorted = Object.entries(row.peak_mb).toSorted(([, one], [, other]) => other - one);
    return [...whoCells(row), listed(sorted, 0)];
  });
  return [['mode', 'pages', 'side', 'sheets/min', 'peak MB of each process'], ...cells];
}

function serviceTable({ start, large, health }: ServiceFigures): Table {
  return [
    ['service', ''],
    ['start to ready', `${start.ready_ms.toFixed(0)} ms`],
    ['at rest', `${listed(Object.entries(start.at_rest_mb), 0)} MB`],
    [`a document of ${large.document_mb} MB in flight`, `${large.service_peak_mb.toFixed(0)} MB`],
    [
      `/health while OCR has all cores, ${health.asked} times`,
      `p50 ${health.p50_ms.toFixed(1)} ms, p99 ${health.p99_ms.toFixed(1)} ms, max ${health.max_ms.toFixed(1)} ms`,
    ],
  ];
}

/** One row per goal and limit, with the worst measurement. */
function goalTable(goals: readonly Goal[]): Table {
  const groups = Map.groupBy(goals, ({ goal, limit }) => `${withoutRun(goal)} ${limit}`);
  const cells = [...groups.values()].flatMap((alike) => {
    const [worst] = alike.toSorted((one, other) => other.measured - one.measured);
    if (worst === undefined) return [];
    const { limit, measured } = worst;
    const what = withoutRun(worst.goal);
    const run = worst.goal.slice(what.length + 2, -1);
    const reached = alike.filter((one) => one.reached).length;
    return [
      [
        `${reached} of ${alike.length}`,
        number(measured, limit),
        number(limit, limit),
        what,
        run === '' ? '–' : run,
      ],
    ];
  });
  return [['reached', 'worst', 'at most', 'goal', 'worst in'], ...cells];
}

/** Removes the run from a goal such as `CPU (gray, 10 pages, 25)`. */
function withoutRun(goal: string): string {
  return goal.replace(/ \([^)]*\)$/u, '');
}

function whoCells({ mode, pages, side, variant, pace }: Row): string[] {
  const name = variant === 'plain' ? side : `${side}, ${variant}`;
  return [mode, String(pages), name, String(pace ?? '–')];
}

function listed(figures: readonly (readonly [string, number])[], digits: number): string {
  return figures.map(([name, value]) => `${name} ${value.toFixed(digits)}`).join(', ');
}

function ranged(middle: number | null, rounds: readonly number[]): string {
  if (middle === null || rounds.length < 2) return number(middle);
  return `${number(middle)} (${number(Math.min(...rounds))}–${number(Math.max(...rounds))})`;
}

/** Two decimals for small figures, four if the figure is compared with a very small one. */
function number(value: number | null, against = 1): string {
  if (value === null) return '–';
  if (against > 0 && against < 0.01) return value.toFixed(4);
  return value.toFixed(Math.abs(value) < 10 ? 2 : 1);
}

export function toMarkdown(table: Table): string {
  const [headings = [], ...lines] = table;
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(headings), line(headings.map(() => '---')), ...lines.map(line)].join('\n');
}

interface Goal {
  readonly goal: string;
  readonly limit: number;
  readonly measured: number;
  readonly reached: boolean;
}

function goal(what: string, limit: number, measured: number): Goal {
  return { goal: what, limit, measured, reached: measured <= limit };
}

/** Limit of total CPU time, as a multiple of Tesseract alone. */
const CPU_LIMITS: Readonly<Record<string, number>> = { gray: 1.05, lineart: 1.05, colour: 0.9 };

/** Limit for the time beyond recognizing the last page, if the cores can follow the feeder. */
const TAIL_LIMITS_S: Readonly<Record<string, number>> = { plain: 1, per_page: 2 };

/**
 * Limit of CPU-seconds beyond Tesseract alone per gray page on which Tesseract takes `tesseract`
 * seconds.
 */
const ABOVE_LIMIT = { seconds: 0.2, tesseract: 1.5 } as const;

const SERVICE_LIMITS = { memoryMb: 150, largeDocumentMb: 30, healthMs: 50 } as const;

function rowGoals(row: Row): Goal[] {
  const { mode, pages, pace, variant } = row;
  if (row.side !== 'ours' || variant === 'no_ocr') return [];
  const where = `${mode}, ${pages} pages, ${pace}${variant === 'plain' ? '' : `, ${variant}`}`;
  const { after_last_to_naive, cpu_to_tesseract, bytes_to_naive } = row.ratios;
  const asked = (what: string, limit: number | undefined, measured: number | null): Goal[] =>
    limit === undefined || measured === null ? [] : [goal(`${what} (${where})`, limit, measured)];
  const cpuLimit = pages > 1 ? CPU_LIMITS[mode] : undefined;
  const isGray = cpuLimit !== undefined && mode === 'gray' && cpu_to_tesseract !== null;
  const above = isGray ? (cpu_to_tesseract - 1) * ABOVE_LIMIT.tesseract : null;
  return [
    ...asked(
      's after the last sheet beyond the last page’s own recognition',
      TAIL_LIMITS_S[variant] ?? 1,
      row.beyond_last_page_s,
    ),
    ...asked(
      'time after the last sheet against the naive script',
      pace === 25 ? 1 / 12 : undefined,
      after_last_to_naive,
    ),
    ...asked('CPU against Tesseract alone', cpuLimit, cpu_to_tesseract),
    ...asked('CPU s a page above Tesseract, where that needs 1.5', ABOVE_LIMIT.seconds, above),
    ...asked('words lost against Tesseract alone', 0, row.lost_of_tesseract),
    ...asked('size against OCRmyPDF’s default', pace === 'unpaced' ? 1 : undefined, bytes_to_naive),
  ];
}

function serviceGoals({ start, health, large }: ServiceFigures): Goal[] {
  const { memoryMb, largeDocumentMb, healthMs } = SERVICE_LIMITS;
  const atRest = start.at_rest_mb['service'] ?? Number.NaN;
  return [
    goal('MB of the service at rest', memoryMb, atRest),
    goal(
      'MB more of the service with a large document in flight',
      largeDocumentMb,
      large.service_peak_mb - atRest,
    ),
    goal('ms of /health, p99, while OCR has all cores', healthMs, health.p99_ms),
  ];
}

export const DOCS = path.join(import.meta.dirname, '../../docs');

export function measuredOn({
  began,
  minutes,
  machine,
}: Pick<Report, 'began' | 'minutes' | 'machine'>): string {
  const { cpu, cores, memory_gb, kernel, node, tools } = machine;
  const versions = Object.entries(tools).map(([name, version]) => `${name} ${version}`);
  return (
    `Measured on ${began.slice(0, 10)} in ${minutes.toFixed(0)} minutes: ${cores} cores (${cpu}), ${memory_gb} GB, ` +
    `Linux ${kernel}, Node ${node}, ${versions.join(', ')}.`
  );
}

export async function writeFormatted(file: string, text: string): Promise<void> {
  await writeFile(file, await format(text, { ...(await resolveConfig(file)), filepath: file }));
}
