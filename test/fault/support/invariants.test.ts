import { truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EVENT_FILE } from '../../../service/archive/event-file.ts';
import type { NewScanEvent } from '../../../service/archive/scan-event.ts';
import type { StoredDocument } from '../../../simulators/sample-dms/library.ts';
import { readStoredRecord } from '../../support/stored-record.ts';
import {
  begun,
  ended,
  fed,
  page,
  planned,
  STORED_ID,
  storeScan,
} from '../../support/stored-scan.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { withFixture } from '../../support/with-fixture.ts';
import {
  brokenAccount,
  brokenDeliveries,
  brokenPages,
  brokenRecord,
  GRACE_MS,
  lateAnswer,
  leakedSecrets,
  missingDeliveries,
} from './invariants.ts';

const SHA256 = 'ab'.repeat(32);
const FILENAME = `${STORED_ID}-document-0001.pdf`;

/** A scan of two pages that was filed as one document of these. */
function filedScan(pages: number[] = [1, 2], scanned: readonly number[] = [1, 2]): NewScanEvent[] {
  const entry = { status: 'submitted', task_id: 'x' } as const;
  return [
    begun({ destinations: [{ kind: 'dms', base_url: 'http://dms.local' }] }),
    ...scanned.map((number) => page(number)),
    fed(),
    planned(pages),
    { type: 'assembled', document: 0, bytes: 4, sha256: SHA256, warnings: [] },
    { type: 'upload_begun', document: 0, destination: 0, title: 'Tea' },
    { type: 'upload_ended', document: 0, destination: 0, entry, outcome: 'accepted' },
    ended({ state: 'finished', error: null, document_count: 1 }),
  ];
}

const inDms = (sha256 = SHA256): StoredDocument => ({
  id: 1,
  title: 'Tea',
  original_file_name: FILENAME,
  path: '/nowhere',
  bytes: 4,
  md5: '',
  sha256,
  added: '',
  tags: [],
  created: undefined,
  correspondent: undefined,
  document_type: undefined,
  storage_path: undefined,
  archive_serial_number: undefined,
  custom_fields: undefined,
});

const test = withFixture(suite('the checks after a fault'), async () => {
  const temporary = await temporaryDirectory();
  const store = (events = filedScan()): Promise<string> => storeScan(temporary.path, events);
  const directory = await store();
  const record = await readStoredRecord(directory);
  return { directory, record, store, close: () => temporary.remove() };
});

test('find nothing wrong with a scan that was filed', async ({ directory, record }) => {
  assert.equal(await brokenPages(directory, ['page-0001.tif', 'page-0002.tif']), []);
  assert.equal(await brokenRecord(directory), []);
  assert.equal(await brokenAccount(directory), []);
  assert.equal(brokenDeliveries(record, [inDms()]), []);
  assert.equal(missingDeliveries(record, [inDms()]), []);
});

test('see a page that is lost', async ({ directory }) => {
  assert.equal(await brokenPages(directory, ['page-0003.tif']), ['page-0003.tif is lost']);
});

test('see a page that is not whole', async ({ directory }) => {
  await truncate(path.join(directory, 'page-0002.tif'), 20);
  assert.match((await brokenPages(directory, [])).join(), 'page-0002.tif is not whole');
});

test('see events that are damaged, or none at all', async ({ directory }) => {
  for (const text of ['{"type": "page"}\n', '{}\n', '{"type": "beg']) {
    await writeFile(path.join(directory, EVENT_FILE), text);
    assert.is((await brokenRecord(directory)).length, 1);
  }
});

test('see a page that no event names', async ({ directory, store }) => {
  await store(filedScan([1], [1]));
  assert.equal(await brokenAccount(directory), [
    'no event names page-0002.tif',
    'page-0002.tif is not in exactly one document',
  ]);
});

test('see a page that is in no document, or in it twice', async ({ directory, store }) => {
  for (const pages of [[1], [1, 2, 2]]) {
    await store(filedScan(pages));
    assert.equal(await brokenAccount(directory), ['page-0002.tif is not in exactly one document']);
  }
});

test('see a document that was delivered twice, with other bytes, or not at all', async ({
  record,
}) => {
  assert.match(brokenDeliveries(record, [inDms(), inDms()]).join(), 'in the DMS 2 times');
  const other = inDms('cd'.repeat(32));
  assert.match(brokenDeliveries(record, [other]).join(), 'is not the document on disk');
  assert.equal(missingDeliveries(record, []), [`${FILENAME} is not in the DMS`]);
});

test('see a secret, as it is and encoded', () => {
  const secret = 'to&ken of 5ec2e7';
  const forms = [
    secret,
    Buffer.from(`x${secret}`).subarray(1).toString('base64'),
    Buffer.from(secret).toString('hex'),
    encodeURIComponent(secret),
  ];
  for (const form of forms) {
    const seen = [{ where: 'a log', text: `before ${form} after` }];
    assert.match(leakedSecrets(seen, [secret]).join(), 'is in a log');
  }
  assert.equal(leakedSecrets([{ where: 'a log', text: 'token' }], [secret]), []);
});

test('see an answer that came after the deadline and its second', () => {
  assert.equal(lateAnswer(5000 + GRACE_MS, 5), []);
  assert.is(lateAnswer(5001 + GRACE_MS, 5).length, 1);
});

test.run();
