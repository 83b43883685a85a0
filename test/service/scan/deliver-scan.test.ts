import { cpSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readScanRecord } from '../../../service/archive/scan-archive.ts';
import { createDeadline } from '../../../service/scan/deadline.ts';
import {
  DEFAULT_REDELIVERY,
  deliverScan,
  isToBeSent,
  type Redelivery,
} from '../../../service/scan/deliver-scan.ts';
import { openScan } from '../../../service/scan/open-scan.ts';
import type { Scan } from '../../../service/scan/scan-call.ts';
import type { ScannedDocument } from '../../../service/scan/scan-record.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { rejection } from '../../support/rejection.ts';
import { createSampleDms, type SampleDms } from '../../../simulators/sample-dms/sample-dms.ts';
import { sha256 } from '../../support/scan-parts.ts';
import { storedRecord, storeScan } from '../../support/stored-scan.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { withFixture } from '../../support/with-fixture.ts';

type Outcome = ScannedDocument['outcomes'][number];

interface Fixture {
  readonly root: string;
  readonly dms: SampleDms;
  /** A scan with a document for each list, delivered to two destinations with those outcomes. */
  readonly scan: (outcomes: readonly Outcome[][], destinations?: string[]) => Promise<Scan>;
  close(): Promise<void>;
}

const TOKEN = 'a-token-of-this-test';

const test = withFixture<Fixture>(suite('delivering a scan'), async () => {
  const temporary = await temporaryDirectory();
  const root = temporary.path;
  const dms = await createSampleDms({ tokens: [TOKEN], storeDir: path.join(root, 'dms') });
  const scan: Fixture['scan'] = async (outcomes, urls = [dms.url, dms.url]) => {
    const destinations = urls.map((base_url) => ({ kind: 'dms', base_url }));
    const documents = outcomes.map((list, index): ScannedDocument => {
      const content = contentOf(index);
      return {
        filename: `document-000${index + 1}.pdf`,
        pages: [index + 1],
        page_count: 1,
        bytes: content.length,
        sha256: sha256(content),
        title: `Tea ${index + 1}`,
        destinations: list.map((outcome) =>
          outcome === 'accepted'
            ? { status: 'submitted', task_id: 'earlier' }
            : { status: 'failed', error: 'earlier' },
        ),
        outcomes: list,
      };
    });
    const initial = storedRecord({ documents }, { destinations });
    const directory = await storeScan(root, initial);
    for (const [index, { filename }] of documents.entries()) {
      await writeFile(path.join(directory, filename), contentOf(index));
    }
    const options = { id: initial.scan_id, deadline: createDeadline(20), log: capturedLog().log };
    const start = { state: 'delivering', stage: 'deliver', pages: initial.pages } as const;
    return openScan(directory, initial, options, start);
  };
  const close = async (): Promise<void> => {
    await dms.close();
    await temporary.remove();
  };
  return { root, dms, scan, close };
});

const outcomesIn = async (directory: string): Promise<(readonly Outcome[])[]> =>
  (await readScanRecord(directory)).documents.map(({ outcomes }) => outcomes);

const contentOf = (index: number): string => `%PDF-1.4 document ${index + 1}\n%%EOF\n`;
const parts = { readSecret: () => Promise.resolve(TOKEN) };

/** Which uploads are made, by what is known of them and what the caller asks for. */
const TABLE: [Outcome | undefined, Redelivery, boolean][] = [
  undefined,
  'accepted' as const,
  'refused' as const,
  'unknown' as const,
].flatMap((outcome) =>
  [false, true].flatMap((redeliverFailed) =>
    [false, true].map((resendUnknown): [Outcome | undefined, Redelivery, boolean] => {
      const isSent = {
        none: true,
        accepted: false,
        refused: redeliverFailed,
        unknown: resendUnknown,
      }[outcome ?? 'none'];
      return [outcome, { redeliverFailed, resendUnknown }, isSent];
    }),
  ),
);

for (const [outcome, redelivery, isSent] of TABLE) {
  const { redeliverFailed, resendUnknown } = redelivery;
  const asked = `redeliver_failed ${redeliverFailed}, resend_unknown ${resendUnknown}`;
  test(`${outcome ?? 'never tried'} is ${isSent ? 'sent' : 'left alone'} with ${asked}`, () => {
    assert.is(isToBeSent(outcome, redelivery), isSent);
  });
}

test('unless asked, what was refused is sent and what is unknown is not', () => {
  assert.equal(DEFAULT_REDELIVERY, { redeliverFailed: true, resendUnknown: false });
});

test('sends only what is left, and keeps every entry in its place', async ({ dms, scan }) => {
  const one = await scan([
    ['accepted', 'unknown'],
    ['refused', 'accepted'],
    ['unknown', 'refused'],
    ['accepted'],
    [],
  ]);
  await deliverScan(one, parts);
  const { documents } = one.record.current();
  assert.equal(
    documents.map(({ outcomes }) => outcomes.map((outcome) => outcome.slice(0, 1)).join('')),
    ['au', 'aa', 'ua', 'aa', 'aa'],
  );
  assert.is(documents[0]?.destinations[0]?.status, 'submitted');
  assert.equal(documents[0]?.destinations[1], { status: 'failed', error: 'earlier' });
  assert.equal(
    dms.uploads().map(({ filename }) => filename?.slice(-8, -4)),
    ['0002', '0003', '0004', '0005', '0005'],
  );
});

test('what is on disk while an upload is under way says that nobody knows of it, and what became of those before', async ({
  root,
  dms,
  scan,
}) => {
  const one = await scan([['refused'], []]);
  const snapshots: string[] = [];
  const snapshot = (): void => {
    const copy = path.join(root, `snapshot-${snapshots.length}`, one.id);
    cpSync(one.directory, copy, { recursive: true });
    snapshots.push(copy);
  };
  dms.events.on('upload_started', snapshot);
  dms.events.on('body_received', snapshot);
  await deliverScan(one, parts);
  const seen = await Promise.all(snapshots.map(async (copy) => outcomesIn(copy)));
  assert.equal(seen, [
    [['unknown'], []],
    [['unknown'], []],
    [['accepted', 'unknown'], []],
    [['accepted', 'unknown'], []],
    [['accepted', 'accepted'], ['unknown']],
    [['accepted', 'accepted'], ['unknown']],
    [
      ['accepted', 'accepted'],
      ['accepted', 'unknown'],
    ],
    [
      ['accepted', 'accepted'],
      ['accepted', 'unknown'],
    ],
  ]);
});

test('who asks for the record between two uploads is told of the one that just ended', async ({
  dms,
  scan,
}) => {
  const one = await scan([[]]);
  const seen: (readonly Outcome[] | undefined)[] = [];
  dms.events.on('upload_started', () => seen.push(one.record.current().documents[0]?.outcomes));
  await deliverScan(one, parts);
  assert.equal(seen, [['unknown'], ['accepted', 'unknown']]);
});

test('when all is delivered scan.json says so by itself', async ({ scan }) => {
  const one = await scan([[], []]);
  await deliverScan(one, parts);
  assert.not.ok((await readdir(one.directory)).includes('deliveries.jsonl'));
  const stored = JSON.parse(await readFile(path.join(one.directory, 'scan.json'), 'utf8'));
  assert.equal(stored, one.record.current());
});

test('nothing is sent that the record could not announce', async ({ root, dms, scan }) => {
  const one = await scan([[]]);
  await rm(path.join(root, one.id), { recursive: true });
  await rejection(deliverScan(one, parts));
  assert.is(dms.uploads().length, 0);
});

test('a deadline that has passed begins no upload and is told', async ({ dms, scan }) => {
  const one = await scan([['accepted']]);
  const signal = AbortSignal.abort(new Error('too late'));
  const late = { ...one, deadline: { ...one.deadline, signal } };
  assert.match(String(await rejection(deliverScan(late, parts))), /too late/);
  assert.is(dms.uploads().length, 0);
  assert.equal(one.record.current().documents[0]?.outcomes, ['accepted']);
});

test('a destination that is down stops neither the next nor the next document', async ({
  dms,
  scan,
}) => {
  const one = await scan([[], []], ['http://127.0.0.1:1', dms.url]);
  await deliverScan(one, parts);
  assert.equal(
    one.record.current().documents.map(({ outcomes }) => outcomes),
    [
      ['refused', 'accepted'],
      ['refused', 'accepted'],
    ],
  );
});

test.run();
