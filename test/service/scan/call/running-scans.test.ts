import { Failure } from '../../../../helpers/failure.ts';
import { createScanArchive } from '../../../../service/archive/scan-archive.ts';
import {
  CALL_TIMES,
  createRunningScans,
  type RunningCall,
  type RunningScans,
} from '../../../../service/scan/call/running-scans.ts';
import type { CallOutcome } from '../../../../service/scan/call/finish.ts';
import { capturedLog } from '../../../support/captured-log.ts';
import { STORED_ID, storeScan } from '../../../support/stored-scan.ts';
import { assert, failure, withFixture, within } from '../../../support/suite.ts';
import { EVENT_MS, heldDeadline, someTurns } from './scan-bench.ts';

type Work = (call: RunningCall) => Promise<CallOutcome>;
type Stages = Parameters<RunningCall['finish']>[1];

const A = STORED_ID;

const TIMES = { ...CALL_TIMES, answer: 50, nextCall: 600_000 };
const test = withFixture('running scans', async (directory) => {
  await storeScan(directory);
  const { log } = capturedLog();
  const archive = createScanArchive({ roots: () => [directory], listener: () => {}, log });
  // Timers of deadlines do not keep a process alive; a server does.
  const keepAlive = setInterval(() => {}, 1000);
  return {
    running: createRunningScans(log, TIMES),
    archive,
    /** Opens the stored scan A, with two pages, and goes through `stages`. */
    work:
      (stages: Stages): Work =>
      async (call) =>
        call.finish(await archive.open(A), stages),
    close: async () => {
      clearInterval(keepAlive);
      await archive.close();
    },
  };
});

/** A claim of scan A that comes now. */
const claim = (seconds = 600): { id: string; seconds: number; startedAt: number } => ({
  id: A,
  seconds,
  startedAt: performance.now(),
});

const done: Stages = () => Promise.resolve();

/** The answer to a call whose time is up. */
const answered = (late: Promise<unknown>): Promise<Failure> =>
  within(EVENT_MS, failure('timeout', late), 'the answer');

/** Makes a call whose time is up before its work ends. */
const timesOut = (running: RunningScans, work: Work): Promise<Failure> =>
  answered(running.run(claim(0.05), work));

test('no scan runs twice at once', async ({ running, work }) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = running.run(
    claim(),
    work(() => promise),
  );
  const error = await failure('scan_in_progress', running.run(claim(), work(done)));
  assert.equal(error.facts, { scan_id: A });
  resolve();
  await first;
  await running.run(claim(), work(done));
});

test('right after a 504 the next call waits for its end', async ({ running, work }) => {
  const sheet = Promise.withResolvers<void>();
  await timesOut(
    running,
    work(() => sheet.promise),
  );
  assert.ok(running.isRunning(A));
  let began = false;
  const stages: Stages = () => {
    began = true;
    return Promise.resolve();
  };
  const next = running.run(claim(), work(stages));
  await someTurns();
  assert.not.ok(began);
  sheet.resolve();
  assert.is((await within(EVENT_MS, next)).page_count, 2);
  assert.ok(began);
});

test('of two that wait for it only one goes on', async ({ running, work }) => {
  const sheet = Promise.withResolvers<void>();
  const next = Promise.withResolvers<void>();
  await timesOut(
    running,
    work(() => sheet.promise),
  );
  const both = [1, 2].map(() =>
    running.run(
      claim(),
      work(() => next.promise),
    ),
  );
  sheet.resolve();
  await failure('scan_in_progress', within(EVENT_MS, Promise.race(both)));
  next.resolve();
  const ended = await Promise.allSettled(both);
  assert.equal(ended.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
});

test('who waits for one that does not wind up is answered that it is under way', async () => {
  const hung = Promise.withResolvers<never>();
  const hang = (): Promise<never> => hung.promise;
  const impatient = createRunningScans(capturedLog().log, { ...TIMES, answer: 10, nextCall: 10 });
  await timesOut(impatient, hang);
  await within(EVENT_MS, failure('scan_in_progress', impatient.run(claim(), hang)));
  hung.reject(new Error('at last'));
  await impatient.drain();
});

test('who waits when the service begins to stop is not begun', async ({ running, work }) => {
  const sheet = Promise.withResolvers<void>();
  await timesOut(
    running,
    work(() => sheet.promise),
  );
  const waiting = failure('shutting_down', running.run(claim(), work(done)));
  const drained = running.drain();
  sheet.resolve();
  await within(EVENT_MS, Promise.all([waiting, drained]));
});

test('a call that fails, however early, leaves the scan free', async ({ running, work }) => {
  const refused: Work = () => Promise.reject(new Failure('insufficient_storage', 'Full.'));
  const broken: Work = () => {
    throw new TypeError('a bug');
  };
  const jam: Stages = () => Promise.reject(new Failure('scanner_jammed', 'Stuck.'));
  await failure('scanner_jammed', running.run(claim(), work(jam)));
  await failure('insufficient_storage', running.run(claim(), refused));
  await failure('internal_error', running.run(claim(), broken));
  await running.run(claim(), work(done));
});

test('a hung part does not keep the caller', async ({ work }) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const deadline = heldDeadline();
  const running = createRunningScans(capturedLog().log, { ...TIMES, ...deadline.times });
  const late = running.run(
    claim(),
    work(() => (deadline.pass(), promise)),
  );
  const error = await answered(late);
  assert.is(error.facts['stage'], 'scan');
  assert.is(error.facts['page_count'], 2);
  assert.equal(error.facts['documents'], []);
  assert.ok(running.isRunning(A));
  const drained = running.drain();
  resolve();
  await within(EVENT_MS, drained, 'the end of the late scan');
  assert.not.ok(running.isRunning(A));
});

test('time counts from the call: a late one is in time', async ({ running }) => {
  const hung = Promise.withResolvers<never>();
  const late = running.run(
    { ...claim(600), startedAt: performance.now() - 599_900 },
    () => hung.promise,
  );
  const error = await answered(late);
  assert.equal(error.facts, { stage: 'scan', scan_id: A, page_count: 0, documents: [] });
  hung.reject(new Error('at last'));
  await running.drain();
});

test('a failure after the answer is handled', async ({ running, work }) => {
  const { promise, reject } = Promise.withResolvers<void>();
  // On a busy machine the time is up before the stages begin, and nothing else waits for it then.
  promise.catch(() => {});
  await timesOut(
    running,
    work(() => promise),
  );
  reject(new Error('much too late'));
  await running.drain();
  await someTurns();
});

test('draining refuses new calls and waits for those under way', async ({ running, work }) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = running.run(
    claim(),
    work(() => promise),
  );
  let isDrained = false;
  const drained = running.drain().then(() => (isDrained = true));
  await failure('shutting_down', running.run({ ...claim(), id: 'b' }, work(done)));
  assert.throws(
    () => running.checkOpen(),
    (error: unknown) => error instanceof Failure && error.code === 'shutting_down',
  );
  await someTurns();
  assert.not.ok(isDrained);
  resolve();
  await drained;
  assert.is((await first).page_count, 2);
});
