import path from 'node:path';
import { goalsOf, type Goal } from './goals.ts';
import type { Machine } from './machine.ts';
import type { AllMeasured } from './measure-all.ts';
import type { Plan } from './plan.ts';
import { rowsOf, type Row } from './rows.ts';
import type { ServiceFigures } from './service/service-figures.ts';
import {
  type Table,
  comparison,
  cpuShares,
  goalTable,
  memory,
  serviceTable,
  stages,
  toMarkdown,
  toText,
} from './tables.ts';
import { DOCS, measuredOn, writeFormatted } from './write-document.ts';

const HEADING =
  '# Figures of the benchmark\n\nWritten by `npm run bench`. [Performance](performance.md) says what they mean and how they are measured.';

/** What a run came to; docs/performance.json holds it as it is. */
export interface Report {
  readonly plan: Plan['name'];
  readonly began: string;
  readonly minutes: number;
  readonly machine: Machine;
  readonly rows: readonly Row[];
  readonly service: ServiceFigures;
  readonly goals: readonly Goal[];
}

export interface RunFacts {
  readonly plan: Plan['name'];
  readonly began: Date;
  readonly machine: Machine;
}

export function makeReport({ plan, began, machine }: RunFacts, measured: AllMeasured): Report {
  const rows = rowsOf(measured.measurements, measured.texts);
  const { service } = measured;
  const minutes = (Date.now() - began.getTime()) / 60_000;
  const figures = { rows, service, goals: goalsOf(rows, service) };
  return { plan, began: began.toISOString(), minutes, machine, ...figures };
}

/** The report for a terminal. */
export function reportText(report: Report): string {
  return tablesOf(report).map(toText).join('\n\n');
}

/** Writes the report into docs/ and gives the names of the files. A quick run has files of its own and changes no page. */
export async function writeReport(report: Report): Promise<string[]> {
  const base = path.join(DOCS, report.plan === 'quick' ? 'performance-quick' : 'performance');
  await writeFormatted(`${base}.json`, JSON.stringify(report, rounded));
  if (report.plan === 'quick') return [`${base}.json`];
  const page = `${base}-figures.md`;
  const text = [HEADING, measuredOn(report), ...tablesOf(report).map(toMarkdown)].join('\n\n');
  await writeFormatted(page, text);
  return [`${base}.json`, page];
}

function tablesOf(report: Report): Table[] {
  const { rows, service, goals } = report;
  return [
    comparison(rows),
    stages(rows),
    cpuShares(rows),
    memory(rows),
    serviceTable(service),
    goalTable(goals),
  ];
}

/** More digits than were measured say nothing. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value)
    ? Number(value.toPrecision(4))
    : value;
}
