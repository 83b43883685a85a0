import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../helpers/failure.ts';
import { createScanArchive, readScanRecord } from '../../../service/archive/scan-archive.ts';
import { DEFAULT_REDELIVERY } from '../../../service/scan/deliver-scan.ts';
import { hashRequest } from '../../../service/scan/idempotency.ts';
import type { ScanCall } from '../../../service/scan/scan-call.ts';
import { createScans, type Scans } from '../../../service/scan/scans.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { failure } from '../../support/rejection.ts';
import { feedPages, playedParts, type Feed, type PlayedParts } from '../../support/scan-parts.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { testProfile } from '../../support/test-app.ts';
import { withFixture } from '../../support/with-fixture.ts';

interface Fixture {
  readonly root: string;
  readonly call: ScanCall;
  readonly start: (feed?: Feed) => { readonly scans: Scans; readonly parts: PlayedParts };
  close(): Promise<void>;
}

const test = withFixture<Fixture>(suite('scans'), async () => {
  const temporary = await temporaryDirectory();
  const root = temporary.path;
  const profile = testProfile({ name: 'default', paths: { output_dir: root } });
  const start: Fixture['start'] = (feed = feedPages(2)) => {
    const parts = playedParts({ feed });
    const archive = createScanArchive(() => [root]);
    return { scans: createScans(parts, archive, capturedLog().log), parts };
  };
  return { root, call: { profile, metadata: {} }, start, close: () => temporary.remove() };
});

const IDENTITY = { key: 'k', requestHash: hashRequest({}) };
const JAM = new Failure('scanner_jammed', 'stuck');

test('a scan gets a directory of its own, and its record says all of it', async ({
  root,
  call,
  start,
}) => {
  const { scans } = start();
  const first = await scans.scan(call);
  const second = await scans.scan(call);
  assert.is.not(first.scan_id, second.scan_id);
  const record = await readScanRecord(path.join(root, first.scan_id));
  assert.is(record.state, 'finished');
  assert.equal(record.pages, first.pages);
});

test('a key is good for one scan, also by another process of the service', async ({
  call,
  start,
}) => {
  const first = await start().scans.scan(call, IDENTITY);
  const { scans, parts } = start();
  assert.equal(await scans.scan(call, IDENTITY), first);
  assert.equal(parts.fed, []);
});

test('a jam, the rest of the stack, and the key of the first call', async ({ call, start }) => {
  const error = await failure(
    'scanner_jammed',
    start(feedPages(2, JAM)).scans.scan(call, IDENTITY),
  );
  const id = String(error.facts['scan_id']);
  const { scans } = start(feedPages(1));
  const result = await scans.continueScan(id, { ...IDENTITY, key: 'other' });
  assert.is(result.page_count, 3);
  assert.equal(await scans.scan(call, IDENTITY), result);
  assert.equal(await scans.resume(id, DEFAULT_REDELIVERY), result);
  await failure('scan_not_resumable', scans.continueScan(id));
});

test('twenty callers at once: one scans, the others are told that it is busy', async ({
  root,
  call,
  start,
}) => {
  const { scans, parts } = start();
  const ended = await Promise.allSettled(Array.from({ length: 20 }, () => scans.scan(call)));
  assert.is(ended.filter(({ status }) => status === 'fulfilled').length, 1);
  for (const one of ended) {
    if (one.status === 'rejected') assert.is((one.reason as Failure).code, 'scanner_busy');
  }
  assert.is(parts.fed.length, 1);
  assert.is((await readdir(root)).length, 1);
});

test('twenty callers that resume one scan: one does, and it is assembled once', async ({
  call,
  start,
}) => {
  const error = await failure('scanner_jammed', start(feedPages(2, JAM)).scans.scan(call));
  const id = String(error.facts['scan_id']);
  const { scans, parts } = start();
  const resume = (): Promise<unknown> => scans.resume(id, DEFAULT_REDELIVERY);
  const ended = await Promise.allSettled(Array.from({ length: 20 }, resume));
  for (const one of ended) {
    if (one.status === 'rejected') assert.is((one.reason as Failure).code, 'scan_in_progress');
  }
  assert.ok(ended.some(({ status }) => status === 'fulfilled'));
  assert.is(new Set(parts.recognized).size, parts.recognized.length);
  assert.equal(parts.fed, []);
});

test('a scan that is not there can neither be resumed nor continued', async ({ start }) => {
  const { scans } = start();
  for (const id of ['20261121T063000Z-8f3a1c', '../x', '__proto__', '']) {
    await failure('scan_not_found', scans.resume(id, DEFAULT_REDELIVERY));
    await failure('scan_not_found', scans.continueScan(id));
  }
});

test('once it drains, nothing begins any more', async ({ call, start }) => {
  const { scans, parts } = start();
  await scans.drain();
  await failure('shutting_down', scans.scan(call, IDENTITY));
  await failure('shutting_down', scans.continueScan('x'));
  await failure('shutting_down', scans.resume('x', DEFAULT_REDELIVERY));
  assert.equal(parts.fed, []);
});

test.run();
