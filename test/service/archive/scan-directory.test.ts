import { chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { EVENT_FILE } from '../../../service/archive/event-file.ts';
import {
  findBelow,
  idsIn,
  readRecord,
  removeTemporaryFiles,
} from '../../../service/archive/scan-directory.ts';
import { createScanId, SCAN_ID } from '../../../service/archive/scan-id.ts';
import { begun, page, STORED_ID, storeScan } from '../../support/stored-scan.ts';
import { assert, failure, inDirectory } from '../../support/suite.ts';

const test = inDirectory('scan directories');

const OTHER_ID = '20261122T063000Z-8f3a1c';

test('are directories: no file or link of such a name is one', async ({ directory: root }) => {
  await storeScan(path.join(root, 'elsewhere'));
  await symlink(path.join(root, 'elsewhere', STORED_ID), path.join(root, STORED_ID));
  await writeFile(path.join(root, OTHER_ID), 'x');
  for (const id of [STORED_ID, OTHER_ID]) assert.is(await findBelow(root, id), undefined);
  assert.is(await findBelow(path.join(root, OTHER_ID), STORED_ID), undefined);
  assert.equal(await idsIn(root), []);
});

test('whose events are those of another scan are not read', async ({ directory: root }) => {
  const directory = await storeScan(root, [begun({}, { scan_id: OTHER_ID }), page(1)]);
  const error = await failure('scan_record_unreadable', readRecord(directory));
  assert.match(error.message, /another scan/);
});

test('that cannot be read say what is wrong and where', async ({ directory: root }) => {
  const directory = await storeScan(root);
  await writeFile(path.join(directory, EVENT_FILE), '{"type":"begun"}\n');
  const { message } = await failure('scan_record_unreadable', readRecord(directory));
  assert.match(message, 'events.jsonl, line 1: event "begun" has wrong fields: at, format');
  assert.match(message, `Its pages are untouched in ${directory}.`);
});

test('lose what was left half-written, nothing else', async ({ directory: root }) => {
  const directory = await storeScan(root);
  await mkdir(path.join(directory, 'recognized'));
  const kept = ['recognized/page-0001.pdf', 'note.txt', 'a.tmp.txt', 'their.tmp'];
  for (const name of [
    ...kept,
    'scan.json.0123456789ab.tmp',
    'recognized/page-0002.pdf.0123456789ab.tmp',
  ]) {
    await writeFile(path.join(directory, name), 'x');
  }
  const before = await readdir(directory, { recursive: true });
  await removeTemporaryFiles(directory);
  const after = await readdir(directory, { recursive: true });
  assert.equal(before.filter((name) => !after.includes(name)).toSorted(), [
    'recognized/page-0002.pdf.0123456789ab.tmp',
    'scan.json.0123456789ab.tmp',
  ]);
});

test('are cleaned without following any link', async ({ directory: root }) => {
  const directory = await storeScan(root);
  const other = path.join(root, 'other');
  await mkdir(other);
  await writeFile(path.join(other, 'page-0001.pdf.0123456789ab.tmp'), 'theirs');
  for (const name of ['shortcut', 'recognized']) await symlink(other, path.join(directory, name));
  for (const name of ['a', 'b']) await symlink('.', path.join(directory, name));
  await removeTemporaryFiles(directory);
  assert.equal(await readdir(other), ['page-0001.pdf.0123456789ab.tmp']);
});

test('that cannot be cleaned are used as they are', async ({ directory: root }) => {
  await removeTemporaryFiles(path.join(root, 'missing'));
  const directory = await storeScan(root);
  await mkdir(path.join(directory, 'folder.tmp'));
  await removeTemporaryFiles(directory);
  await chmod(directory, 0o700);
  assert.is((await readRecord(directory)).record.pages.length, 2);
});

test('have ids that are the UTC time, its part of the second and three random digits', () => {
  const id = createScanId(new Date('2026-11-21T06:30:00.123Z'));
  assert.match(id, /^20261121T063000Z-1f7[0-9a-f]{3}$/);
  for (const end of ['.000', '.001', '.999']) {
    assert.match(createScanId(new Date(`2026-11-21T06:30:00${end}Z`)), SCAN_ID);
  }
});

test('have ids that sort by time, down to the millisecond', () => {
  const seconds = ['2026-01-02T00:00:00Z', '2026-11-21T06:30:00Z', '2027-01-01T00:00:00Z'];
  const ids = seconds.flatMap((time) =>
    Array.from({ length: 1000 }, (_, ms) => createScanId(new Date(Date.parse(time) + ms))),
  );
  assert.equal(ids.toSorted(), ids);
});

test('have ids that differ within one millisecond', () => {
  const now = new Date();
  const ids = new Set(Array.from({ length: 5 }, () => createScanId(now)));
  assert.ok(ids.size >= 4);
});
