import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  programEnvironment,
  startProgram,
  type RunningProgram,
} from '../../../helpers/child-process.ts';
import { readScanRecord } from '../../../service/archive/scan-archive.ts';
import { createDeadline } from '../../../service/scan/deadline.ts';
import { deliverScan } from '../../../service/scan/deliver-scan.ts';
import { openScan } from '../../../service/scan/open-scan.ts';
import type { ScannedDocument } from '../../../service/scan/scan-record.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { createSampleDms, type SampleDms } from '../../../simulators/sample-dms/sample-dms.ts';
import type { DmsEvents } from '../../../simulators/sample-dms/upload.ts';
import { sha256 } from '../../support/scan-parts.ts';
import { storedRecord, storeScan } from '../../support/stored-scan.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { withFixture } from '../../support/with-fixture.ts';
import type { KilledDelivery } from './killed-delivery-process.ts';

interface Fixture {
  readonly dms: SampleDms;
  /** Of a scan with three documents for two destinations, none of which was sent. */
  readonly directory: string;
  /** Begins to deliver it in a process of its own. */
  readonly start: (kill: Pick<KilledDelivery, 'answered' | 'moment'>) => RunningProgram;
  close(): Promise<void>;
}

const TOKEN = 'a-token-of-this-test';
const PROGRAM = path.join(import.meta.dirname, 'killed-delivery-process.ts');

/** Starting Node on a busy machine, and some uploads. */
const LIFETIME_MS = 30_000;

const DOCUMENTS = 3;
const UPLOADS = 2 * DOCUMENTS;

const test = withFixture<Fixture>(suite('a delivery that is killed'), async () => {
  const temporary = await temporaryDirectory();
  const storeDir = path.join(temporary.path, 'dms');
  const dms = await createSampleDms({ tokens: [TOKEN], storeDir });
  const destinations = [dms.url, dms.url].map((base_url) => ({ kind: 'dms', base_url }));
  const documents = Array.from({ length: DOCUMENTS }, (_, index) => documentOf(index));
  const directory = await storeScan(temporary.path, storedRecord({ documents }, { destinations }));
  for (const [index, { filename }] of documents.entries()) {
    await writeFile(path.join(directory, filename), contentOf(index));
  }
  const start: Fixture['start'] = (kill) => {
    const order: KilledDelivery = { directory, token: TOKEN, ...kill };
    const args = [PROGRAM, JSON.stringify(order)];
    const program = { file: process.execPath, args, cwd: directory, env: programEnvironment() };
    return startProgram(program, { timeoutMs: LIFETIME_MS });
  };
  const close = async (): Promise<void> => {
    await dms.close();
    await temporary.remove();
  };
  return { dms, directory, start, close };
});

const contentOf = (index: number): string => `%PDF-1.4 document ${index + 1}\n%%EOF\n`;

function documentOf(index: number): ScannedDocument {
  return {
    filename: `document-000${index + 1}.pdf`,
    pages: [index + 1],
    page_count: 1,
    bytes: contentOf(index).length,
    sha256: sha256(contentOf(index)),
    title: `Tea ${index + 1}`,
    destinations: [],
    outcomes: [],
  };
}

/** Outcomes in the order of the uploads; those that were never begun are missing. */
async function outcomesIn(directory: string): Promise<string[]> {
  return (await readScanRecord(directory)).documents.flatMap(({ outcomes }) => outcomes);
}

/** Delivers the rest as `resume` does. */
async function resume(directory: string): Promise<void> {
  const record = await readScanRecord(directory);
  const options = { id: record.scan_id, deadline: createDeadline(20), log: capturedLog().log };
  const start = { state: 'delivering', stage: 'deliver', pages: record.pages } as const;
  const scan = await openScan(directory, record, options, start);
  await deliverScan(scan, { readSecret: () => Promise.resolve(TOKEN) });
}

/** Resumed, every document is where it was to go, but the one of which nobody knows; none is there twice. */
async function checkResumed({ dms, directory }: Fixture, arrived: number): Promise<void> {
  const lost = (await outcomesIn(directory)).indexOf('unknown');
  await resume(directory);
  const outcomes = await outcomesIn(directory);
  const expected = Array.from({ length: UPLOADS }, () => 'accepted');
  if (lost >= 0) expected[lost] = 'unknown';
  assert.equal(outcomes, expected);
  const stored = dms.uploads().filter(({ status }) => status === 200);
  assert.is(stored.length, lost >= 0 && arrived === lost ? UPLOADS - 1 : UPLOADS);
  const names = new Set(stored.map(({ filename }) => filename));
  assert.is(names.size, DOCUMENTS);
}

const accepted = (count: number): string[] => Array.from({ length: count }, () => 'accepted');

for (const answered of [1, 2, 5]) {
  test(`right after answer ${answered}, before it is written: that upload is unknown, none after it has begun`, async (fixture) => {
    const { signal, stderr } = await fixture.start({ answered, moment: 'told' }).ended;
    assert.is(signal, 'SIGKILL', stderr);
    assert.equal(await outcomesIn(fixture.directory), [...accepted(answered - 1), 'unknown']);
    assert.is(fixture.dms.uploads().length, answered);
    await checkResumed(fixture, answered);
  });

  test(`while answer ${answered} is written: nothing more was sent, and nothing is sent twice`, async (fixture) => {
    const { signal, stderr } = await fixture.start({ answered, moment: 'writing' }).ended;
    assert.is(signal, 'SIGKILL', stderr);
    assert.is(fixture.dms.uploads().length, answered);
    // Whether the line was written whole is up to the kernel.
    const outcomes = (await outcomesIn(fixture.directory)).join(' ');
    const old = [...accepted(answered - 1), 'unknown'].join(' ');
    const written = [...accepted(answered), 'unknown'].join(' ');
    assert.ok([old, written].includes(outcomes), outcomes);
    await checkResumed(fixture, answered);
  });
}

/** Moments at which the system sees the third upload. */
const SEEN: (keyof DmsEvents)[] = ['upload_started', 'body_received'];

for (const moment of SEEN) {
  test(`when the third upload has come to ${moment}: it is unknown, the others are delivered`, async (fixture) => {
    const { dms, directory, start } = fixture;
    dms.setFault({ kind: 'delay', ms: 20 });
    const program = start({ answered: 0, moment: 'never' });
    let seen = 0;
    dms.events.on(moment, () => {
      seen += 1;
      if (seen === 3) program.kill('SIGKILL');
    });
    const { signal, stderr } = await program.ended;
    assert.is(signal, 'SIGKILL', stderr);
    assert.equal(await outcomesIn(directory), ['accepted', 'accepted', 'unknown']);
    dms.setFault(undefined);
    await resume(directory);
    assert.equal((await outcomesIn(directory)).toSpliced(2, 1), accepted(UPLOADS - 1));
    // Three before, of which the third may be cut off, and three more.
    assert.is(dms.uploads().length, UPLOADS);
  });
}

test.run();
