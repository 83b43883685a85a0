import { readdir } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { SCAN_ID } from '../../../service/archive/scan-id.ts';
import { BLANK_PAGE, brokenAfter, type StruckScan } from './aftermath.ts';
import { countCases } from './case-table.ts';
import { startFaultBench, type FaultBench } from './fault-bench.ts';
import { seededRandom } from './seeded-random.ts';

const MOMENTS = 10;
const PAGE_COUNT = 12;

/** Part of the time that an undisturbed scan takes, from 0 to 1, that the moments are taken from. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface MomentsContext {
  bench: FaultBench;
  /** Time that an undisturbed scan takes. */
  wholeMs: number;
}

/**
 * Adds to a suite: `kill -9` of the service at random moments of a scan of a dozen pages, then resume. The seed is in the
 * titles, and FAULT_SEED repeats a run.
 */
export function addKillMoments(test: Test<MomentsContext>, { from, to }: Span): void {
  const seed = Number(process.env['FAULT_SEED'] ?? Date.now() % 1_000_000);
  const random = seededRandom(seed);
  const cases = countCases(`kill -9 of the service, ${from} to ${to} of a scan, seed ${seed}`);

  test.before(async (context) => {
    context.bench = await startFaultBench({ processorEnvironment: { WORKERS: '2' } });
  });

  test.after(async ({ bench }) => {
    cases.print();
    await bench.close();
  });

  test('undisturbed, the scan takes some time', async (context) => {
    loadStack(context.bench);
    const { answer, ms } = await context.bench.scan();
    assert.is(answer?.json?.['page_count'], PAGE_COUNT, answer?.text);
    context.wholeMs = ms;
  });

  for (let number = 1; number <= MOMENTS; number += 1) {
    const share = from + random() * (to - from);
    const when = `${share.toFixed(3)} of that time, seed ${seed}`;
    test(`moment ${number} (${when}): every page that was finished is filed once`, async ({
      bench,
      wholeMs,
    }) => {
      const broken = await cases.count(async () =>
        brokenAfter(bench, await killAfter(bench, share * wholeMs)),
      );
      assert.equal(broken, []);
    });
  }
}

function loadStack({ appliance }: FaultBench): void {
  appliance.scanner.load(Array.from({ length: PAGE_COUNT }, () => BLANK_PAGE));
}

/** Kills the service some time after the call; resolves when it runs again. */
async function killAfter(bench: FaultBench, ms: number): Promise<StruckScan> {
  const { service, scansDir } = bench.appliance;
  loadStack(bench);
  const before = await readdir(scansDir);
  const call = bench.scan();
  await wait(ms);
  await service.stop('SIGKILL');
  await service.start();
  const ids = (await readdir(scansDir)).filter(
    (name) => SCAN_ID.test(name) && !before.includes(name),
  );
  assert.ok(ids.length <= 1, ids.join());
  return { id: ids[0], call: await call, serviceKilled: true, nextScan: false };
}
