import { mkdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createScanArchive, readScanRecord } from '../../../service/archive/scan-archive.ts';
import { accepted, unknown } from '../../../service/destinations/destination.ts';
import { journalHead, journalLine } from '../../../service/scan/delivery-journal.ts';
import { makePipe } from '../../support/make-pipe.ts';
import { failure } from '../../support/rejection.ts';
import { STORED_ID, storedRecord, storeScan } from '../../support/stored-scan.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { withFixture } from '../../support/with-fixture.ts';
import { within } from '../../support/within.ts';

interface Fixture {
  readonly root: string;
  close(): Promise<void>;
}

const test = withFixture<Fixture>(suite('the archive'), async () => {
  const temporary = await temporaryDirectory();
  return { root: temporary.path, close: () => temporary.remove() };
});

const idOf = (number: number): string => `2026112${number}T063000Z-8f3a1c`;

async function storeAt(root: string, number: number): Promise<void> {
  await storeScan(root, storedRecord({ scan_id: idOf(number), pages: [], page_count: 0 }));
}

test('lists scans newest first, over all roots, each once', async ({ root }) => {
  const [one, two] = [path.join(root, 'one'), path.join(root, 'two')];
  await Promise.all([storeAt(one, 1), storeAt(one, 3), storeAt(two, 2)]);
  const archive = createScanArchive(() => [one, two, one, path.join(root, 'missing')]);
  const { scans, more } = await archive.list(10);
  assert.equal(
    scans.map(({ id }) => id),
    [idOf(3), idOf(2), idOf(1)],
  );
  assert.is(more, false);
});

test('a page of the list goes on where the one before ended', async ({ root }) => {
  for (const number of [1, 2, 3, 4, 5]) await storeAt(root, number);
  const archive = createScanArchive(() => [root]);
  const seen: string[][] = [];
  for (let before: string | undefined, more = true; more;) {
    const page = await archive.list(2, before);
    seen.push(page.scans.map(({ id }) => id));
    before = page.scans.at(-1)?.id;
    more = page.more;
  }
  assert.equal(seen, [[idOf(5), idOf(4)], [idOf(3), idOf(2)], [idOf(1)]]);
});

test('what is no scan directory is not in the list', async ({ root }) => {
  await storeAt(root, 1);
  await mkdir(path.join(root, '.idempotency'));
  await mkdir(path.join(root, 'lost+found'));
  await writeFile(path.join(root, idOf(2)), 'a file with the name of a scan');
  await symlink(path.join(root, idOf(1)), path.join(root, idOf(3)));
  const { scans } = await createScanArchive(() => [root]).list(10);
  assert.equal(
    scans.map(({ id }) => id),
    [idOf(1)],
  );
});

test('a scan whose record is damaged is listed without it, and the others with theirs', async ({
  root,
}) => {
  await storeAt(root, 1);
  await mkdir(path.join(root, idOf(2)));
  const { scans } = await createScanArchive(() => [root]).list(10);
  assert.equal(
    scans.map(({ record }) => record?.scan_id),
    [undefined, idOf(1)],
  );
});

test('the roots are asked at each call: profiles come and go', async ({ root }) => {
  let roots: string[] = [];
  const archive = createScanArchive(() => roots);
  await storeAt(root, 1);
  await failure('scan_not_found', archive.find(idOf(1)));
  roots = [root];
  assert.is((await archive.find(idOf(1))).record.scan_id, idOf(1));
});

for (const id of [
  '..',
  '.',
  '',
  '__proto__',
  '.idempotency',
  `../${STORED_ID}`,
  `${STORED_ID}/`,
  `${STORED_ID}\n`,
  `${STORED_ID}\0`,
  STORED_ID.toUpperCase(),
]) {
  test(`${JSON.stringify(id)} is no scan`, async ({ root }) => {
    await storeScan(root);
    const archive = createScanArchive(() => [root]);
    await failure('scan_not_found', archive.find(id));
    await failure('scan_not_found', archive.openFile(id, 'page-0001.tif'));
  });
}

test('a scan directory that is a link is not followed', async ({ root }) => {
  await storeScan(path.join(root, 'elsewhere'));
  await mkdir(path.join(root, 'scans'));
  await symlink(path.join(root, 'elsewhere', STORED_ID), path.join(root, 'scans', STORED_ID));
  const archive = createScanArchive(() => [path.join(root, 'scans')]);
  await failure('scan_not_found', archive.find(STORED_ID));
  await failure('scan_not_found', archive.openFile(STORED_ID, 'page-0001.tif'));
});

test('a tree that was moved is used where it is now', async ({ root }) => {
  await storeScan(path.join(root, 'old'));
  await rename(path.join(root, 'old'), path.join(root, 'new'));
  const { record } = await createScanArchive(() => [path.join(root, 'new')]).find(STORED_ID);
  assert.is(record.settings.paths.output_dir, path.join(root, 'new'));
});

/** What may have become of a `scan.json`, with what is said of it. */
const DAMAGES: [string, (file: string) => Promise<unknown>, RegExp][] = [
  ['gone', (file) => rm(file), /ENOENT/],
  ['empty', (file) => truncate(file), /JSON/],
  ['cut off', (file) => truncate(file, 100), /JSON/],
  ['of zeros', (file) => writeFile(file, Buffer.alloc(500)), /JSON/],
  ['no object', (file) => writeFile(file, 'null'), /object/],
  ['larger than any record', (file) => truncate(file, 17 * 1024 * 1024), /17825792 bytes/],
  ['a directory', (file) => rm(file).then(() => mkdir(file)), /plain file/],
  ['a link out of the tree', (file) => rm(file).then(() => symlink('/etc/passwd', file)), /ELOOP/],
  [
    'that of another scan',
    (file) => writeFile(file, JSON.stringify(storedRecord({ scan_id: idOf(9) }))),
    /another scan/,
  ],
];

for (const [what, damage, said] of DAMAGES) {
  test(`a record that is ${what} is told, with where the pages are`, async ({ root }) => {
    const directory = await storeScan(root);
    await damage(path.join(directory, 'scan.json'));
    const error = await failure('scan_record_unreadable', readScanRecord(directory));
    assert.match(error.message, said);
    assert.match(error.message, `its pages are untouched in ${directory}`);
  });
}

const REVISION = 5;

/** A scan that was interrupted in its delivery, with that journal. */
async function storeInterrupted(root: string, journal: string | Buffer): Promise<string> {
  const documents = [
    {
      filename: 'document-0001.pdf',
      pages: [1, 2],
      page_count: 2,
      bytes: 1,
      sha256: 'a'.repeat(64),
      title: 'Tea',
      destinations: [{ status: 'failed', error: 'earlier' }],
      outcomes: ['refused'],
    } as const,
  ];
  const state = { state: 'delivering', stage: 'deliver', error: null } as const;
  const record = storedRecord({ ...state, revision: REVISION, documents });
  const directory = await storeScan(root, record);
  await writeFile(path.join(directory, 'deliveries.jsonl'), journal);
  return directory;
}

const begun = { document: 0, destination: 0, ...unknown('cut off') };
const done = { document: 0, destination: 0, ...accepted('1') };
const next = { document: 0, destination: 1, ...unknown('cut off') };
const head = journalHead(REVISION);

/** Journals, with the outcomes that are believed. */
const JOURNALS: [string, string | Buffer, string[]][] = [
  [
    'of that revision',
    head + journalLine([begun]) + journalLine([done, next]),
    ['accepted', 'unknown'],
  ],
  ['of an earlier revision', journalHead(REVISION - 1) + journalLine([done]), ['refused']],
  [
    'whose last line was cut off',
    head + journalLine([begun]) + '[{"document":0,"dest',
    ['unknown'],
  ],
  [
    'whose last line is zeros',
    Buffer.concat([Buffer.from(head + journalLine([begun])), Buffer.alloc(100)]),
    ['unknown'],
  ],
];

for (const [what, journal, outcomes] of JOURNALS) {
  test(`a journal ${what} leaves ${outcomes.join(' and ')}`, async ({ root }) => {
    const { documents } = await readScanRecord(await storeInterrupted(root, journal));
    assert.equal(documents[0]?.outcomes, outcomes);
    assert.is(documents[0]?.destinations.length, outcomes.length);
  });
}

/** Those with which nobody may say what was sent. */
const BAD_JOURNALS: [string, string, RegExp][] = [
  ['of a later revision', journalHead(REVISION + 1) + journalLine([done]), /older than deliveries/],
  ['that is empty', '', /deliveries\.jsonl .*JSON/],
  ['without a head', journalLine([done]), /deliveries\.jsonl .*revision/],
  ['with a damaged line in the middle', `${head}[{"doc\n${journalLine([done])}`, /notes\[0\]/],
  [
    'with an outcome that there is not',
    head + journalLine([done]).replace('accepted', 'lost'),
    /outcome/,
  ],
  ['with a line that is no list', `${head}{}\n`, /notes\[0\]/],
  ['with a place that there is not', head + journalLine([{ ...done, document: 3 }]), /no delivery/],
];

for (const [what, journal, said] of BAD_JOURNALS) {
  test(`a journal ${what} makes the record unreadable: nothing may be sent again`, async ({
    root,
  }) => {
    const directory = await storeInterrupted(root, journal);
    const error = await failure('scan_record_unreadable', readScanRecord(directory));
    assert.match(error.message, said);
  });
}

test('a journal that cannot be read is not taken for none', async ({ root }) => {
  const directory = await storeInterrupted(root, '');
  await rm(path.join(directory, 'deliveries.jsonl'));
  await mkdir(path.join(directory, 'deliveries.jsonl'));
  const error = await failure('scan_record_unreadable', readScanRecord(directory));
  assert.match(error.message, /deliveries\.jsonl beside it: it is no plain file/);
});

test('a record of the first versions, which had no revision, is read', async ({ root }) => {
  const { revision: _, ...first } = storedRecord();
  const directory = await storeScan(root);
  await writeFile(path.join(directory, 'scan.json'), JSON.stringify(first));
  assert.is((await readScanRecord(directory)).revision, 0);
});

test('a record that is a pipe keeps nobody waiting', async ({ root }) => {
  const directory = await storeScan(root);
  const file = path.join(directory, 'scan.json');
  await rm(file);
  await makePipe(file);
  const read = failure('scan_record_unreadable', readScanRecord(directory));
  assert.match((await within(2000, read)).message, /plain file/);
});

test.run();
