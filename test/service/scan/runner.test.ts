import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../helpers/failure.ts';
import type { PreparedScan, PrepareScan } from '../../../service/scan/run-scan.ts';
import { createRunner, type Runner } from '../../../service/scan/runner.ts';
import { keepScanRecord } from '../../../service/scan/scan-record.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { failure } from '../../support/rejection.ts';
import { storedRecord } from '../../support/stored-scan.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { withFixture } from '../../support/with-fixture.ts';
import { within } from '../../support/within.ts';

interface Fixture {
  readonly runner: Runner;
  /** A scan that goes through `stages`. */
  readonly scan: (stages: () => Promise<void>) => PrepareScan;
  close(): Promise<void>;
}

const test = withFixture<Fixture>(suite('running scans'), async () => {
  const temporary = await temporaryDirectory();
  // Timers of deadlines do not keep a process alive; a server does.
  const keepAlive = setInterval(() => {}, 1000);
  const scan: Fixture['scan'] =
    (stages) =>
    async ({ id, deadline, log }): Promise<PreparedScan> => {
      const directory = path.join(temporary.path, id);
      await mkdir(directory, { recursive: true });
      const stored = storedRecord({ state: 'scanning', error: null });
      const record = await keepScanRecord(directory, stored);
      const { settings: profile, request: metadata } = stored;
      const call = { profile, metadata, id, deadline, log, record };
      return { scan: { ...call, directory, startedAt: new Date() }, stages };
    };
  return {
    runner: createRunner(capturedLog().log),
    scan,
    close: async () => {
      clearInterval(keepAlive);
      await temporary.remove();
    },
  };
});

const claim = (id: string, device?: string): Parameters<Runner['run']>[0] => ({
  id,
  seconds: 10,
  ...(device !== undefined && { device }),
});

const done = (): Promise<void> => Promise.resolve();

test('resolves with the result, and nothing runs any more', async ({ runner, scan }) => {
  const running = runner.run(claim('a'), scan(done));
  assert.ok(runner.isRunning('a'));
  assert.is((await running).page_count, 2);
  assert.not.ok(runner.isRunning('a'));
});

test('no scan runs twice at once', async ({ runner, scan }) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = runner.run(
    claim('a'),
    scan(() => promise),
  );
  const error = await failure('scan_in_progress', runner.run(claim('a'), scan(done)));
  assert.equal(error.facts, { scan_id: 'a' });
  resolve();
  await first;
  await runner.run(claim('a'), scan(done));
});

test('of two scans of one scanner the second is refused, and never waits', async ({
  runner,
  scan,
}) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = runner.run(
    claim('a', 'auto'),
    scan(() => promise),
  );
  const busy = await failure('scanner_busy', runner.run(claim('b', 'auto'), scan(done)));
  assert.equal(busy.facts, { busy_with: 'a' });
  assert.not.ok(runner.isRunning('b'));
  await Promise.all([
    runner.run(claim('c', 'another'), scan(done)),
    runner.run(claim('d'), scan(done)),
    runner.run(claim('e'), scan(done)),
  ]);
  resolve();
  await first;
  await runner.run(claim('b', 'auto'), scan(done));
});

test('a scan that fails, however early, gives the scanner back', async ({ runner, scan }) => {
  const jam = new Failure('scanner_jammed', 'jam');
  const refused: PrepareScan = () => Promise.reject(new Failure('insufficient_storage', 'full'));
  const broken: PrepareScan = () => {
    throw new TypeError('a bug');
  };
  await failure(
    'scanner_jammed',
    runner.run(
      claim('a', 'x'),
      scan(() => Promise.reject(jam)),
    ),
  );
  await failure('insufficient_storage', runner.run(claim('a', 'x'), refused));
  await failure('internal_error', runner.run(claim('a', 'x'), broken));
  await runner.run(claim('a', 'x'), scan(done));
});

test('a hung part does not keep the caller, but keeps the scanner until it has ended', async ({
  runner,
  scan,
}) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const began = performance.now();
  const late = runner.run(
    { id: 'a', device: 'x', seconds: 0.05 },
    scan(() => promise),
  );
  const error = await within(2000, failure('timeout', late), 'the answer');
  assert.ok(performance.now() - began < 1000);
  assert.equal(error.facts, { stage: 'scan', scan_id: 'a', page_count: 2, documents: [] });
  assert.ok(runner.isRunning('a'));
  await failure('scanner_busy', runner.run(claim('b', 'x'), scan(done)));
  const drained = runner.drain();
  resolve();
  await within(2000, drained, 'the end of the late scan');
  assert.not.ok(runner.isRunning('a'));
});

test('a hung check before the scan is answered in time too, and no record is made up', async ({
  runner,
  scan,
}) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const hung: PrepareScan = async (options) => {
    await promise;
    return scan(done)(options);
  };
  const late = runner.run({ id: 'a', seconds: 0.05 }, hung);
  const error = await within(2000, failure('timeout', late), 'the answer');
  assert.equal(error.facts, { stage: 'scan', scan_id: 'a', page_count: 0, documents: [] });
  resolve();
  await runner.drain();
});

test('a failure that comes after the answer is nobody’s unhandled rejection', async ({
  runner,
  scan,
}) => {
  const { promise, reject } = Promise.withResolvers<void>();
  await failure(
    'timeout',
    runner.run(
      { id: 'a', seconds: 0.05 },
      scan(() => promise),
    ),
  );
  reject(new Error('much too late'));
  await runner.drain();
  await new Promise((resolve) => setImmediate(resolve));
});

test('draining refuses new scans and waits for those under way', async ({ runner, scan }) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = runner.run(
    claim('a'),
    scan(() => promise),
  );
  let isDrained = false;
  const drained = runner.drain().then(() => (isDrained = true));
  await failure('shutting_down', runner.run(claim('b'), scan(done)));
  assert.throws(
    () => runner.checkOpen(),
    (error: unknown) => error instanceof Failure && error.code === 'shutting_down',
  );
  assert.not.ok(isDrained);
  resolve();
  await drained;
  assert.is((await first).page_count, 2);
});

test('nothing under way is drained at once', async ({ runner }) => {
  await within(1000, runner.drain());
});

test.run();
