import { readdir } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SCAN_ID } from '../../service/archive/scan-id.ts';
import { BLANK_PAGE, brokenAfter, type StruckScan } from './support/invariants.ts';
import { startFaultBench, type FaultBench } from './support/fault-bench.ts';
import { seededRandom } from './support/seeded-random.ts';

/**
 * `kill -9` of the service at random moments of a scan of a dozen pages, then resume. The seed is in the titles, and FAULT_SEED
 * repeats a run.
 */
const test = suite<{ bench: FaultBench; wholeMs: number }>('killing the service at any moment');

const MOMENTS = 20;
const PAGE_COUNT = 12;

const seed = Number(process.env['FAULT_SEED'] ?? Date.now() % 1_000_000);
const random = seededRandom(seed);

test.before(async (context) => {
  context.bench = await startFaultBench({ processorEnvironment: { WORKERS: '2' } });
});

test.after(({ bench }) => bench.close());

test('undisturbed, the scan takes some time', async (context) => {
  loadStack(context.bench);
  const { answer, ms } = await context.bench.scan();
  assert.is(answer?.json?.['page_count'], PAGE_COUNT, answer?.text);
  context.wholeMs = ms;
});

for (let number = 0; number < MOMENTS; number += 1) {
  // As many early as late.
  const share = (number + random()) / MOMENTS;
  test(`after ${share.toFixed(3)} of that time, seed ${seed}: every page that was finished is filed once`, async ({
    bench,
    wholeMs,
  }) => {
    assert.equal(await brokenAfter(bench, await killAfter(bench, share * wholeMs)), []);
  });
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

test.run();
