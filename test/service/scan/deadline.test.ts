import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { afterDeadline, createDeadline } from '../../../service/scan/deadline.ts';
import { within } from '../../support/within.ts';

/** For what a test waits for, on a machine however busy. */
const EVENT_MS = 60_000;

const test = suite('the deadline of a call');

/** Timers of AbortSignal.timeout do not keep a process alive; a server does. */
const keepAlive = setInterval(() => {}, 1000);
test.after(() => clearInterval(keepAlive));

const never = new AbortController().signal;

test('the wait after a deadline that has passed already is the extra time only', async () => {
  const deadline = createDeadline(0, performance.now());
  await within(EVENT_MS, afterDeadline(deadline, 0, never));
  const began = performance.now();
  await within(EVENT_MS, afterDeadline(deadline, 30, never));
  assert.ok(performance.now() - began >= 25);
});

test.run();
