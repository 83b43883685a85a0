import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { afterDeadline, createDeadline, timeoutFailure } from '../../../service/scan/deadline.ts';
import { within } from '../../support/within.ts';

/** For what a test waits for, on a machine however busy. */
const EVENT_MS = 60_000;

const test = suite('the deadline of a call');

/** Timers of AbortSignal.timeout do not keep a process alive; a server does. */
const keepAlive = setInterval(() => {}, 1000);
test.after(() => clearInterval(keepAlive));

const never = new AbortController().signal;

test('aborts its signal when the time has passed', async () => {
  const deadline = createDeadline(0.02, performance.now());
  assert.not.ok(deadline.signal.aborted);
  await within(EVENT_MS, afterDeadline(deadline, 0, never));
  assert.ok(deadline.signal.aborted);
});

test('counts from the moment the call came, not from when it is made', async () => {
  const deadline = createDeadline(60, performance.now() - 60_000);
  await within(EVENT_MS, afterDeadline(deadline, 0, never));
  assert.ok(deadline.signal.aborted);
});

test('the wait after a deadline that has passed already is the extra time only', async () => {
  const deadline = createDeadline(0, performance.now());
  await within(EVENT_MS, afterDeadline(deadline, 0, never));
  const began = performance.now();
  await within(EVENT_MS, afterDeadline(deadline, 30, never));
  assert.ok(performance.now() - began >= 25);
});

test('a wait that is stopped leaves no timer', async () => {
  const stop = new AbortController();
  const deadline = createDeadline(0, performance.now());
  void afterDeadline(deadline, 60_000, stop.signal);
  await within(EVENT_MS, afterDeadline(deadline, 0, never));
  stop.abort();
  const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout');
  assert.ok(timers.length <= 2, String(timers));
});

test('the failure names the stage, the seconds and the setting to raise', () => {
  const failure = timeoutFailure(createDeadline(7, performance.now()), 'process');
  assert.is(failure.code, 'timeout');
  assert.is(failure.status, 504);
  assert.match(failure.message, /within 7 s.*"process".*timeout_seconds/);
  assert.equal(failure.facts, { stage: 'process' });
});

test.run();
