import { EventEmitter } from 'node:events';
import type { ScanDetails } from '../../service/archive/scan-details.ts';
import { assert, EVENT_MS, suite, within } from '../support/suite.ts';
import { BLANK_PAGE } from './support/invariants.ts';
import { withFaultBench, type Call, type FaultBench } from './support/fault-bench.ts';

/** A page polls a scan all the time, so every answer must be consistent. */
const test = suite<{ bench: FaultBench }>('polling a running scan');

const SHEETS = 5;

const CALLERS = 3;

const STATES = ['scanning', 'processing', 'delivering', 'finished'];

withFaultBench(test, {
  profiles: [{ name: 'pages', assembly: { page_grouping: 'per_page' } }],
});

interface Watched {
  readonly call: Promise<Call>;
  readonly looks: EventEmitter<{ look: [ScanDetails] }>;
}

async function lookUntil(
  { appliance }: FaultBench,
  id: string,
  { call, looks }: Watched,
): Promise<ScanDetails[]> {
  const seen: ScanDetails[] = [];
  const over = new AbortController();
  const ended = call.finally(() => over.abort());
  while (!over.signal.aborted) {
    const shown = await appliance.get(`/scans/${id}`);
    assert.is(shown.status, 200, shown.text);
    const details = shown.json as unknown as ScanDetails;
    seen.push(details);
    looks.emit('look', details);
  }
  await ended;
  return seen;
}

function submitted({ documents }: ScanDetails): number {
  return documents
    .flatMap(({ destinations }) => destinations)
    .filter((d) => d.status === 'submitted').length;
}

/** No count decreases, and no state recurs. */
function checkSeen(seen: readonly ScanDetails[]): void {
  for (const { state, ended_at, error, documents, warnings } of seen) {
    assert.not.match(JSON.stringify([documents, warnings]), /cut off|It is unknown whether/);
    assert.is(ended_at !== null, state === 'finished', state);
    assert.is(error, null);
  }
  const counts: Readonly<Record<string, (details: ScanDetails) => number>> = {
    'the state': ({ state }) => STATES.indexOf(state),
    page_count: ({ page_count: count }) => count,
    documents: ({ documents }) => documents.length,
    submitted,
  };
  for (const [what, countOf] of Object.entries(counts)) {
    const numbers = seen.map(countOf);
    const sorted = numbers.toSorted((a, b) => a - b);
    assert.equal(numbers, sorted, `${what} never goes back`);
  }
}

/** Continues a paused scan step by step, each time a caller has seen its progress. */
async function goOnWhenSeen(
  { appliance, dms }: FaultBench,
  looks: Watched['looks'],
): Promise<void> {
  const { processor, scanner } = appliance;
  const stored = Array.from({ length: SHEETS }, (_, index) =>
    dms.nextLine(new RegExp(`document-000${index + 1}\\.pdf.*upload stored`)),
  );
  const untilSeen = (isSo: (details: ScanDetails) => boolean): Promise<void> =>
    new Promise((resolve) => {
      looks.on('look', function look(details) {
        if (!isSo(details)) return;
        looks.off('look', look);
        resolve();
      });
    });
  await untilSeen(({ state }) => state === 'scanning');
  processor.freeze();
  scanner.setFault(null);
  await untilSeen(({ state }) => state === 'processing');
  dms.freeze();
  processor.thaw();
  await untilSeen(({ state }) => state === 'delivering');
  dms.thaw();
  for (const [index, line] of stored.entries()) {
    await line;
    dms.freeze();
    await untilSeen((details) => submitted(details) >= index);
    dms.thaw();
  }
}

test('each answer is correct and consistent with earlier ones', async ({ bench }) => {
  const { scanner, service } = bench.appliance;
  scanner.load(Array.from({ length: SHEETS }, () => BLANK_PAGE));
  scanner.setFault({ kind: 'wait', atPage: SHEETS });
  const begun = service.nextLine(/"event":"scan_begun"/);
  const call = bench.scan({ profile: 'pages' });
  const { scan_id: id } = JSON.parse(await begun) as { scan_id: string };
  const looks: Watched['looks'] = new EventEmitter();
  const lookAll = Promise.all(
    Array.from({ length: CALLERS }, () => lookUntil(bench, id, { call, looks })),
  );
  const gone = within(EVENT_MS, goOnWhenSeen(bench, looks), 'the last step of the scan');
  const [seen] = await Promise.all([lookAll, gone]);
  assert.is((await call).answer?.status, 200);
  for (const one of seen) checkSeen(one);
  const states = new Set(seen.flat().map(({ state }) => state));
  for (const state of STATES.slice(0, 3))
    assert.ok(states.has(state as ScanDetails['state']), state);
  const counts = new Set(seen.flat().map(submitted));
  assert.ok(counts.size > SHEETS / 2, `uploads were seen one by one: ${[...counts].join()}`);
});
