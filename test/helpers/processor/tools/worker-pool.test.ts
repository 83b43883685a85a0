import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createWorkerPool } from '../../../../helpers/processor/tools/worker-pool.ts';
import type { Failure } from '../../../../helpers/failure.ts';
import { rejection } from '../../../support/rejection.ts';

/** Their order, jobs that wait, and the end of the pool: http/request-queue.test.ts. */
const test = suite('the memory of the worker pool');

const never = new AbortController().signal;

/** A job that ends when the test says so. */
function gatedJob(): { job: () => Promise<string>; open: () => void; runs: () => number } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let runs = 0;
  const job = async (): Promise<string> => {
    runs += 1;
    await promise;
    return 'done';
  };
  return { job, open: resolve, runs: () => runs };
}

test('jobs need no more memory together than there is, and keep their order', async () => {
  const pool = createWorkerPool(4, 100);
  const gates = [gatedJob(), gatedJob(), gatedJob()];
  const results = gates.map(({ job }, index) => pool.run(never, [60, 50, 10][index] ?? 0, job));
  const runs = (): number[] => gates.map((gate) => gate.runs());
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(runs(), [1, 0, 0]);
  gates[0]?.open();
  await results[0];
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(runs(), [1, 1, 1]);
  for (const { open } of gates) open();
  await Promise.all(results);
});

test('a job that needs more memory than there ever is, is page_too_large', async () => {
  const pool = createWorkerPool(1, 100 * 1024 * 1024);
  const job = (): Promise<string> => Promise.resolve('done');
  const error = await rejection(pool.run(never, 200 * 1024 * 1024, job));
  assert.is((error as Failure).code, 'page_too_large');
  assert.match((error as Failure).message, /needs 200 MB, there are 100 MB/);
  assert.is(await pool.run(never, 100 * 1024 * 1024, job), 'done');
});

test('a job that waits and is given up makes room for those behind it', async () => {
  const pool = createWorkerPool(2, 100);
  const [first, large, small] = [gatedJob(), gatedJob(), gatedJob()];
  const running = pool.run(never, 50, first.job);
  const stop = new AbortController();
  const abandoned = rejection(pool.run(stop.signal, 80, large.job));
  const waiting = pool.run(never, 50, small.job);
  stop.abort(new Error('gone'));
  assert.match(String(await abandoned), /gone/);
  small.open();
  assert.is(await waiting, 'done');
  first.open();
  await running;
});

test.run();
