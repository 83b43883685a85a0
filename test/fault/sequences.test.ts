import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { callIdentity } from '../../service/archive/recorded-calls.ts';
import { parseEvent } from '../../service/archive/scan-event-schema.ts';
import type { Fault } from '../../simulators/virtual-scanner/virtual-scanner.ts';
import type { Part } from '../support/appliance/part.ts';
import { assert, suite } from '../support/suite.ts';
import { BLANK_PAGE, checkAfter, checkInTime, checkScan } from './support/invariants.ts';
import { withFaultBench, type Call, type FaultBench } from './support/fault-bench.ts';
import { seededRandom } from './support/seeded-random.ts';

/**
 * Random calls while the scanner fails, people press Stop, and parts are killed and restarted. For
 * a longer run: SEQUENCES=100. To repeat one: SEED=<the number in its failure> SEQUENCES=1.
 */
const SEQUENCES = Number(process.env['SEQUENCES'] ?? 6);
const FIRST_SEED = Number(process.env['SEED'] ?? 1);
const CALLS = 7;

const FAULTS: readonly (Fault | null)[] = [
  null,
  null,
  null,
  { kind: 'jam', atPage: 1 },
  { kind: 'jam', atPage: 2 },
  { kind: 'coverOpen', atPage: 2 },
  { kind: 'busy', times: 1 },
  { kind: 'empty' },
  { kind: 'drop', atPage: 2 },
];

/**
 * Log events of a scan, without the prefix `scan_`. At a random one of them, the test may stop the
 * scan or kill a part.
 */
const MOMENTS = ['begun', 'resumed', 'page', 'recognized', 'fed', 'documents', 'upload_begun'];

interface World {
  readonly bench: FaultBench;
  readonly below: (limit: number) => number;
  readonly keyed: Map<string, object>;
}

/** Something that happens during a call; receives the id of its scan. */
type Strike = (bench: FaultBench, scanId: string) => Promise<unknown>;

const killed =
  (partOf: (bench: FaultBench) => Part, signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Strike =>
  async (bench) => {
    await partOf(bench).stop(signal);
    await partOf(bench).start();
  };

const STRIKES: readonly (Strike | undefined)[] = [
  undefined,
  undefined,
  undefined,
  killed(({ appliance }) => appliance.service),
  killed(({ appliance }) => appliance.service),
  killed(({ appliance }) => appliance.service, 'SIGTERM'),
  killed(({ appliance }) => appliance.runtime),
  killed(({ appliance }) => appliance.processor),
  killed(({ dms }) => dms),
  ({ appliance }, scanId) => appliance.post(`/scans/${scanId}/stop`, {}),
];

/** The calls of the sequence have been checked already. */
const NO_CALL = { answer: undefined, ms: 0 };

const test = suite<{ bench: FaultBench }>('random sequences of calls and kills');

withFaultBench(test);

async function scanIds({ appliance }: FaultBench): Promise<string[]> {
  const { scans } = (await appliance.get('/scans?limit=100')).json as {
    scans: { scan_id: string }[];
  };
  return scans.map(({ scan_id: id }) => id);
}

async function makeCall({ bench, below, keyed }: World, ids: readonly string[]): Promise<Call> {
  const id = ids[below(ids.length)];
  const kind = below(10);
  const repeated = [...keyed][below(keyed.size)];
  if (kind < 2 && repeated) {
    const [key, body] = repeated;
    return bench.scan(body, { 'Idempotency-Key': key });
  }
  if (kind < 4 && id) return bench.resume(id, below(3) === 0 ? { resend_unknown: true } : {});
  const hold = below(3) === 0 ? { hold: true } : {};
  const body = kind < 7 && id ? { continue_scan: id, ...hold } : hold;
  if (below(2) === 0) return bench.scan(body);
  const key = `key-${keyed.size}-${below(1e9)}`;
  keyed.set(key, body);
  return bench.scan(body, { 'Idempotency-Key': key });
}

async function playCall(world: World, ids: readonly string[]): Promise<void> {
  const { bench, below } = world;
  const { scanner, service } = bench.appliance;
  scanner.load(Array.from({ length: below(4) }, () => BLANK_PAGE));
  scanner.setFault(FAULTS[below(FAULTS.length)] ?? null);
  const strike = STRIKES[below(STRIKES.length)];
  const moment = MOMENTS[below(MOMENTS.length)];
  const line = service.nextLine(new RegExp(`"event":"scan_${moment}"`));
  line.catch(() => {});
  const call = makeCall(world, ids);
  const reached = await Promise.race([line, call.then(() => undefined)]);
  if (strike && reached !== undefined) {
    const { scan_id: id } = JSON.parse(reached) as { scan_id: string };
    await strike(bench, id);
  }
  const ended = await call;
  scanner.setFault(null);
  checkInTime(ended);
  assert.is.not(ended.answer?.status, 500, ended.answer?.text);
}

async function keysFedTwice({ bench, keyed }: World, ids: readonly string[]): Promise<string[]> {
  const fed = new Map<string, number>();
  for (const id of ids) {
    const file = path.join(bench.appliance.scansDir, id, 'events.jsonl');
    let call: { key: string; last_page: number } | undefined;
    for (const line of (await readFile(file, 'utf8')).split('\n')) {
      const event = line.trim() === '' ? undefined : parseEvent(line);
      if (event?.type === 'begun' || event?.type === 'resumed') ({ call } = event);
      if (event?.type !== 'page' || !call || event.number <= call.last_page) continue;
      fed.set(call.key, (fed.get(call.key) ?? 0) + 1);
      call = undefined;
    }
  }
  const names = new Map([...keyed].map(([key, body]) => [callIdentity(key, body).key, key]));
  return [...fed]
    .filter(([, count]) => count > 1)
    .map(([key, count]) => `${names.get(key)} fed paper ${count} times`);
}

for (let seed = FIRST_SEED; seed < FIRST_SEED + SEQUENCES; seed += 1) {
  test(`SEED=${seed}: no page is lost, filed twice, or fed again`, async ({ bench }) => {
    const random = seededRandom(seed);
    const below = (limit: number): number => Math.floor(random() * limit);
    const world = { bench, below, keyed: new Map<string, object>() };
    const before = await scanIds(bench);
    const own = async (): Promise<string[]> =>
      (await scanIds(bench)).filter((id) => !before.includes(id));
    for (let call = 0; call < CALLS; call += 1) await playCall(world, await own());
    const ids = await own();
    assert.equal(await keysFedTwice(world, ids), []);
    await bench.appliance.untilScannerFree();
    for (const id of ids) await checkScan(bench, id);
    await checkAfter(bench, { id: undefined, call: NO_CALL, serviceKilled: true });
  });
}
