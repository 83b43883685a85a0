import { setTimeout as wait } from 'node:timers/promises';
import { processorMsOf } from '../processes.ts';
import { sendTo } from '../send-to.ts';
import { assert } from '../suite.ts';
import type { Part } from './part.ts';

/** A caller is promised its answer within this time after it is due. In milliseconds. */
const PROMISED_MS = 1000;

/** Between two questions to the service while an answer is late. In milliseconds. */
const ASK_EVERY_MS = 50;

/** Makes a call whose answer is due after `dueMs`, and fails where it comes later than is promised. */
export async function answeredInTime<Answer>(
  service: Part,
  dueMs: number,
  call: () => Promise<Answer>,
): Promise<Answer> {
  const dueAt = performance.now() + dueMs;
  const over = new AbortController();
  const excused = timeStoodStill(service, dueAt, over.signal);
  // It is awaited below; a call that fails comes first.
  excused.catch(() => {});
  const answer = await call().finally(() => over.abort());
  const late = performance.now() - dueAt;
  const ownFault = Math.round(late - (await excused));
  assert.ok(ownFault < PROMISED_MS, `${Math.round(late)} ms late, ${ownFault} by itself`);
  return answer;
}

/**
 * How long the service could not run from when something was due until it came, because the machine had other work: what it
 * took to answer questions that it can answer at once, but for the time in which it did run. In milliseconds.
 */
async function timeStoodStill(service: Part, dueAt: number, over: AbortSignal): Promise<number> {
  await wait(dueAt - performance.now());
  let stoodStill = performance.now() - dueAt;
  while (!over.aborted) {
    const began = performance.now();
    const before = processorMsOf(service.pid());
    await wait(ASK_EVERY_MS);
    await sendTo(service.port(), { path: '/health' });
    const worked = processorMsOf(service.pid()) - before;
    stoodStill += Math.max(0, performance.now() - began - ASK_EVERY_MS - worked);
  }
  return stoodStill;
}
