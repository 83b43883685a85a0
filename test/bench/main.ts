/**
 * Benchmarks this system, the naive script and Tesseract alone, interleaved on the same pages.
 * Writes tables into docs/. Exits with 1 if they did not do the same work.
 */
import { describeMachine } from './machine.ts';
import { measureAll } from './run-stack.ts';
import type { Measurement } from './rows.ts';
import { measureReading } from './reading/measure-reading.ts';
import { readPlan, USAGE, type Plan } from './plan.ts';
import { makeReport, reportText, writeReport } from './report.ts';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)));
}

const plan = readPlan(process.argv.slice(2));
if (plan === undefined) console.log(USAGE);
else if ('kinds' in plan) console.log(await measureReading(plan, console.log));
else await main(plan);

async function main(chosen: Plan): Promise<void> {
  const began = new Date();
  const machine = await describeMachine();
  console.log(`The ${chosen.name} run takes about ${chosen.minutes} minutes on two cores.`);
  const measured = await measureAll(chosen, {
    cores: machine.cores,
    signal: stop.signal,
    report: (measurement) => console.log(describe(measurement)),
  });
  const report = makeReport({ plan: chosen.name, began, machine }, measured);
  console.log(`\n${reportText(report)}`);
  const files = await writeReport(report);
  console.log(`\nWritten after ${report.minutes.toFixed(1)} minutes: ${files.join(', ')}`);
}

function describe({ side, variant, mode, pages, pace, totalMs, cpuSeconds }: Measurement): string {
  const what = [`${side} ${variant}`, mode, `${pages} pages`, pace ?? 'no scanner'].join(', ');
  return `${what}: ${(totalMs / 1000).toFixed(2)} s, CPU ${cpuSeconds.toFixed(2)} s`;
}
