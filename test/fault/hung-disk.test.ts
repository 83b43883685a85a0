import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { within } from '../support/within.ts';
import { BLANK_PAGE } from './support/aftermath.ts';
import { startFaultBench, type Call, type FaultBench } from './support/fault-bench.ts';
import { createHungDisk, type HungDisk } from './support/hung-disk.ts';
import { GRACE_MS } from './support/invariants.ts';

const test = suite<{ bench: FaultBench; disk: HungDisk }>('a disk that does not answer');

/** Enough for a scan of two small pages on a machine that is busy. */
const HASTY_SECONDS = 6;

/** Calls at once that need the disk: more than Node has threads where nobody says how many. */
const CALLERS = 12;

/** What does not need the disk is answered; a machine that is busy needs some time for it. */
const SOON_MS = 3000;

/** Nobody waits for a list, or a scan, on a disk longer than this. */
const PATIENCE_MS = 15_000;

test.before(async (context) => {
  context.disk = await createHungDisk();
  const paths = { output_dir: context.disk.path };
  context.bench = await startFaultBench({
    profiles: [
      { name: 'hung', paths, timeout_seconds: HASTY_SECONDS },
      { name: 'pages', paths, timeout_seconds: 2 * HASTY_SECONDS },
    ],
    serviceEnvironment: context.disk.environment,
  });
});

test.after(async ({ bench, disk }) => {
  await bench.close();
  await disk.remove();
});

function expectTimeout({ answer, ms }: Call, seconds: number): void {
  assert.is(answer?.status, 504, answer?.text);
  assert.ok(ms <= seconds * 1000 + GRACE_MS, `${ms} ms`);
}

async function expectOthersAnswered(bench: FaultBench): Promise<void> {
  const { appliance } = bench;
  for (const path of ['/health', '/profiles', '/profiles/default', '/ready', '/version']) {
    const answer = await within(SOON_MS, appliance.get(path), path);
    assert.is(answer.status, 200, `${path}: ${answer.text}`);
  }
  appliance.scanner.load([BLANK_PAGE]);
  const { answer } = await bench.scan();
  assert.is(answer?.status, 200, answer?.text);
  const id = String(answer?.json?.['scan_id']);
  const shown = await within(PATIENCE_MS, appliance.get(`/scans/${id}`), 'a scan elsewhere');
  assert.is(shown.status, 200, shown.text);
  const list = await within(PATIENCE_MS, appliance.get('/scans'), 'the list');
  assert.match(list.text, id);
}

test('keeps waiting only the calls that need it, and those until their deadline', async ({
  bench,
  disk,
}) => {
  const { appliance } = bench;
  appliance.scanner.load([BLANK_PAGE]);
  const before = await bench.scan({ profile: 'hung' });
  const id = String(before.answer?.json?.['scan_id']);
  await disk.hang();
  const fed = appliance.scanner.state.sheetsFed;
  const began = performance.now();
  const calls = Array.from({ length: CALLERS }, () => bench.scan({ profile: 'hung' }));
  const reads = Array.from({ length: CALLERS }, () => appliance.get(`/scans/${id}`));
  await expectOthersAnswered(bench);
  for (const call of await Promise.all(calls)) expectTimeout(call, HASTY_SECONDS);
  assert.is(appliance.scanner.state.sheetsFed, fed + 1, 'only the scan elsewhere was fed');
  for (const read of await Promise.all(reads)) assert.is(read.status, 507, read.text);
  assert.ok(performance.now() - began < PATIENCE_MS + HASTY_SECONDS * 1000);
  await disk.answer();
  appliance.scanner.load([BLANK_PAGE]);
  const after = await bench.scan({ profile: 'hung' });
  assert.is(after.answer?.json?.['page_count'], 1, after.answer?.text);
});

test('in the middle of a scan: the call is answered in time, and resume files what was fed', async ({
  bench,
  disk,
}) => {
  const { scanner, service } = bench.appliance;
  scanner.load([BLANK_PAGE, BLANK_PAGE, BLANK_PAGE]);
  const first = service.nextLine(/"event":"scan_page".*"page":1,/);
  const scan = bench.scan({ profile: 'pages' });
  const { scan_id: id } = JSON.parse(await first) as { scan_id: string };
  await disk.hang();
  expectTimeout(await scan, 2 * HASTY_SECONDS);
  await expectOthersAnswered(bench);
  const busy = await bench.resume(id);
  assert.is(busy.answer?.json?.['error'], 'scan_in_progress', busy.answer?.text);
  const ended = service.nextLine(/"event":"scan_ended".*"state":"failed"/);
  await disk.answer();
  await ended;
  const resumed = await bench.resume(id);
  assert.is(resumed.answer?.status, 200, resumed.answer?.text);
  assert.is(resumed.answer?.json?.['page_count'], 3);
  assert.match(resumed.answer?.text ?? '', '"status":"submitted"');
});

test.run();
