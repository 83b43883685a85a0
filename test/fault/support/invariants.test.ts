import { truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ScanRecord } from '../../../service/scan/scan-record.ts';
import type { StoredDocument } from '../../../simulators/sample-dms/library.ts';
import { STORED_ID, storedRecord, storeScan } from '../../support/stored-scan.ts';
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

/** A scan of two pages that was filed as one document. */
function filedRecord(pages: readonly number[] = [1, 2]): ScanRecord {
  const document = {
    filename: 'document-0001.pdf',
    pages,
    page_count: pages.length,
    bytes: 4,
    sha256: SHA256,
    title: 'Tea',
    destinations: [{ status: 'submitted' as const, task_id: 'x' }],
    outcomes: ['accepted' as const],
  };
  return storedRecord({ state: 'finished', error: null, documents: [document] });
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
  const directory = await storeScan(temporary.path, filedRecord());
  return { directory, close: () => temporary.remove() };
});

test('find nothing wrong with a scan that was filed', async ({ directory }) => {
  assert.equal(await brokenPages(directory, ['page-0001.tif', 'page-0002.tif']), []);
  assert.equal(await brokenRecord(directory), []);
  assert.equal(await brokenAccount(directory), []);
  assert.equal(brokenDeliveries(filedRecord(), [inDms()]), []);
  assert.equal(missingDeliveries(filedRecord(), [inDms()]), []);
});

test('see a page that is lost', async ({ directory }) => {
  assert.equal(await brokenPages(directory, ['page-0003.tif']), ['page-0003.tif is lost']);
});

test('see a page that is not whole', async ({ directory }) => {
  await truncate(path.join(directory, 'page-0002.tif'), 20);
  assert.match((await brokenPages(directory, [])).join(), 'page-0002.tif is not whole');
});

test('see a scan.json that was cut off, or is no record', async ({ directory }) => {
  const file = path.join(directory, 'scan.json');
  for (const text of ['{"scan_id": "2026', '{}']) {
    await writeFile(file, text);
    assert.is((await brokenRecord(directory)).length, 1);
  }
});

test('see a page that scan.json does not name', async ({ directory }) => {
  await writeFile(
    path.join(directory, 'scan.json'),
    JSON.stringify({ ...filedRecord(), pages: ['page-0001.tif'], page_count: 1 }),
  );
  assert.equal(await brokenAccount(directory), ['scan.json does not name page-0002.tif']);
});

test('see a page that is in no document, or in it twice', async ({ directory }) => {
  for (const pages of [[1], [1, 2, 2]]) {
    await writeFile(path.join(directory, 'scan.json'), JSON.stringify(filedRecord(pages)));
    assert.equal(await brokenAccount(directory), ['page-0002.tif is not in exactly one document']);
  }
});

test('see a document that was delivered twice, with other bytes, or not at all', () => {
  assert.match(brokenDeliveries(filedRecord(), [inDms(), inDms()]).join(), 'in the DMS 2 times');
  const other = inDms('cd'.repeat(32));
  assert.match(brokenDeliveries(filedRecord(), [other]).join(), 'is not the document on disk');
  assert.equal(missingDeliveries(filedRecord(), []), [`${FILENAME} is not in the DMS`]);
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
