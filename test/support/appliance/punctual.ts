import { setTimeout as wait } from 'node:timers/promises';
import { processorMsOf } from '../processes.ts';
import { sendTo } from '../send-to.ts';
import { assert } from '../suite.ts';
import type { Part } from './part.ts';

/** How late an answer may be, in milliseconds. */
const PROMISED_MS = 1000;

/** How often to probe the service while an answer is late. */
const ASK_EVERY_MS = 50;

/**
 * Fails if the answer is late through the service's own fault, not because the machine was busy.
 */
export async function answeredInTime<Answer>(
  service: Part,
  dueMs: number,
  call: () => Promise<Answer>,
): Promise<Answer> {
  const dueAt = performance.now() + dueMs;
  const over = new AbortController();
  const excused = timeStoodStill(service, dueAt, over.signal);
  // If `call` fails, nothing awaits `excused`, whose rejection must not count as unhandled.
  excused.catch(() => {});
  const answer = await call().finally(() => over.abort());
  const late = performance.now() - dueAt;
  const ownFault = Math.round(late - (await excused));
  assert.ok(ownFault < PROMISED_MS, `${Math.round(late)} ms late, ${ownFault} by itself`);
  return answer;
}

/**
 * Milliseconds since `dueAt` in which the busy machine gave the service no CPU: the time that the
 * service took to answer /health, minus the CPU time it used.
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
