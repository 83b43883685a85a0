import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { brokenAfter } from './aftermath.ts';
import { startFaultBench, type FaultBench } from './fault-bench.ts';
import { cellsOf, killDuring, type Victim } from './kill-cell.ts';

/** Sheets a minute: the feeder takes a quarter of a second for each, so that there is a time before the first. */
const PAGES_PER_MINUTE = 240;

/** Adds the cells of the matrix for a victim to a suite; they share one appliance. */
export function addKillCells(test: Test<{ bench: FaultBench }>, victim: Victim): void {
  test.before(async (context) => {
    context.bench = await startFaultBench({ scanner: { pagesPerMinute: PAGES_PER_MINUTE } });
  });

  test.after(({ bench }) => bench.close());

  for (const cell of cellsOf(victim)) {
    test(`the ${cell.victim} ${cell.phase}, by ${cell.signal}`, async ({ bench }) => {
      assert.equal(await brokenAfter(bench, await killDuring(bench, cell)), []);
    });
  }
}
