import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createWorkerPool } from '../../../../helpers/processor/tools/worker-pool.ts';
import type { Failure } from '../../../../helpers/failure.ts';
import { rejection } from '../../../support/rejection.ts';

const test = suite('the worker pool');

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

test('runs no more jobs at once than it is large, in the order they came', async () => {
  const pool = createWorkerPool(2);
  const gates = [gatedJob(), gatedJob(), gatedJob()];
  const results = gates.map(({ job }) => pool.run(never, 0, job));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(
    gates.map(({ runs }) => runs()),
    [1, 1, 0],
  );
  gates[0]?.open();
  await results[0];
  await new Promise((resolve) => setImmediate(resolve));
  assert.is(gates[2]?.runs(), 1);
  for (const { open } of gates) open();
  assert.equal(await Promise.all(results), ['done', 'done', 'done']);
});

test('a job that waits is given up at once when it is aborted, and never begins', async () => {
  const pool = createWorkerPool(1);
  const [first, second] = [gatedJob(), gatedJob()];
  const running = pool.run(never, 0, first.job);
  const stop = new AbortController();
  const waiting = pool.run(stop.signal, 0, second.job);
  stop.abort(new Error('gone'));
  assert.match(String(await rejection(waiting)), /gone/);
  first.open();
  assert.is(await running, 'done');
  assert.is(await pool.run(never, 0, () => Promise.resolve('next')), 'next');
  assert.is(second.runs(), 0);
});

test('a job that fails makes room for the next', async () => {
  const pool = createWorkerPool(1);
  const failing = pool.run(never, 0, () => Promise.reject(new Error('broken')));
  assert.match(String(await rejection(failing)), /broken/);
  assert.is(await pool.run(never, 0, () => Promise.resolve('next')), 'next');
});

test('a closed pool begins nothing: what waits and what comes is rejected, what runs may finish', async () => {
  const pool = createWorkerPool(1);
  const { job, open } = gatedJob();
  const running = pool.run(never, 0, job);
  const waiting = pool.run(never, 0, () => Promise.resolve('never'));
  await new Promise((resolve) => setImmediate(resolve));
  pool.close(new Error('closing'));
  assert.match(String(await rejection(waiting)), /closing/);
  assert.match(String(await rejection(pool.run(never, 0, job))), /closing/);
  open();
  assert.is(await running, 'done');
});

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
