import { setTimeout as wait } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { processorMsOf } from '../processes.ts';
import { sendTo } from '../test-app.ts';
import type { Part } from './part.ts';

/** A caller is promised its answer within this time after it is due. In milliseconds. */
const PROMISED_MS = 1000;

/** Makes a call whose answer is due after `dueMs`, and fails where it comes later than is promised. */
export async function answeredInTime<Answer>(
  service: Part,
  dueMs: number,
  call: () => Promise<Answer>,
): Promise<Answer> {
  const dueAt = performance.now() + dueMs;
  const excused = timeStoodStill(service, dueAt);
  // It is awaited below; a call that fails comes first.
  excused.catch(() => {});
  const answer = await call();
  const late = performance.now() - dueAt;
  const ownFault = late - (await excused);
  assert.ok(
    ownFault < PROMISED_MS,
    `${Math.round(late)} ms late, ${Math.round(ownFault)} by itself`,
  );
  return answer;
}

/**
 * How long the service could not run when something was due, because the machine had other work: until it answered a question
 * that it can answer at once, but for the time in which it did run. In milliseconds.
 */
async function timeStoodStill(service: Part, dueAt: number): Promise<number> {
  await wait(dueAt - performance.now());
  const before = processorMsOf(service.pid());
  await sendTo(service.port(), { path: '/health' });
  return performance.now() - dueAt - (processorMsOf(service.pid()) - before);
}
