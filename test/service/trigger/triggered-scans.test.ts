import { Failure } from '../../../helpers/failure.ts';
import type { ScanListener } from '../../../service/archive/scan-record.ts';
import type { RefusedTrigger } from '../../../service/profiles/trigger.ts';
import { triggeredScans } from '../../../service/trigger/triggered-scans.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { feedPages, heldFeed, type Feed } from '../../support/scan-parts.ts';
import { assert, withFixture, within } from '../../support/suite.ts';
import { createScanBench, EVENT_MS, type ScanBench } from '../scan/call/scan-bench.ts';

const test = withFixture<{ bench: ScanBench; close: () => Promise<void> }>(
  'scans that were asked for at the scanner',
  async () => {
    const bench = await createScanBench();
    return { bench, close: () => bench.close() };
  },
);

const PAPER = { paper: true } as const;
const BUTTON = { button: 'scan', function: 3 } as const;

/** Scans with a feeder, and what was refused. */
async function started(
  bench: ScanBench,
  feed: Feed,
  { now = Date.now, listener = () => {} }: { now?: () => number; listener?: ScanListener } = {},
): Promise<{
  readonly fire: ReturnType<typeof triggeredScans>;
  readonly refused: readonly RefusedTrigger[];
  readonly started: Awaited<ReturnType<ScanBench['start']>>;
}> {
  const refused: RefusedTrigger[] = [];
  const made = await bench.start({ feed }, { listener });
  const { scans, archive } = made;
  const onRefused = (one: RefusedTrigger): void => void refused.push(one);
  const { log } = capturedLog();
  return { fire: triggeredScans({ scans, archive, onRefused, log, now }), refused, started: made };
}

test('are ordinary scans, and their record says what began them', async ({ bench }) => {
  const { fire, refused, started: made } = await started(bench, feedPages(2));
  await fire(bench.call().profile, BUTTON);
  const [summary] = (await made.archive.list(1)).scans;
  const { record } = await made.archive.find(summary?.id ?? '');
  assert.equal([record.state, record.trigger, record.pages.length], ['finished', BUTTON, 2]);
  assert.equal(refused, []);
});

test('that end early say so, and are not reported twice', async ({ bench }) => {
  const jam = feedPages(1, new Failure('scanner_jammed', 'Paper is stuck.'));
  const { fire, refused, started: made } = await started(bench, jam);
  await fire(bench.call().profile, PAPER);
  assert.is((await made.archive.list(1)).scans[0]?.summary?.state, 'failed');
  assert.equal(refused, []);
});

test('that find the feeder in use are reported', async ({ bench }) => {
  const { feed, goOn } = heldFeed();
  const page = Promise.withResolvers<void>();
  const listener: ScanListener = ({ type }) => {
    if (type === 'page') page.resolve();
  };
  const { fire, refused, started: made } = await started(bench, feed, { listener });
  const scan = made.scans.scan(bench.call());
  await within(EVENT_MS, page.promise, 'the first page');
  await fire(bench.call().profile, BUTTON);
  assert.is(refused[0]?.failure.code, 'scanner_busy');
  goOn();
  await scan;
});

test('by paper leave it to a held scan; a button does not', async ({ bench }) => {
  let later = 0;
  const now = (): number => Date.now() + later;
  const { fire, refused, started: made } = await started(bench, feedPages(1), { now });
  const { scan_id: id } = await made.scans.scan({ ...bench.call(), hold: true });
  const count = async (): Promise<number> => (await made.archive.list(10)).scans.length;
  await fire(bench.call().profile, PAPER);
  assert.match(refused[0]?.failure.message ?? '', `Add it to scan ${id}`);
  assert.is(await count(), 1);
  later = 61 * 60_000;
  await fire(bench.call().profile, PAPER);
  assert.is(await count(), 2);
  later = 0;
  await made.scans.scan({ ...bench.call(), hold: true });
  await fire(bench.call().profile, BUTTON);
  assert.is(await count(), 4);
});
