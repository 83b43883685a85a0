/**
 * The benchmark: this system end to end, the naive script and Tesseract alone on the same pages, interleaved in one run.
 * Prints tables and writes JSON and SVG into docs/. Ends with 1 when the sides did not do the same work.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { goalsOf } from './goals.ts';
import { describeMachine } from './machine.ts';
import type { Measurement } from './measurement.ts';
import { readPlan, USAGE, type Plan } from './plan.ts';
import { plotOf } from './plot.ts';
import { rowsOf } from './rows.ts';
import { measureAll } from './measure-all.ts';
import { goalsText, memoryTable, serviceText, shareTable, tableOf } from './table.ts';

const DOCS = path.join(import.meta.dirname, '../../docs');

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)));
}

const plan = readPlan(process.argv.slice(2));
if (plan) await main(plan);
else console.log(USAGE);

async function main(chosen: Plan): Promise<void> {
  const began = new Date();
  const machine = await describeMachine();
  console.log(`The ${chosen.name} run takes about ${chosen.minutes} minutes on two cores.`);
  const { measurements, texts, service } = await measureAll(chosen, {
    cores: machine.cores,
    signal: stop.signal,
    report: (measurement) => console.log(describe(measurement)),
  });
  const rows = rowsOf(measurements, texts);
  const goals = goalsOf(rows, service);
  console.log(`\n${tableOf(rows)}\n\n${shareTable(rows)}\n\n${memoryTable(rows)}`);
  console.log(`\n${serviceText(service)}\n\n${goalsText(goals)}`);
  const minutes = (Date.now() - began.getTime()) / 60_000;
  const result = {
    plan: chosen.name,
    began: began.toISOString(),
    minutes,
    machine,
    rows,
    service,
    goals,
  };
  const base = path.join(DOCS, chosen.name === 'quick' ? 'performance-quick' : 'performance');
  await mkdir(DOCS, { recursive: true });
  await writeFile(`${base}.json`, `${JSON.stringify(result, rounded, 2)}\n`);
  await writeFile(`${base}.svg`, plotOf(rows));
  console.log(`\nWritten: ${base}.json, ${base}.svg (${minutes.toFixed(1)} minutes)`);
}

function describe({ side, mode, pages, pace, variant, ...figures }: Measurement): string {
  const { afterLastMs, totalMs, cpuSeconds, foreignShare } = figures;
  const wait =
    afterLastMs === undefined ? '' : `${(afterLastMs / 1000).toFixed(2)} s after the last sheet, `;
  const who = `${side} ${variant}, ${mode}, ${pages} pages, ${pace ?? 'no scanner'}`;
  const foreign = `${(foreignShare * 100).toFixed(0)} % of the machine used by others`;
  return `${who}: ${wait}${(totalMs / 1000).toFixed(2)} s, CPU ${cpuSeconds.toFixed(2)} s, ${foreign}`;
}

/** More digits than were measured say nothing. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value)
    ? Number(value.toPrecision(4))
    : value;
}
