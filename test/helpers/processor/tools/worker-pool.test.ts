import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createWorkerPool } from '../../../../helpers/processor/tools/worker-pool.ts';
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
  const results = gates.map(({ job }) => pool.run(never, job));
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
  const running = pool.run(never, first.job);
  const stop = new AbortController();
  const waiting = pool.run(stop.signal, second.job);
  stop.abort(new Error('gone'));
  assert.match(String(await rejection(waiting)), /gone/);
  first.open();
  assert.is(await running, 'done');
  assert.is(await pool.run(never, () => Promise.resolve('next')), 'next');
  assert.is(second.runs(), 0);
});

test('a job whose signal was aborted before does not begin', async () => {
  const pool = createWorkerPool(1);
  const { job, runs } = gatedJob();
  const aborted = AbortSignal.abort(new Error('too late'));
  assert.match(String(await rejection(pool.run(aborted, job))), /too late/);
  assert.is(runs(), 0);
});

test('a job that runs is waited for, also when it is aborted', async () => {
  const pool = createWorkerPool(1);
  const { job, open } = gatedJob();
  const stop = new AbortController();
  const running = pool.run(stop.signal, job);
  await new Promise((resolve) => setImmediate(resolve));
  stop.abort(new Error('gone'));
  open();
  assert.is(await running, 'done');
});

test('a job that fails makes room for the next', async () => {
  const pool = createWorkerPool(1);
  const failing = pool.run(never, () => Promise.reject(new Error('broken')));
  assert.match(String(await rejection(failing)), /broken/);
  assert.is(await pool.run(never, () => Promise.resolve('next')), 'next');
});

test('a closed pool begins nothing: what waits and what comes is rejected, what runs may finish', async () => {
  const pool = createWorkerPool(1);
  const { job, open } = gatedJob();
  const running = pool.run(never, job);
  const waiting = pool.run(never, () => Promise.resolve('never'));
  await new Promise((resolve) => setImmediate(resolve));
  pool.close(new Error('closing'));
  assert.match(String(await rejection(waiting)), /closing/);
  assert.match(String(await rejection(pool.run(never, job))), /closing/);
  open();
  assert.is(await running, 'done');
});

test.run();
