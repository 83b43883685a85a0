import { setTimeout as wait } from 'node:timers/promises';
import { processorMsOf } from '../processes.ts';
import { sendTo } from '../send-to.ts';
import { assert } from '../suite.ts';
import type { Part } from './part.ts';

/** Answers must arrive within this many milliseconds of being due. */
const PROMISED_MS = 1000;

/** Interval between probes of the service while an answer is late, in milliseconds. */
const ASK_EVERY_MS = 50;

/** Makes a call whose answer is due after `dueMs`, and fails if the service itself made it late. */
export async function answeredInTime<Answer>(
  service: Part,
  dueMs: number,
  call: () => Promise<Answer>,
): Promise<Answer> {
  const dueAt = performance.now() + dueMs;
  const over = new AbortController();
  const excused = timeStoodStill(service, dueAt, over.signal);
  // Awaited below; this keeps a failing call from being masked by an unhandled rejection.
  excused.catch(() => {});
  const answer = await call().finally(() => over.abort());
  const late = performance.now() - dueAt;
  const ownFault = Math.round(late - (await excused));
  assert.ok(ownFault < PROMISED_MS, `${Math.round(late)} ms late, ${ownFault} by itself`);
  return answer;
}

/**
 * How long, in milliseconds, a busy machine kept the service from running after the due time: the
 * time it took to answer trivial probes, minus its CPU time.
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
