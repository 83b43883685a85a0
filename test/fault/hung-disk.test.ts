import { constants } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import { answeredInTime } from '../support/appliance/punctual.ts';
import { makePipe } from '../support/make-pipe.ts';
import { assert, temporaryDirectory, within, suite } from '../support/suite.ts';
import { BLANK_PAGE } from './support/invariants.ts';
import { type Call, type FaultBench, startFaultBench } from './support/fault-bench.ts';

/** A directory whose disk can stop to answer one part of the appliance, and answer again. */
interface HungDisk {
  readonly path: string;
  /** What the part is to be started with. */
  readonly environment: Record<string, string>;
  hang(): Promise<void>;
  /** All that hangs goes on. */
  answer(): Promise<void>;
  remove(): Promise<void>;
}

/** A disk that answers. */
async function createHungDisk(): Promise<HungDisk> {
  const temporary = await temporaryDirectory();
  const directory = path.join(temporary.path, 'disk');
  const pipe = path.join(temporary.path, 'pipe');
  const preload = import.meta.resolve('./support/hung-disk-preload.ts');
  return {
    path: directory,
    environment: {
      NODE_OPTIONS: `--import=${preload}`,
      HUNG_DIR: directory,
      HUNG_PIPE: pipe,
    },
    hang: () => makePipe(pipe),
    answer: async () => {
      // Whoever waits has the pipe open already; without one this would wait for a reader.
      const writer = await open(pipe, constants.O_RDWR | constants.O_NONBLOCK);
      await rm(pipe);
      await writer.close();
    },
    remove: () => temporary.remove(),
  };
}

const test = suite<{ bench: FaultBench; disk: HungDisk }>('a disk that does not answer');

/** Of the calls that hang. */
const HASTY_SECONDS = 6;

/** Calls at once that need the disk: more than Node has threads where nobody says how many. */
const CALLERS = 12;

/** What does not need the disk is answered; what does is not, as long as it hangs. */
const SOON_MS = 20_000;

/** Nobody waits for a list, or a scan, on a disk longer than this. */
const PATIENCE_MS = 15_000;

test.before(async (context) => {
  context.disk = await createHungDisk();
  const paths = { output_dir: context.disk.path };
  context.bench = await startFaultBench({
    profiles: [
      { name: 'patient', paths },
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

/** Makes a call that has to end with a 504 in time. */
async function expectTimeout(
  { appliance }: FaultBench,
  seconds: number,
  call: () => Promise<Call>,
): Promise<void> {
  const { answer } = await answeredInTime(appliance.service, seconds * 1000, call);
  assert.is(answer?.status, 504, answer?.text);
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

test('delays only the calls that need it, until their deadline', async ({ bench, disk }) => {
  const { appliance } = bench;
  appliance.scanner.load([BLANK_PAGE]);
  const before = await bench.scan({ profile: 'patient' });
  const id = String(before.answer?.json?.['scan_id']);
  await disk.hang();
  const fed = appliance.scanner.state.sheetsFed;
  const calls = Array.from({ length: CALLERS }, () =>
    expectTimeout(bench, HASTY_SECONDS, () => bench.scan({ profile: 'hung' })),
  );
  const reads = Array.from({ length: CALLERS }, async () => {
    const read = await within(PATIENCE_MS, appliance.get(`/scans/${id}`), 'a scan on that disk');
    assert.is(read.status, 507, read.text);
  });
  await Promise.all([expectOthersAnswered(bench), ...calls, ...reads]);
  assert.is(appliance.scanner.state.sheetsFed, fed + 1, 'only the scan elsewhere was fed');
  await disk.answer();
  appliance.scanner.load([BLANK_PAGE]);
  const after = await bench.scan({ profile: 'patient' });
  assert.is(after.answer?.json?.['page_count'], 1, after.answer?.text);
});

test('in the middle of a scan: an answer in time, then resume', async ({ bench, disk }) => {
  const { scanner, service } = bench.appliance;
  scanner.load([BLANK_PAGE, BLANK_PAGE, BLANK_PAGE]);
  scanner.setFault({ kind: 'wait', atPage: 2 });
  const first = service.nextLine(/"event":"scan_page".*"page":1,/);
  const scan = expectTimeout(bench, 2 * HASTY_SECONDS, () => bench.scan({ profile: 'pages' }));
  const { scan_id: id } = JSON.parse(await first) as { scan_id: string };
  await disk.hang();
  scanner.setFault(null);
  await scan;
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
