import path from 'node:path';
import pLimit from 'p-limit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { programEnvironment, startProgram } from '../../helpers/child-process.ts';
import { withFixture } from '../support/with-fixture.ts';
import type { FaultCase } from './storage-support/dying-service-process.ts';
import { checkRecovery } from './storage-support/invariants.ts';
import { createStorageBench, type StorageBench } from './storage-support/storage-bench.ts';

/** What `storage-crash.test.ts` plays at every operation, done by `kill -9` at some of them. */
const test = withFixture(suite('a service process that is killed at a file operation'), () =>
  createStorageBench(),
);

const PROGRAM = path.join(import.meta.dirname, 'storage-support/dying-service-process.ts');

/** Starting Node on a busy machine, and a scan of two small pages. */
const LIFETIME_MS = 30_000;

/** As many as a small machine has cores. */
const AT_ONCE = 2;

/** An odd number, so that before and after take turns. */
const STEP = 7;

/** A scan has some more operations; the last deaths do not come. */
const LAST = 180;

async function kill(bench: StorageBench, at: number): Promise<string | undefined> {
  const faulty = bench.newCase();
  const moment = at % 2 === 0 ? 'before' : 'after';
  const fault: FaultCase = { ...faulty.addresses, at, moment };
  const program = startProgram(
    {
      file: process.execPath,
      args: [PROGRAM],
      cwd: faulty.root,
      env: programEnvironment({ FAULT_CASE: JSON.stringify(fault) }),
    },
    { timeoutMs: LIFETIME_MS },
  );
  const { exitCode, signal, stderr } = await program.ended;
  assert.ok(exitCode === 0 || signal === 'SIGKILL', `killed ${moment} ${at}: ${stderr}`);
  await checkRecovery(bench, faulty, `killed ${moment} operation ${at}`);
  faulty.remove();
  return signal;
}

test('loses and doubles nothing, wherever it strikes', async (bench) => {
  const limit = pLimit(AT_ONCE);
  const places = Array.from({ length: Math.ceil(LAST / STEP) }, (_, index) => 1 + index * STEP);
  const signals = await Promise.all(places.map((at) => limit(() => kill(bench, at))));
  const killed = signals.filter((signal) => signal === 'SIGKILL').length;
  assert.ok(killed > 20, `only ${killed} were killed`);
});

test.run();
