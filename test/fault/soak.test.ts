import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createScannerClient } from '../../service/scanner/scanner-client.ts';
import type { Part } from '../support/appliance/part.ts';
import { capturedLog } from '../support/captured-log.ts';
import { BLANK_PAGE, checkAfter } from './support/invariants.ts';
import { withFaultBench, type FaultBench } from './support/fault-bench.ts';
import { collectGarbage, COLLECTS_GARBAGE } from './memory-support/garbage.ts';
import { resourcesOf, type Resources } from '../support/native-programs.ts';
import { assert, suite } from '../support/suite.ts';

const test = suite<{ bench: FaultBench; baseline: Resources[] }>('many scans');

/** SOAK_SCANS=300 for a long run. */
const SCANS = Number(process.env['SOAK_SCANS'] ?? 20);
const CALLERS = 20;
/** SOAK_READINGS=5760 simulates eight hours of waiting for paper, at twelve readings a minute. */
const READINGS = Number(process.env['SOAK_READINGS'] ?? 50);

/** After this many scans, everything is loaded and the heap has reached its size. */
const WARM_UP_SCANS = 5;

/** Normal variation of resident memory after a garbage collection. */
const MAX_DRIFT_MB = 30;

const SETTLE_MS = 10_000;
const LOOK_EVERY_MS = 20;

const environment = { NODE_OPTIONS: COLLECTS_GARBAGE };

withFaultBench(test, {
  serviceEnvironment: environment,
  runtimeEnvironment: environment,
  processorEnvironment: environment,
});

const partsOf = ({ appliance }: FaultBench): Part[] => [
  appliance.service,
  appliance.runtime,
  appliance.processor,
];

async function scanOnce(bench: FaultBench): Promise<void> {
  bench.appliance.scanner.load([BLANK_PAGE]);
  const { answer } = await bench.scan();
  assert.is(answer?.status, 200, answer?.text);
  assert.match(answer?.text ?? '', '"status":"submitted"');
}

async function resourcesKept(bench: FaultBench): Promise<Resources[]> {
  const parts = partsOf(bench);
  for (const part of parts) await collectGarbage(part);
  return parts.map((part) => resourcesOf(part.pid()));
}

/** Waits up to SETTLE_MS until no part holds more than at `baseline`, memory aside. */
async function settledResources(bench: FaultBench, baseline: Resources[]): Promise<Resources[]> {
  const until = performance.now() + SETTLE_MS;
  for (;;) {
    const now = await resourcesKept(bench);
    if (growth(baseline, now).length === 0 || performance.now() > until) return now;
    await wait(LOOK_EVERY_MS);
  }
}

const COUNTED = ['descriptors', 'sockets', 'children'] as const;

function growth(baseline: readonly Resources[], now: readonly Resources[]): string[] {
  return now.flatMap((held, part) =>
    COUNTED.filter((what) => held[what] > (baseline[part]?.[what] ?? 0)).map(
      (what) => `part ${part + 1}: ${baseline[part]?.[what]} → ${held[what]} ${what}`,
    ),
  );
}

async function expectBaseline(bench: FaultBench, baseline: Resources[]): Promise<void> {
  const now = await settledResources(bench, baseline);
  for (const [index, part] of partsOf(bench).entries()) {
    const [was, is] = [baseline[index], now[index]].map((held) => JSON.stringify(held, round));
    process.stdout.write(`\n# ${part.name}: ${was} → ${is}`);
  }
  assert.equal(growth(baseline, now), []);
  for (const [index, { megabytes }] of now.entries()) {
    const drift = megabytes - (baseline[index]?.megabytes ?? 0);
    assert.ok(drift < MAX_DRIFT_MB, `part ${index + 1} grew by ${drift.toFixed(1)} MB`);
  }
}

function round(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 10) / 10 : value;
}

test(`${SCANS} consecutive scans leak nothing`, async (context) => {
  const { bench } = context;
  for (let number = 0; number < WARM_UP_SCANS; number += 1) await scanOnce(bench);
  context.baseline = await resourcesKept(bench);
  for (let number = 0; number < SCANS; number += 1) await scanOnce(bench);
  await expectBaseline(bench, context.baseline);
});

test(`of ${CALLERS} concurrent callers, one scans; the others get "busy"`, async ({
  bench,
  baseline,
}) => {
  const { scanner } = bench.appliance;
  scanner.load([BLANK_PAGE, BLANK_PAGE, BLANK_PAGE]);
  scanner.setFault({ kind: 'wait', atPage: 3 });
  let answered = 0;
  const calls = await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      const call = await bench.scan();
      answered += 1;
      // The end of this scan frees the feeder, so all other calls must have been refused by now.
      if (answered === CALLERS - 1) scanner.setFault(null);
      return call;
    }),
  );
  const done = calls.filter(({ answer }) => answer?.status === 200);
  const busy = calls.filter(({ answer }) => answer?.json?.['error'] === 'scanner_busy');
  assert.is(done.length, 1);
  assert.is(busy.length, CALLERS - 1);
  assert.is(done[0]?.answer?.json?.['page_count'], 3);
  for (const call of done) {
    const id = String(call.answer?.json?.['scan_id']);
    await checkAfter(bench, { id, call });
  }
  await expectBaseline(bench, baseline);
});

/** Scanimage reads the first scanner, as on USB. The second is queried over the network. */
const WATCHED = ['test:0', 'Virtual'] as const;

test(`${READINGS} readings of two scanners leak nothing`, async ({ bench, baseline }) => {
  const socketPath = path.join(bench.appliance.directory, 'scanner.sock');
  const client = createScannerClient({ socketPath, log: capturedLog().log });
  const { signal } = new AbortController();
  const device = { 'test:0': 'test:0', Virtual: 'airscan:e0:Virtual' } as const;
  try {
    for (let number = 0; number < READINGS; number += 1) {
      for (const name of WATCHED) {
        const reading = await client.readSensors(name, signal);
        assert.is(reading.device, device[name]);
      }
    }
  } finally {
    await client.close();
  }
  await expectBaseline(bench, baseline);
});
