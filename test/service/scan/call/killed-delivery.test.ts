import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  programEnvironment,
  startProgram,
  type RunningProgram,
} from '../../../../helpers/child-process.ts';
import type { SampleDms } from '../../../../simulators/sample-dms/sample-dms.ts';
import type { DmsEvents } from '../../../../simulators/sample-dms/upload.ts';
import {
  assembled,
  begun,
  page,
  planned,
  STORED_ID,
  storeScan,
} from '../../../support/stored-scan.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import type { KilledDelivery } from './killed-delivery-process.ts';
import { createScanBench } from './scan-bench.ts';

interface Fixture {
  readonly dms: SampleDms;
  /** Begins to deliver three documents to two destinations, in a process of its own. */
  readonly start: (kill: Pick<KilledDelivery, 'answered' | 'moment'>) => RunningProgram;
  /** Delivers the rest. */
  readonly resume: () => Promise<void>;
  /** Outcomes in the order of the uploads; those that were never begun are missing. */
  readonly outcomes: () => Promise<string[]>;
  close(): Promise<void>;
}

const PROGRAM = path.join(import.meta.dirname, 'killed-delivery-process.ts');

/** Starting Node on a busy machine, and some uploads. */
const LIFETIME_MS = 120_000;

const DOCUMENTS = 3;
const UPLOADS = 2 * DOCUMENTS;

const test = withFixture<Fixture>(suite('a delivery that is killed'), async () => {
  const bench = await createScanBench();
  const { root, dms } = bench;
  const destinations = ['one', 'two'].map((token_secret) => ({
    kind: 'dms',
    base_url: dms.url,
    token_secret,
  }));
  const numbers = Array.from({ length: DOCUMENTS }, (_, index) => index + 1);
  await storeScan(root, [
    begun({ destinations, paths: { output_dir: root } }),
    ...numbers.map((number) => page(number)),
    planned(...numbers.map((number) => [number])),
    ...numbers.map((number) => assembled(number - 1)),
  ]);
  return {
    dms,
    start: (kill) => {
      const order: KilledDelivery = { root, id: STORED_ID, token: dms.token, ...kill };
      const args = [PROGRAM, JSON.stringify(order)];
      const program = { file: process.execPath, args, cwd: root, env: programEnvironment() };
      return startProgram(program, { timeoutMs: LIFETIME_MS });
    },
    resume: async () => {
      const { scans } = await bench.start();
      await scans.resume(STORED_ID);
    },
    outcomes: async () =>
      (await bench.stored(STORED_ID)).documents.flatMap(({ outcomes }) => outcomes),
    close: () => bench.close(),
  };
});

const accepted = (count: number): string[] => Array.from({ length: count }, () => 'accepted');

/** Resumed, every document is where it belongs, but the one of which nobody knows; none is there twice. */
async function checkResumed({ dms, resume, outcomes }: Fixture, arrived: number): Promise<void> {
  const lost = (await outcomes()).indexOf('unknown');
  await resume();
  const expected = accepted(UPLOADS);
  if (lost >= 0) expected[lost] = 'unknown';
  assert.equal(await outcomes(), expected);
  const stored = dms.uploads().filter(({ status }) => status === 200);
  assert.is(stored.length, lost >= 0 && arrived === lost ? UPLOADS - 1 : UPLOADS);
  const names = new Set(stored.map(({ filename }) => filename));
  assert.is(names.size, DOCUMENTS);
}

for (const answered of [1, 2, 5]) {
  test(`right after answer ${answered}, before it is written: that upload is unknown, none after it has begun`, async (fixture) => {
    const { signal, stderr } = await fixture.start({ answered, moment: 'answered' }).ended;
    assert.is(signal, 'SIGKILL', stderr);
    assert.equal(await fixture.outcomes(), [...accepted(answered - 1), 'unknown']);
    assert.is(fixture.dms.uploads().length, answered);
    await checkResumed(fixture, answered);
  });

  test(`while answer ${answered} is written: nothing more was sent, and nothing is sent twice`, async (fixture) => {
    const { signal, stderr } = await fixture.start({ answered, moment: 'writing' }).ended;
    assert.is(signal, 'SIGKILL', stderr);
    assert.is(fixture.dms.uploads().length, answered);
    // Whether the line was written whole is up to the kernel.
    const outcomes = (await fixture.outcomes()).join(' ');
    const before = [...accepted(answered - 1), 'unknown'].join(' ');
    const ended = accepted(answered).join(' ');
    const begun = [...accepted(answered), 'unknown'].join(' ');
    assert.ok([before, ended, begun].includes(outcomes), outcomes);
    await checkResumed(fixture, answered);
  });
}

/** Moments at which the system sees the third upload. */
const SEEN: (keyof DmsEvents)[] = ['upload_started', 'body_received'];

for (const moment of SEEN) {
  test(`when the third upload has come to ${moment}: it is unknown, the others are delivered`, async (fixture) => {
    const { dms, start, resume, outcomes } = fixture;
    dms.setFault({ kind: 'delay', ms: 20 });
    const program = start({ answered: 0, moment: 'never' });
    let seen = 0;
    dms.events.on(moment, () => {
      seen += 1;
      if (seen === 3) program.kill('SIGKILL');
    });
    const { signal, stderr } = await program.ended;
    assert.is(signal, 'SIGKILL', stderr);
    assert.equal(await outcomes(), ['accepted', 'accepted', 'unknown']);
    dms.setFault(undefined);
    await resume();
    assert.equal((await outcomes()).toSpliced(2, 1), accepted(UPLOADS - 1));
    // Three before, of which the third may be cut off, and three more.
    assert.is(dms.uploads().length, UPLOADS);
  });
}

test.run();
