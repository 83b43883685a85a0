import os from 'node:os';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../../../../helpers/failure.ts';
import {
  DOCUMENT_MEMORY_BYTES,
  pageMemory,
  pixelsWithin,
  programMemory,
} from '../../../../helpers/processor/tools/memory.ts';
import { JobFailed } from '../../../../helpers/processor/tools/python-jobs.ts';
import { scaled } from '../../../../helpers/processor/tools/time-limits.ts';
import { tryTwice } from '../../../../helpers/processor/tools/try-twice.ts';
import { createWorkerPool } from '../../../../helpers/processor/tools/worker-pool.ts';
import { createWorkspaces, isFull } from '../../../../helpers/processor/tools/workspaces.ts';
import { ENDED } from '../../../support/ended.ts';
import { assert, rejection, suite, withFixture } from '../../../support/suite.ts';
import { outputOf } from '../../../support/programs.ts';
import { takeAllDescriptors } from '../../../support/take-all-descriptors.ts';

const pool = suite('the memory of the worker pool');

const never = new AbortController().signal;

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

pool('jobs together never exceed the memory, and keep their order', async () => {
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

pool('a job that exceeds the total memory is page_too_large', async () => {
  const pool = createWorkerPool(1, 100 * 1024 * 1024);
  const job = (): Promise<string> => Promise.resolve('done');
  const error = await rejection(pool.run(never, 200 * 1024 * 1024, job));
  assert.is((error as Failure).code, 'page_too_large');
  assert.match((error as Failure).message, /needs 200 MB, there are 100 MB/);
  assert.is(await pool.run(never, 100 * 1024 * 1024, job), 'done');
});

pool('an aborted waiting job makes room for those behind it', async () => {
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

const memory = suite('memory of programs');

const GIB = 1024 ** 3;
const A4_300_DPI = 2480 * 3508;

memory('is part of that of the machine or container', () => {
  assert.ok(programMemory() > 0 && programMemory() < os.totalmem());
});

memory('of the shipped container is enough for two usual pages at a time plus a document', () => {
  const shipped = 0.6 * 3 * GIB;
  assert.ok(2 * pageMemory({ pixels: A4_300_DPI, gray: false }) + DOCUMENT_MEMORY_BYTES < shipped);
  assert.ok(2 * pageMemory({ pixels: 4 * A4_300_DPI, gray: false }) < shipped);
  assert.ok(pageMemory({ pixels: 8 * A4_300_DPI, gray: false }) < shipped);
  assert.ok(pageMemory({ pixels: 16 * A4_300_DPI, gray: true }) < shipped);
  assert.ok(pageMemory({ pixels: 289_000_000, gray: true }) > shipped);
});

memory('grows with the page, and states how many pixels fit', () => {
  const bytes = pageMemory({ pixels: A4_300_DPI, gray: false });
  assert.is(pixelsWithin(bytes), A4_300_DPI);
  assert.is(pixelsWithin(1), 0);
});

const times = suite('time limits');

times(
  'a usual page, and a smaller one, has the usual limit, a larger one more in proportion',
  () => {
    assert.is(scaled(1000, { width: 2480, height: 3508 }), 1000);
    assert.is(scaled(1000, { width: 10, height: 10 }), 1000);
    assert.is(scaled(1000, { width: 2480 * 2, height: 3508 * 2 }), 4000);
  },
);

const twice = suite('retries');

const END = { ...ENDED, exitCode: undefined, signal: 'SIGKILL' } as const;
const KILLED = new JobFailed('compose', 'was killed', END);

function failing(times: number, error: Error): { run: () => Promise<number>; runs: () => number } {
  let runs = 0;
  const run = (): Promise<number> => {
    runs += 1;
    return runs > times ? Promise.resolve(runs) : Promise.reject(error);
  };
  return { run, runs: () => runs };
}

twice('timeouts and permanent failures are not retried', async () => {
  const late = new JobFailed('compose', 'was ended', { ...END, timedOut: true });
  const stopped = new DOMException('', 'TimeoutError');
  for (const error of [late, stopped, new Failure('unreadable_page', 'broken')]) {
    const { run, runs } = failing(1, error);
    assert.is(await rejection(tryTwice(run, never)), error);
    assert.is(runs(), 1);
  }
});

twice('work aborted during the pause is not retried', async () => {
  const stop = new AbortController();
  const { run, runs } = failing(1, KILLED);
  const given = rejection(tryTwice(run, stop.signal));
  setImmediate(() => stop.abort(new Error('gone')));
  assert.is(await given, stop.signal.reason);
  assert.is(runs(), 1);
});

const rooms = withFixture('workspaces', async (root) => ({ root }));

const endedPid = async (): Promise<number> => Number(await outputOf('sh', ['-c', 'echo $$']));

rooms('gives each request an empty directory that nobody else can read', async ({ root }) => {
  const workspaces = await createWorkspaces(root);
  const [one, other] = [await workspaces.create(), await workspaces.create()];
  assert.is.not(one.directory, other.directory);
  assert.equal(await readdir(one.directory), []);
  assert.is((await stat(one.directory)).mode & 0o777, 0o700);
});

rooms('removes what a request left, and a second time does no harm', async ({ root }) => {
  const workspaces = await createWorkspaces(root);
  const workspace = await workspaces.create();
  const { directory } = workspace;
  await mkdir(path.join(directory, 'deep'));
  await writeFile(path.join(directory, 'deep/file'), 'x');
  await workspace.remove();
  await workspace.remove();
  assert.equal(await readdir(path.dirname(directory)), []);
});

rooms('what cannot be removed now is removed with the next workspace', async ({ root }) => {
  const workspaces = await createWorkspaces(root);
  const [one, other] = [await workspaces.create(), await workspaces.create()];
  await writeFile(path.join(one.directory, 'page.pdf'), 'x');
  const giveBack = await takeAllDescriptors();
  try {
    await one.remove();
  } finally {
    await giveBack();
  }
  assert.is((await readdir(path.dirname(one.directory))).length, 2);
  await other.remove();
  assert.equal(await readdir(path.dirname(one.directory)), []);
});

rooms('removes everything in the end', async ({ root }) => {
  const workspaces = await createWorkspaces(root);
  await writeFile(path.join((await workspaces.create()).directory, 'file'), 'x');
  await workspaces.removeAll();
  assert.equal(await readdir(root), []);
});

for (const what of ['its own directory', 'its root']) {
  rooms(`works on after somebody removed ${what}`, async ({ root: parent }) => {
    const root = path.join(parent, 'not/there/yet');
    const workspaces = await createWorkspaces(root);
    const own = path.dirname((await workspaces.create()).directory);
    await rm(what === 'its root' ? root : own, { recursive: true });
    const created = await Promise.all([1, 2, 3].map(() => workspaces.create()));
    for (const { directory } of created) {
      assert.is((await stat(path.dirname(directory))).mode & 0o777, 0o700);
      await writeFile(path.join(directory, 'file'), 'x');
    }
    assert.is(new Set(created.map(({ directory }) => directory)).size, 3);
    await workspaces.removeAll();
    assert.equal(await readdir(root), []);
  });
}

rooms('removes only what killed processors left', async ({ root }) => {
  const dead = `scan-processor-${await endedPid()}-abcdef`;
  const own = `scan-processor-${process.pid}-abcdef`;
  const alive = `scan-processor-${process.ppid}-abcdef`;
  const others = 'scan-processor-x';
  for (const name of [dead, own, alive, others])
    await mkdir(path.join(root, name, 'request-1'), { recursive: true });
  await createWorkspaces(root);
  const left = await readdir(root);
  const isLeft = [dead, own, alive, others].map((name) => left.includes(name));
  assert.equal(isLeft, [false, false, true, true]);
});

rooms('distinguishes a full file system from one with room', async ({ root }) => {
  assert.is(await isFull(root), false);
  // /proc is a file system without free space.
  assert.is(await isFull('/proc'), true);
});
