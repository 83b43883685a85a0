import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../helpers/failure.ts';
import { createScanArchive } from '../../../service/archive/scan-archive.ts';
import { createDeadline } from '../../../service/scan/deadline.ts';
import { hashRequest, recallScan, type CallIdentity } from '../../../service/scan/idempotency.ts';
import { runScan, type PrepareScan } from '../../../service/scan/run-scan.ts';
import type { ScanResult } from '../../../service/scan/scan-call.ts';
import { createScanOnce, type ScanOnce } from '../../../service/scan/scan-once.ts';
import { keepScanRecord, type ScanRecord } from '../../../service/scan/scan-record.ts';
import { capturedLog, type CapturedLog } from '../../support/captured-log.ts';
import { failure } from '../../support/rejection.ts';
import { STORED_ID, storedRecord, storeScan } from '../../support/stored-scan.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { withFixture } from '../../support/with-fixture.ts';

interface Fixture {
  readonly root: string;
  readonly logged: CapturedLog;
  readonly running: Set<string>;
  readonly once: ScanOnce;
  /** Calls with a key; `stages` is what happens when it really scans. */
  readonly call: (identity?: CallIdentity, stages?: Stages) => Promise<ScanResult>;
  /** How often it really scanned. */
  readonly scans: () => number;
  close(): Promise<void>;
}

type Stages = (feed: (change: Partial<ScanRecord>) => Promise<void>) => Promise<void>;

const KEY: CallIdentity = { key: 'k', requestHash: hashRequest({}) };

const feedTwo: Stages = (feed) =>
  feed({ page_count: 2, pages: ['page-0001.tif', 'page-0002.tif'] });
const feedNone: Stages = () => Promise.reject(new Failure('no_documents', 'empty'));
const jam: Stages = async (feed) => {
  await feedTwo(feed);
  throw new Failure('scanner_jammed', 'stuck');
};

async function createFixture(): Promise<Fixture> {
  const temporary = await temporaryDirectory();
  const root = temporary.path;
  const logged = capturedLog();
  const running = new Set<string>();
  const once = createScanOnce(
    createScanArchive(() => [root]),
    (id) => running.has(id),
  );
  let scans = 0;
  const prepareWith =
    (stages: Stages): PrepareScan =>
    async ({ id, deadline, log }) => {
      const empty = { page_count: 0, pages: [], state: 'scanning', error: null } as const;
      const initial = storedRecord({ ...empty, scan_id: id });
      const directory = await storeScan(root, initial);
      const record = await keepScanRecord(directory, initial);
      const { settings: profile, request: metadata } = initial;
      const scan = { profile, metadata, id, directory, startedAt: new Date() };
      return {
        scan: { ...scan, record, deadline, log },
        stages: () => {
          scans += 1;
          return stages((change) => record.update(change));
        },
      };
    };
  const call: Fixture['call'] = (identity, stages = feedTwo) => {
    const id = `20261121T06300${scans}Z-8f3a1c`;
    const options = { id, deadline: createDeadline(10), log: logged.log };
    return once(
      { id, root, prepare: prepareWith(stages), identity },
      (prepare) => runScan(prepare, options).ended,
    );
  };
  return { root, logged, running, once, call, scans: () => scans, close: () => temporary.remove() };
}

const test = withFixture<Fixture>(suite('a call that is made again'), createFixture);

test('without a key scans again, and nothing is remembered', async ({ root, call, scans }) => {
  await call();
  await call();
  assert.is(scans(), 2);
  assert.not.ok((await readdir(root)).includes('.idempotency'));
});

test('with the same key is answered with the first result', async ({ call, scans }) => {
  const first = await call(KEY);
  assert.equal(await call(KEY), first);
  assert.is(scans(), 1);
});

test('with another key scans', async ({ call, scans }) => {
  await call(KEY);
  await call({ ...KEY, key: 'other' });
  assert.is(scans(), 2);
});

test('with another request is refused', async ({ call, scans }) => {
  const { scan_id } = await call(KEY);
  const other = { ...KEY, requestHash: hashRequest({ title: 'x' }) };
  const error = await failure('idempotency_key_reused', call(other));
  assert.is(error.facts['scan_id'], scan_id);
  assert.is(scans(), 1);
});

test('while the first is under way is told so, whatever is asked for', async ({ call, scans }) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  const first = call(KEY, (feed) => {
    began.resolve();
    return promise.then(() => feedTwo(feed));
  });
  await failure('scan_in_progress', call(KEY));
  await began.promise;
  await failure('scan_in_progress', call(KEY));
  resolve();
  assert.equal(await call(KEY).catch(() => undefined), undefined);
  const result = await first;
  assert.equal(await call(KEY), result);
  assert.is(scans(), 1);
});

test('of twenty at once one scans', async ({ call, scans }) => {
  const ended = await Promise.allSettled(Array.from({ length: 20 }, () => call(KEY)));
  assert.is(ended.filter(({ status }) => status === 'fulfilled').length, 1);
  assert.is(scans(), 1);
});

test('after a jam is told of the jam, and feeds nothing', async ({ call, scans }) => {
  await failure('scanner_jammed', call(KEY, jam));
  const again = await failure('scanner_jammed', call(KEY));
  assert.is(again.facts['page_count'], 2);
  assert.is(scans(), 1);
});

test('after a scan that fed nothing scans', async ({ root, call, scans }) => {
  await failure('no_documents', call(KEY, feedNone));
  assert.is(await recallScan(root, KEY), undefined);
  assert.is((await call(KEY)).page_count, 2);
  assert.is(scans(), 2);
});

test('is remembered before the first sheet moves', async ({ root, call }) => {
  let remembered: string | undefined;
  await call(KEY, async (feed) => {
    remembered = await recallScan(root, KEY);
    await feedTwo(feed);
  });
  assert.ok(remembered);
});

test('moves no sheet when it cannot be remembered', async ({ root, call, scans }) => {
  const blocked = path.join(root, '.idempotency');
  await writeFile(blocked, 'in the way');
  await failure('insufficient_storage', call(KEY));
  assert.is(scans(), 0);
});

test('tells what ended the scan, also when the key cannot be forgotten', async ({
  root,
  call,
  logged,
}) => {
  const stages: Stages = async () => {
    await rm(path.join(root, '.idempotency'), { recursive: true });
    await writeFile(path.join(root, '.idempotency'), 'in the way');
    throw new Failure('no_documents', 'empty');
  };
  await failure('no_documents', call(KEY, stages));
  assert.match(logged.text(), /still in use/);
});

test('scans when somebody removed the directory of the first', async ({ root, call, scans }) => {
  const { scan_id } = await call(KEY);
  await rm(path.join(root, scan_id), { recursive: true });
  await call(KEY);
  assert.is(scans(), 2);
});

test('does not scan when the record of the first is damaged', async ({ root, call, scans }) => {
  const { scan_id } = await call(KEY);
  await rm(path.join(root, scan_id, 'scan.json'));
  await failure('scan_record_unreadable', call(KEY));
  assert.is(scans(), 1);
});

test('is told that the first is being picked up, also when that begins this moment', async () => {
  const fixture = await createFixture();
  const { root, running, call } = fixture;
  await failure('scanner_jammed', call(KEY, jam));
  const id = String(await recallScan(root, KEY));
  running.add(id);
  await failure('scan_in_progress', call(KEY));
  running.delete(id);
  const picked = storedRecord({ scan_id: id, state: 'processing', error: null });
  const once = createScanOnce(
    {
      find: async () => {
        running.add(id);
        return { directory: path.join(root, id), record: picked };
      },
    },
    (asked) => running.has(asked),
  );
  const unexpected = (): never => assert.unreachable('it was not to scan') as never;
  const again = once({ id: STORED_ID, root, prepare: unexpected, identity: KEY }, unexpected);
  await failure('scan_in_progress', again);
  await fixture.close();
});

test.run();
