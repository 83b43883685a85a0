import { EventEmitter } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ScanDetails } from '../../service/archive/scan-details.ts';
import type { ScanSummary } from '../../service/archive/scan-view.ts';
import { within } from '../support/within.ts';
import { BLANK_PAGE } from './support/aftermath.ts';
import { startFaultBench, type Call, type FaultBench } from './support/fault-bench.ts';

/** A page that shows a scan asks again and again: what it is told must be true at every moment. */
const test = suite<{ bench: FaultBench }>('a scan that is looked at while it is worked on');

/** A document each. */
const SHEETS = 5;

/** Each asks again as soon as it has its answer. */
const CALLERS = 3;

/** For a whole scan of which each step is waited for. */
const SCAN_MS = 60_000;

const STATES = ['scanning', 'processing', 'delivering', 'finished'];

test.before(async (context) => {
  context.bench = await startFaultBench({
    profiles: [{ name: 'pages', assembly: { page_grouping: 'per_page' } }],
  });
});

test.after(({ bench }) => bench.close());

interface Watched {
  readonly call: Promise<Call>;
  /** Told of what each caller is told. */
  readonly looks: EventEmitter<{ look: [ScanDetails] }>;
}

interface Seen {
  readonly details: ScanDetails[];
  readonly listed: ScanSummary[];
}

/** What one caller sees of a scan until the call that works on it is answered. */
async function lookUntil(
  { appliance }: FaultBench,
  id: string,
  { call, looks }: Watched,
): Promise<Seen> {
  const seen: Seen = { details: [], listed: [] };
  const over = new AbortController();
  const ended = call.finally(() => over.abort());
  while (!over.signal.aborted) {
    const shown = await appliance.get(`/scans/${id}`);
    assert.is(shown.status, 200, shown.text);
    const details = shown.json as unknown as ScanDetails;
    seen.details.push(details);
    looks.emit('look', details);
    const { json } = await appliance.get('/scans?limit=1');
    const { scans } = json as unknown as { scans: [ScanSummary] };
    assert.is(scans[0].scan_id, id);
    seen.listed.push(scans[0]);
  }
  await ended;
  return seen;
}

function submitted({ documents }: ScanDetails): number {
  return documents
    .flatMap(({ destinations }) => destinations)
    .filter((d) => d.status === 'submitted').length;
}

/** Nothing that is counted goes back, and no state comes twice. */
function checkGrowing(numbers: readonly (number | null)[], what: string): void {
  const sorted = numbers.map(Number).toSorted((a, b) => a - b);
  assert.equal(numbers, sorted, `${what} never goes back`);
}

function checkSeen({ details, listed }: Seen): void {
  const isOver = (state: string): boolean => state === 'finished';
  for (const { state, ended_at, error, documents, warnings } of details) {
    assert.not.match(JSON.stringify([documents, warnings]), 'cut off');
    assert.not.match(JSON.stringify(warnings), 'It is unknown whether');
    assert.is(ended_at !== null, isOver(state), state);
    assert.is(error, null);
  }
  for (const one of [details, listed]) {
    checkGrowing(
      one.map(({ state }) => STATES.indexOf(state)),
      'the state',
    );
    checkGrowing(
      one.map(({ page_count: count }) => count),
      'page_count',
    );
  }
  checkGrowing(
    details.map(({ documents }) => documents.length),
    'documents',
  );
  checkGrowing(
    listed.map(({ document_count: count }) => count),
    'document_count',
  );
  checkGrowing(details.map(submitted), 'submitted');
}

async function lookWhile(bench: FaultBench, id: string, watched: Watched): Promise<Seen[]> {
  return Promise.all(Array.from({ length: CALLERS }, () => lookUntil(bench, id, watched)));
}

/** Lets a scan whose last sheet is held back go on when a caller has seen how far it is, step by step. */
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

test('each answer is true, and none takes back what one before it said', async ({ bench }) => {
  const { scanner, service } = bench.appliance;
  scanner.load(Array.from({ length: SHEETS }, () => BLANK_PAGE));
  scanner.setFault({ kind: 'wait', atPage: SHEETS });
  const begun = service.nextLine(/"event":"scan_begun"/);
  const call = bench.scan({ profile: 'pages' });
  const { scan_id: id } = JSON.parse(await begun) as { scan_id: string };
  const looks: Watched['looks'] = new EventEmitter();
  const gone = within(SCAN_MS, goOnWhenSeen(bench, looks), 'the last step of the scan');
  const [seen] = await Promise.all([lookWhile(bench, id, { call, looks }), gone]);
  assert.is((await call).answer?.status, 200);
  for (const one of seen) checkSeen(one);
  const states = new Set(seen.flatMap(({ details }) => details.map(({ state }) => state)));
  for (const state of STATES.slice(0, 3))
    assert.ok(states.has(state as ScanDetails['state']), state);
  const counts = new Set(seen.flatMap(({ details }) => details.map(submitted)));
  assert.ok(counts.size > SHEETS / 2, `uploads were seen one by one: ${[...counts].join()}`);
});

test('an upload that is made again shows how the one before it ended, until it has ended too', async ({
  bench,
}) => {
  const { scanner, service } = bench.appliance;
  scanner.load(Array.from({ length: SHEETS }, () => BLANK_PAGE));
  await bench.dms.stop();
  const refused = await bench.scan({ profile: 'pages' });
  await bench.dms.start();
  const id = String(refused.answer?.json?.['scan_id']);
  const resumed = service.nextLine(/"event":"scan_resumed"/);
  const call = bench.resume(id);
  await resumed;
  const seen = await lookWhile(bench, id, { call, looks: new EventEmitter() });
  assert.match((await call).answer?.text ?? '', '"status":"submitted"');
  for (const one of seen) {
    checkSeen(one);
    for (const { documents } of one.details) {
      assert.equal(
        documents.map(({ destinations }) => destinations.length),
        documents.map(() => 1),
      );
    }
  }
});

test.run();
