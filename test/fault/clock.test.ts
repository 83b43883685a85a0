import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { answeredInTime } from '../support/appliance/punctual.ts';
import { assert, suite, temporaryDirectory, type TemporaryDirectory } from '../support/suite.ts';
import { BLANK_PAGE, checkAfter } from './support/invariants.ts';
import { type Call, type FaultBench, startFaultBench } from './support/fault-bench.ts';

interface Context {
  bench: FaultBench;
  temporary: TemporaryDirectory;
}

const test = suite<Context>('a clock that jumps');

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const JUMPS = [
  { name: 'an hour forward', ms: HOUR_MS },
  { name: 'an hour back', ms: -HOUR_MS },
];
const HASTY_SECONDS = 6;

const offsetFile = ({ temporary }: Context): string => path.join(temporary.path, 'offset');

test.before(async (context) => {
  context.temporary = await temporaryDirectory();
  const preload = import.meta.resolve('./support/clock-preload.ts');
  context.bench = await startFaultBench({
    profiles: [{ name: 'hasty', timeout_seconds: HASTY_SECONDS }],
    serviceEnvironment: { NODE_OPTIONS: `--import=${preload}`, CLOCK_FILE: offsetFile(context) },
    runtimeEnvironment: { PAGE_TIMEOUT_SECONDS: '60' },
  });
});

test.after(async ({ bench, temporary }) => {
  await bench.close();
  await temporary.remove();
});

/** Sets the service's clock `ms` milliseconds off the true time. */
async function setClock(context: Context, ms: number): Promise<void> {
  const { service } = context.bench.appliance;
  await writeFile(offsetFile(context), String(ms));
  const jumped = service.nextLine(/"msg":"clock jumped"/);
  process.kill(service.pid(), 'SIGUSR2');
  await jumped;
}

interface JumpOptions {
  readonly body?: object;
  readonly hangs?: boolean;
}

/** The clock jumps after the first sheet. The last sheet is fed later, unless the feeder hangs. */
async function scanWithJump(
  context: Context,
  ms: number,
  { body = {}, hangs = false }: JumpOptions = {},
): Promise<Call> {
  const { scanner, service } = context.bench.appliance;
  scanner.load([BLANK_PAGE, BLANK_PAGE, BLANK_PAGE]);
  scanner.setFault({ kind: 'wait', atPage: 3 });
  const first = service.nextLine(/"event":"scan_page".*"page":1,/);
  const call = context.bench.scan(body);
  await first;
  await setClock(context, ms);
  if (!hangs) scanner.setFault(null);
  return call;
}

const idOf = ({ answer }: Call): string => String(answer?.json?.['scan_id']);

async function expectSound(context: Context, call: Call): Promise<void> {
  await setClock(context, 0);
  await checkAfter(context.bench, { id: idOf(call), call });
}

for (const { name, ms } of JUMPS) {
  test(`${name}: the scan succeeds and reports its real duration`, async (context) => {
    const call = await scanWithJump(context, ms);
    assert.is(call.answer?.status, 200, call.answer?.text);
    assert.is(call.answer?.json?.['page_count'], 3);
    const told = Number(call.answer?.json?.['duration_ms']);
    assert.ok(told > 0 && told <= call.ms, `${told} ms of ${call.ms}`);
    const record = await context.bench.appliance.record(idOf(call));
    const between =
      Date.parse(String(record['ended_at'])) - Date.parse(String(record['started_at']));
    const took = between - ms;
    assert.ok(took >= 0 && took <= call.ms, `the clock did jump: ${took} of ${call.ms} ms`);
    await expectSound(context, call);
  });

  test(`${name}: the deadline passes when it should`, async (context) => {
    const { scanner, service } = context.bench.appliance;
    // The answer does not wait until the scanner is free, but the next scan does.
    const ended = service.nextLine(/"event":"scan_ended".*"state":"failed"/);
    const options = { body: { profile: 'hasty' }, hangs: true };
    const call = await answeredInTime(service, HASTY_SECONDS * 1000, () =>
      scanWithJump(context, ms, options),
    );
    await ended;
    scanner.setFault(null);
    assert.is(call.answer?.json?.['error'], 'timeout', call.answer?.text);
    assert.ok(call.ms >= HASTY_SECONDS * 1000, `${call.ms} ms`);
    await expectSound(context, call);
  });
}

for (const days of [1, -1]) {
  test(`a key is remembered if the clock is set to more than a day ${days > 0 ? 'later' : 'earlier'}`, async (context) => {
    const { bench } = context;
    const headers = { 'Idempotency-Key': `day${days}` };
    bench.appliance.scanner.load([BLANK_PAGE]);
    const first = await bench.scan({}, headers);
    await setClock(context, days * DAY_MS + days * HOUR_MS);
    bench.appliance.scanner.load([BLANK_PAGE]);
    const fed = bench.appliance.scanner.state.sheetsFed;
    const second = await bench.scan({}, headers);
    assert.equal(second.answer?.json, first.answer?.json);
    assert.is(bench.appliance.scanner.state.sheetsFed, fed);
    bench.appliance.scanner.load([]);
    await expectSound(context, second);
  });
}
