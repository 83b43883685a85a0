import { constants } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import { answeredInTime } from '../support/appliance/punctual.ts';
import { makePipe } from '../support/make-pipe.ts';
import {
  assert,
  suite,
  temporaryDirectory,
  type TemporaryDirectory,
  within,
} from '../support/suite.ts';
import { BLANK_PAGE } from './support/invariants.ts';
import { type Call, type FaultBench, startFaultBench } from './support/fault-bench.ts';

interface Context {
  bench: FaultBench;
  temporary: TemporaryDirectory;
}

const test = suite<Context>('a disk that does not answer');

const pipeOf = ({ temporary }: Context): string => path.join(temporary.path, 'pipe');

async function answerAgain(context: Context): Promise<void> {
  // Operations that wait hold the pipe open. If none waits, a blocking open would never return.
  const writer = await open(pipeOf(context), constants.O_RDWR | constants.O_NONBLOCK);
  await rm(pipeOf(context));
  await writer.close();
}

const HASTY_SECONDS = 6;

/** Concurrent calls that need the disk: more than Node's default number of threads. */
const CALLERS = 12;

/** Time limit for requests that do not need the disk. Other requests must take longer. */
const SOON_MS = 20_000;

/** Neither lists nor scans wait longer than this for a disk. */
const DISK_TIMEOUT_MS = 15_000;

test.before(async (context) => {
  context.temporary = await temporaryDirectory();
  const paths = { output_dir: path.join(context.temporary.path, 'disk') };
  const preload = import.meta.resolve('./support/hung-disk-preload.ts');
  context.bench = await startFaultBench({
    profiles: [
      { name: 'patient', paths },
      { name: 'hung', paths, timeout_seconds: HASTY_SECONDS },
      { name: 'pages', paths, timeout_seconds: 2 * HASTY_SECONDS },
    ],
    serviceEnvironment: {
      NODE_OPTIONS: `--import=${preload}`,
      HUNG_DIR: paths.output_dir,
      HUNG_PIPE: pipeOf(context),
    },
  });
});

test.after(async ({ bench, temporary }) => {
  await bench.close();
  await temporary.remove();
});

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
  const shown = await within(DISK_TIMEOUT_MS, appliance.get(`/scans/${id}`), 'a scan elsewhere');
  assert.is(shown.status, 200, shown.text);
  const list = await within(DISK_TIMEOUT_MS, appliance.get('/scans'), 'the list');
  assert.match(list.text, id);
}

test('delays only the calls that need it, until their deadline', async (context) => {
  const { bench } = context;
  const { appliance } = bench;
  appliance.scanner.load([BLANK_PAGE]);
  const before = await bench.scan({ profile: 'patient' });
  const id = String(before.answer?.json?.['scan_id']);
  await makePipe(pipeOf(context));
  const fed = appliance.scanner.state.sheetsFed;
  const calls = Array.from({ length: CALLERS }, () =>
    expectTimeout(bench, HASTY_SECONDS, () => bench.scan({ profile: 'hung' })),
  );
  const reads = Array.from({ length: CALLERS }, async () => {
    const read = await within(
      DISK_TIMEOUT_MS,
      appliance.get(`/scans/${id}`),
      'a scan on that disk',
    );
    assert.is(read.status, 507, read.text);
  });
  await Promise.all([expectOthersAnswered(bench), ...calls, ...reads]);
  assert.is(appliance.scanner.state.sheetsFed, fed + 1, 'only the scan elsewhere was fed');
  await answerAgain(context);
  appliance.scanner.load([BLANK_PAGE]);
  const after = await bench.scan({ profile: 'patient' });
  assert.is(after.answer?.json?.['page_count'], 1, after.answer?.text);
});

test('in the middle of a scan: answers in time, and resume works', async (context) => {
  const { bench } = context;
  const { scanner, service } = bench.appliance;
  scanner.load([BLANK_PAGE, BLANK_PAGE, BLANK_PAGE]);
  scanner.setFault({ kind: 'wait', atPage: 2 });
  const first = service.nextLine(/"event":"scan_page".*"page":1,/);
  const scan = expectTimeout(bench, 2 * HASTY_SECONDS, () => bench.scan({ profile: 'pages' }));
  const { scan_id: id } = JSON.parse(await first) as { scan_id: string };
  await makePipe(pipeOf(context));
  scanner.setFault(null);
  await scan;
  await expectOthersAnswered(bench);
  const busy = await bench.resume(id);
  assert.is(busy.answer?.json?.['error'], 'scan_in_progress', busy.answer?.text);
  const ended = service.nextLine(/"event":"scan_ended".*"state":"failed"/);
  await answerAgain(context);
  await ended;
  const resumed = await bench.resume(id);
  assert.is(resumed.answer?.status, 200, resumed.answer?.text);
  assert.is(resumed.answer?.json?.['page_count'], 3);
  assert.match(resumed.answer?.text ?? '', '"status":"submitted"');
});
