import { once } from 'node:events';
import {
  appendFile,
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { Failure } from '../../../helpers/failure.ts';
import { createDirectoryLocks, lockDirectory } from '../../../service/archive/directory-lock.ts';
import { EVENT_FILE } from '../../../service/archive/event-file.ts';
import { openKnownRoots, type KnownRoots } from '../../../service/archive/known-roots.ts';
import { callIdentity, createRecordedCalls } from '../../../service/archive/recorded-calls.ts';
import { createRootReads, type RootReads } from '../../../service/archive/root-reads.ts';
import { createScanArchive, type ScanArchive } from '../../../service/archive/scan-archive.ts';
import {
  findBelow,
  idsIn,
  readRecord,
  removeTemporaryFiles,
} from '../../../service/archive/scan-directory.ts';
import type { Begun, NewScanEvent } from '../../../service/archive/scan-event.ts';
import { createScanId, SCAN_ID } from '../../../service/archive/scan-id.ts';
import { createScanIndex, readSummary } from '../../../service/archive/scan-index.ts';
import { summaryOf, viewOf } from '../../../service/archive/scan-view.ts';
import { capturedLog } from '../../support/captured-log.ts';
import {
  assembled,
  begun,
  ended,
  fed,
  jammedScan,
  page,
  planned,
  recognized,
  recordOf,
  resumed,
  STORED_ID,
  storeScan,
  timed,
} from '../../support/stored-scan.ts';
import {
  assert,
  EVENT_MS,
  failure,
  inDirectory,
  rejection,
  suite,
  withFixture,
  within,
} from '../../support/suite.ts';
import { testProfile } from '../../support/test-profile.ts';

const { log, text } = capturedLog();
const PROCESS = resumed({ stage: 'process' });
const FINISHED = ended({ state: 'finished', error: null });

const idOf = (number: number): string => `2026112${number}T063000Z-8f3a1c`;

async function storeAt(root: string, number: number): Promise<void> {
  await storeScan(root, [begun({}, { scan_id: idOf(number) }), ended()], idOf(number));
}

function newScan(root: string): Omit<Begun, 'at' | 'type' | 'format'> {
  const settings = testProfile({ name: 'a', paths: { output_dir: root } });
  return { scan_id: idOf(1), profile: 'a', request: {}, settings };
}

const archived = withFixture('the archive', async (root) => {
  const archives: ScanArchive[] = [];
  return {
    root,
    open: (roots: readonly string[] = [root], rootReads?: RootReads): ScanArchive => {
      const options = { roots: () => roots, listener: () => {}, log };
      const archive = createScanArchive({ ...options, ...(rootReads && { rootReads }) });
      archives.push(archive);
      return archive;
    },
    close: async () => {
      for (const archive of archives) await archive.close();
    },
  };
});

archived('lists scans newest first, over all roots, each once', async ({ root, open }) => {
  const [one, two] = [path.join(root, 'one'), path.join(root, 'two')];
  await Promise.all([storeAt(one, 1), storeAt(one, 3), storeAt(two, 2)]);
  const { scans, more } = await open([one, two, one, path.join(root, 'missing')]).list(10);
  const ids = scans.map(({ id }) => id);
  assert.equal([ids, more], [[idOf(3), idOf(2), idOf(1)], false]);
});

const NO_IDS = [
  '..',
  '.',
  '',
  '__proto__',
  '.idempotency',
  STORED_ID.toUpperCase(),
  `../${STORED_ID}`,
];

for (const id of [...NO_IDS, ...['/', '\n', '\0'].map((end) => STORED_ID + end)]) {
  archived(`${JSON.stringify(id)} is not a scan id`, async ({ root, open }) => {
    await storeScan(root);
    const archive = open();
    await failure('scan_not_found', archive.find(id));
    await failure('scan_not_found', archive.open(id));
    await failure('scan_not_found', archive.openFile(id, 'page-0001.tif'));
  });
}

archived('a moved tree is used at its new place', async ({ root, open }) => {
  const now = path.join(root, 'new');
  await storeScan(path.join(root, 'old'));
  await rename(path.join(root, 'old'), now);
  const { record } = await open([now]).find(STORED_ID);
  assert.is(record.settings.paths.output_dir, now);
});

archived('an unreadable root hides only its own scans', async ({ root, open }) => {
  const [good, loop] = [path.join(root, 'good'), path.join(root, 'loop')];
  await storeScan(good);
  await symlink('loop', loop);
  const archive = open([loop, 'relative\0path', good]);
  assert.is((await archive.find(STORED_ID)).record.scan_id, STORED_ID);
  assert.is((await archive.list(10)).scans.length, 1);
  const scan = await archive.open(STORED_ID);
  await scan.append(PROCESS, ended());
  await scan.close();
  await (await archive.openFile(STORED_ID, 'page-0001.tif')).handle.close();
});

archived('does not begin a scan in an existing directory', async ({ root, open }) => {
  await storeAt(root, 1);
  const archive = open();
  assert.match(String(await rejection(archive.begin(newScan(root)))), /EEXIST|ENOTEMPTY/);
  assert.is((await archive.find(idOf(1))).record.state, 'failed');
  const elsewhere = archive.begin(newScan(path.join(root, 'gone')));
  assert.match(String(await rejection(elsewhere)), /ENOENT|EACCES/);
  assert.is((await archive.list(10)).scans.length, 1);
});

archived('a scan exists with its first event, or not at all', async ({ root, open }) => {
  const unbegun = path.join(root, `${idOf(2)}.0123456789ab.tmp`);
  await mkdir(unbegun);
  await writeFile(path.join(unbegun, EVENT_FILE), '');
  await mkdir(path.join(root, 'mine.tmp'));
  assert.equal((await open().list(10)).scans, []);
  await (await open().begin(newScan(root))).close();
  const names = (await readdir(root)).filter((name) => !name.startsWith('.'));
  assert.equal(names.toSorted(), [idOf(1), 'mine.tmp']);
});

archived('a scan is known from memory until it is closed', async ({ root, open }) => {
  const archive = open();
  const scan = await archive.begin(newScan(root));
  await scan.append(page(1));
  // The file is empty now, so the content can only come from the archive's memory.
  await writeFile(path.join(scan.directory, EVENT_FILE), '');
  const found = await archive.find(idOf(1));
  assert.equal([found.isOpen, found.record.pages.length], [true, 1]);
  const [listed] = (await archive.list(10)).scans;
  assert.equal([listed?.summary?.state, listed?.summary?.page_count], ['scanning', 1]);
  await scan.close();
  await failure('scan_record_unreadable', archive.find(idOf(1)));
});

archived('a scan that ends while it is read is not "interrupted"', async ({ root, open }) => {
  await storeScan(root);
  const reads = createRootReads(log);
  /** A hook in the middle of each read: after the content was read, before it is returned. */
  let meanwhile = (): Promise<void> => Promise.resolve();
  const run: RootReads['run'] = async (where, read) => {
    const value = await reads.run(where, read);
    await meanwhile();
    return value;
  };
  const archive = open([root], { ...reads, run });
  const takeUp = async (...events: NewScanEvent[]): Promise<void> => {
    const scan = await archive.open(STORED_ID);
    await scan.append(PROCESS, ...events);
    await scan.close();
  };
  const finish = (): Promise<void> => {
    meanwhile = () => Promise.resolve();
    return takeUp(FINISHED);
  };
  await takeUp();
  meanwhile = finish;
  assert.is((await archive.find(STORED_ID)).record.state, 'finished');
  await takeUp();
  meanwhile = finish;
  assert.is((await archive.list(10)).scans[0]?.summary?.state, 'finished');
});

archived('two services do not work in one output directory', async ({ root, open }) => {
  await storeScan(root);
  const [one, two] = [open(), open()];
  await (await one.open(STORED_ID)).close();
  await failure('output_dir_in_use', two.open(STORED_ID));
  await failure('output_dir_in_use', two.begin(newScan(root)));
  assert.is((await two.find(STORED_ID)).record.state, 'failed', 'reading is free');
  assert.equal(await readdir(root), ['.service.lock', STORED_ID].toSorted());
  await one.close();
  await (await two.open(STORED_ID)).close();
});

const directories = inDirectory('scan directories');

const OTHER_ID = idOf(2);

directories('are never files or links of such a name', async ({ directory: root }) => {
  await storeScan(path.join(root, 'elsewhere'));
  await symlink(path.join(root, 'elsewhere', STORED_ID), path.join(root, STORED_ID));
  await writeFile(path.join(root, OTHER_ID), 'x');
  for (const id of [STORED_ID, OTHER_ID]) assert.is(await findBelow(root, id), undefined);
  assert.is(await findBelow(path.join(root, OTHER_ID), STORED_ID), undefined);
  assert.equal(await idsIn(root), []);
});

directories('with the events of another scan are not read', async ({ directory: root }) => {
  const directory = await storeScan(root, [begun({}, { scan_id: OTHER_ID }), page(1)]);
  const { message } = await failure('scan_record_unreadable', readRecord(directory));
  assert.match(message, /another scan/);
});

directories('that cannot be read report what is wrong and where', async ({ directory: root }) => {
  const directory = await storeScan(root);
  await writeFile(path.join(directory, EVENT_FILE), '{"type":"begun"}\n');
  const { message } = await failure('scan_record_unreadable', readRecord(directory));
  assert.match(message, 'events.jsonl, line 1: event "begun" has wrong fields: at, format');
  assert.match(message, `Its pages are untouched in ${directory}.`);
});

directories('lose only half-written files', async ({ directory: root }) => {
  await removeTemporaryFiles(path.join(root, 'missing'));
  const directory = await storeScan(root);
  await mkdir(path.join(directory, 'recognized'));
  await mkdir(path.join(directory, 'cannot-be-removed.0123456789ab.tmp'));
  const written = ['recognized/page-0001.pdf', 'scan.json'];
  const left = written.map((name) => `${name}.0123456789ab.tmp`);
  for (const name of [...written, ...left, 'note.txt', 'a.tmp.txt', 'their.tmp'])
    await writeFile(path.join(directory, name), 'x');
  const before = await readdir(directory, { recursive: true });
  await removeTemporaryFiles(directory);
  const after = await readdir(directory, { recursive: true });
  assert.equal(before.filter((name) => !after.includes(name)).toSorted(), left);
});

directories('are cleaned without following any link', async ({ directory: root }) => {
  const directory = await storeScan(root);
  const other = path.join(root, 'other');
  await mkdir(other);
  await writeFile(path.join(other, 'page-0001.pdf.0123456789ab.tmp'), 'theirs');
  for (const name of ['shortcut', 'recognized']) await symlink(other, path.join(directory, name));
  for (const name of ['a', 'b']) await symlink('.', path.join(directory, name));
  await removeTemporaryFiles(directory);
  assert.equal(await readdir(other), ['page-0001.pdf.0123456789ab.tmp']);
});

directories(
  'have ids of the UTC time with its fraction and three random digits, which sort by time',
  () => {
    const id = createScanId(new Date('2026-11-21T06:30:00.123Z'));
    assert.match(id, /^20261121T063000Z-1f7[0-9a-f]{3}$/);
    const seconds = ['2026-01-02T00:00:00Z', '2026-11-21T06:30:00Z', '2027-01-01T00:00:00Z'];
    const ids = seconds.flatMap((time) =>
      Array.from({ length: 1000 }, (_, ms) => createScanId(new Date(Date.parse(time) + ms))),
    );
    assert.equal(ids.toSorted(), ids);
    assert.ok(ids.every((one) => SCAN_ID.test(one)));
    const now = new Date();
    assert.ok(new Set(Array.from({ length: 5 }, () => createScanId(now))).size >= 4);
  },
);

/** Backdates the file, because content read right after a change is not cached. */
const settle = (file: string): Promise<void> => utimes(file, new Date(0), new Date(0));

const indexed = withFixture('the index of the scans', async (root) => ({
  root,
  index: createScanIndex(),
  stored: async (events?: readonly NewScanEvent[]) => {
    const directory = await storeScan(root, events);
    return { directory, file: path.join(directory, EVENT_FILE) };
  },
}));

indexed('shows immediately what others add and remove', async ({ root, index }) => {
  await settle(root);
  assert.equal(await index.ids(root), []);
  await storeScan(root);
  assert.equal(await index.ids(root), [STORED_ID]);
  const later = '20991231T235959Z-000000';
  await mkdir(path.join(root, later));
  assert.equal(await index.ids(root), [STORED_ID, later]);
  await rm(path.join(root, STORED_ID), { recursive: true });
  assert.equal(await index.ids(root), [later]);
  await rejection(index.ids(path.join(root, 'missing')));
});

indexed('does not read an unchanged root again, or twice concurrently', async ({ root, index }) => {
  await storeScan(root);
  // On a busy machine some requests may miss the shared read, but never all.
  const all = await Promise.all(Array.from({ length: 50 }, () => index.ids(root)));
  assert.ok(new Set(all).size < all.length);
  await settle(root);
  const before = await index.ids(root);
  assert.is(await index.ids(root), before);
});

indexed('reads a summary again when its events change', async ({ index, stored }) => {
  const { directory, file } = await stored();
  await settle(file);
  const before = await index.summary(directory);
  assert.is(await index.summary(directory), before);
  const lines = (await readFile(file, 'utf8')).split('\n');
  await writeFile(file, `${lines.slice(0, -2).join('\n')}\n`);
  assert.is((await index.summary(directory)).state, 'interrupted');
  await rm(file);
  await rejection(index.summary(directory));
});

indexed('makes the same summary from the last event as from all', async ({ stored }) => {
  const made = [begun(), page(1), page(2), planned([1, 2]), assembled()];
  for (const events of [
    jammedScan(),
    [...jammedScan(), PROCESS],
    [...made, ended({ state: 'finished', error: null, document_count: 1, title: 'title 1' })],
  ]) {
    const { directory } = await stored(events);
    assert.equal(await readSummary(directory), summaryOf(viewOf(recordOf(events), false)));
  }
});

indexed('knows the first page that is kept, as it is shown', async ({ stored }) => {
  const crop = { x: 0.1, y: 0.2, width: 0.5, height: 0.4, angle: 2 };
  const facts = { ...recognized(2).facts, turned: 90.4 };
  const edits = [
    { type: 'edited', page: 1, left_out: true },
    { type: 'edited', page: 2, crop },
  ] as const;
  const events = [
    begun(),
    page(1),
    page(2),
    recognized(2, { facts }),
    fed(),
    ended({ state: 'held', error: null }),
    ...edits,
  ];
  const { directory } = await stored(events);
  // The crop is turned with the page.
  const shown = { x: 0.4, y: 0.1, width: 0.4, height: 0.5, angle: 2 };
  const expected = { page: 2, turned: 90, crop: shown } as const;
  assert.equal((await readSummary(directory)).first_page, expected);
  const [line] = timed([ended({ first_page: expected })]);
  await appendFile(path.join(directory, EVENT_FILE), `${JSON.stringify(line)}\n`);
  assert.equal((await readSummary(directory)).first_page, expected);
});

indexed('does not know pages kept by an earlier version', async ({ stored }) => {
  const { kept_page_count: _, ...older } = ended();
  const { directory } = await stored([...jammedScan().slice(0, -1), older]);
  assert.is((await readSummary(directory)).kept_page_count, null);
});

indexed('takes only the last event of a scan that has ended', async ({ stored }) => {
  const { directory, file } = await stored();
  const expected = await readSummary(directory);
  const last = (await readFile(file, 'utf8')).trimEnd().split('\n').at(-1) ?? '';
  // The file is sparse and too large to be read whole. Of its events, only the last can be read.
  await truncate(file, 1_000_000_000);
  await appendFile(file, `\n${last}\n`);
  assert.equal(await readSummary(directory), expected);
});

indexed('reads the whole file if its end is torn or missing', async ({ stored }) => {
  const { directory, file } = await stored();
  const whole = await readFile(file, 'utf8');
  await appendFile(file, '{"type":"resumed","at":');
  assert.is((await readSummary(directory)).state, 'failed');
  for (const left of [`${whole.split('\n').slice(0, 4).join('\n')}\n`, whole.slice(0, -1)]) {
    await writeFile(file, left);
    assert.is((await readSummary(directory)).state, 'interrupted');
  }
});

indexed('handles an end longer than the first read', async ({ stored }) => {
  const error = { error: 'scanner_error', message: 'é'.repeat(20_000) } as const;
  const { directory } = await stored([begun(), page(1), ended({ error })]);
  assert.equal((await readSummary(directory)).error, error);
});

indexed('reports an error if the last event is damaged or not JSON', async ({ stored }) => {
  for (const line of ['{"type":"ended","state":"finished"}', '"ended']) {
    const { directory, file } = await stored();
    await appendFile(file, `${line}\n`);
    assert.match(String(await rejection(readSummary(directory))), /line 6/);
  }
});

type ReadIds = typeof idsIn;

const calls = withFixture('the scan of an Idempotency-Key', async (directory) => {
  const [root, other] = [path.join(directory, 'scans'), path.join(directory, 'others')];
  for (const each of [root, other]) await mkdir(each);
  const roots = (): string[] => [root, other];
  return {
    root,
    other,
    recall: (ids: ReadIds = idsIn) =>
      createRecordedCalls({ roots, ids, inTime: () => (read) => read() }).recall,
  };
});

const KEY = callIdentity('k', {});
const HOUR_MS = 60 * 60 * 1000;

function failing(where: string, isAway = () => true): ReadIds {
  return async (directory) => {
    if (directory === where && isAway()) throw Object.assign(new Error('EIO'), { code: 'EIO' });
    return idsIn(directory);
  };
}

async function storeCall(root: string, hoursAgo: number, identity = KEY): Promise<string> {
  const began = new Date(Date.now() - hoursAgo * HOUR_MS);
  const id = createScanId(began);
  const first = begun({}, { scan_id: id, call: { ...identity, last_page: 0 } });
  await storeScan(root, [first], id, began.getTime());
  return id;
}

calls('is the scan begun by the call, in any profile', async ({ root, other, recall }) => {
  const id = await storeCall(root, 1);
  for (const asked of [root, other]) assert.is((await recall()(KEY, { root: asked }))?.scanId, id);
});

calls('is the latest one, whichever directory is read last', async ({ root, other, recall }) => {
  await storeCall(other, 2);
  const last = await storeCall(root, 1);
  let isAway = true;
  const recalled = recall(failing(other, () => isAway));
  for (isAway of [true, false]) assert.is((await recalled(KEY, { root }))?.scanId, last);
});

for (const [what, hoursAgo, isKnown] of [
  ['a little less than a day ago', 23.9, true],
  ['a little more than a day ago', 24.1, false],
  ['before a restart that set the clock back', -48, true],
] as const) {
  calls(`used ${what} is ${isKnown ? 'known' : 'free again'}`, async (bench) => {
    const { root, recall } = bench;
    const id = await storeCall(root, hoursAgo);
    assert.is((await recall()(KEY, { root }))?.scanId, isKnown ? id : undefined);
  });
}

calls('is known if paper was added with it to an old scan', async ({ root, recall }) => {
  const id = createScanId(new Date(Date.now() - 100 * HOUR_MS));
  const added = resumed({ stage: 'scan', call: { ...KEY, last_page: 3 } });
  await storeScan(root, [begun({}, { scan_id: id }), added], id, Date.now() - HOUR_MS);
  const call = await recall()(KEY, { root, scanId: id });
  assert.equal([call?.scanId, call?.last_page], [id, 3]);
});

calls('is free if its scan is damaged; others are not', async ({ root, recall }) => {
  const [gone, damaged, whole] = [
    callIdentity('a', {}),
    callIdentity('b', {}),
    callIdentity('c', {}),
  ];
  await rm(path.join(root, await storeCall(root, 3, gone)), { recursive: true });
  const file = path.join(root, await storeCall(root, 2, damaged), EVENT_FILE);
  await writeFile(file, '{"type":"begun","call":{"key":"../../etc"}}\n{"call":\n');
  const id = await storeCall(root, 1, whole);
  const recalled = recall();
  const found = await Promise.all([gone, damaged, whole].map((one) => recalled(one, { root })));
  assert.equal(
    found.map((call) => call?.scanId),
    [undefined, undefined, id],
  );
});

calls('on an unreadable disk is an error', async ({ root, other, recall }) => {
  const id = await storeCall(other, 1);
  const recalled = recall(failing(root));
  await failure('insufficient_storage', recalled(KEY, { root }));
  assert.is((await recalled(KEY, { root: other }))?.scanId, id);
});

calls('identifies one request, whatever the order of its fields', () => {
  const one = { profile: 'a', metadata: { title: 'b', custom_fields: { 1: 1, 2: 2 } } };
  const two = { metadata: { custom_fields: { 2: 2, 1: 1 }, title: 'b' }, profile: 'a' };
  assert.equal(callIdentity('k', one), callIdentity('k', two));
  const requests = [
    {},
    { metadata: {} },
    { profile: 'a' },
    { profile: 'b' },
    { continue_scan: 'a' },
    { metadata: { tags: [1, 2] } },
    { metadata: { tags: [2, 1] } },
    { metadata: { tags: [12] } },
    { metadata: { title: '1' } },
    { metadata: { title: 1 } },
    { metadata: { custom_fields: { 1: null } } },
    { metadata: { custom_fields: { 1: 'null' } } },
    JSON.parse('{"__proto__":{"a":1}}') as object,
  ];
  const asked = requests.map((request) => callIdentity('k', request).asked);
  assert.is(new Set(asked).size, requests.length);
});

const reading = suite('reads below the output directories');

const READ_TIMEOUT_MS = 100;
const ENDLESS_MS = 600_000;

const hang = (): Promise<never> => new Promise(() => {});

/** For answers that must not wait for a hung disk. */
const soon = <T>(answer: Promise<T>): Promise<T> => within(EVENT_MS, answer);

reading('of a hung disk are abandoned, and logged', async () => {
  const reads = createRootReads(log, READ_TIMEOUT_MS);
  const error = await soon(failure('insufficient_storage', reads.run('/hung', hang)));
  assert.match(error.message, /The disk of \/hung did not answer within 0\.1 s\. Check the disk/);
  assert.match(text(), /"event":"disk_silent","root":"\/hung"/);
});

reading('of one directory are limited to four at a time', async () => {
  const reads = createRootReads(log, ENDLESS_MS);
  const begins: (() => void)[] = [];
  const ten = Array.from({ length: 10 }, () =>
    reads.run('/a', () => new Promise<void>((resolve) => void begins.push(resolve))),
  );
  for (let done = 0; done < ten.length; done += 1) {
    // Runs all pending promise callbacks, so that the next read can start.
    await new Promise((resolve) => void setImmediate(resolve));
    assert.is(begins.length, Math.min(done + 4, ten.length));
    begins[done]?.();
  }
  await Promise.all(ten);
});

reading('waiting in a queue are not abandoned while earlier ones finish', async () => {
  const reads = createRootReads(log, 500);
  const slow = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 25));
  const many = (): Promise<void>[] => Array.from({ length: 100 }, () => reads.run('/a', slow));
  // 25 rounds of 25 ms exceed the time limit of a single read.
  await Promise.all(many());
  const hung = rejection(reads.run('/a', hang));
  await Promise.all(many());
  assert.instance(await hung, Failure);
});

reading('that were abandoned are not started when the disk recovers', async () => {
  const reads = createRootReads(log, READ_TIMEOUT_MS);
  const disk = Promise.withResolvers<void>();
  const held = [1, 2, 3, 4].map(() => rejection(reads.run('/a', () => disk.promise)));
  let begins = 0;
  const queued = rejection(reads.run('/a', async () => void (begins += 1)));
  await soon(Promise.all([...held, queued]));
  disk.resolve();
  assert.is(await soon(reads.run('/a', () => Promise.resolve('back'))), 'back');
  assert.is(begins, 0);
});

function nameOf(root: string): Promise<string> {
  if (root === '/bad') return Promise.reject(new Failure('scan_record_unreadable', 'EIO'));
  return root === '/hung' ? hang() : Promise.resolve(root);
}

reading('for something in one directory do not wait for a hung one', async () => {
  const hung = Promise.withResolvers<undefined>();
  const reads = createRootReads(log, ENDLESS_MS);
  const isB = async (root: string): Promise<string | undefined> =>
    root === '/hung' ? hung.promise : root === '/b' ? root : undefined;
  assert.is(await soon(reads.first(['/hung', '/a', '/b'], isB)), '/b');
  hung.resolve(undefined);
});

reading('for something missing find nothing, or report which directory failed', async () => {
  const reads = createRootReads(log, READ_TIMEOUT_MS);
  const nothing = (root: string): Promise<undefined> => nameOf(root).then(() => undefined);
  for (const roots of [['/a', '/b'], []]) assert.is(await reads.first(roots, nothing), undefined);
  await failure('scan_record_unreadable', reads.first(['/a', '/bad'], nothing));
  await soon(failure('insufficient_storage', reads.first(['/a', '/hung'], nothing)));
});

reading('of all skip those that fail, and wait for a hung one up to the limit', async () => {
  const reads = createRootReads(log, READ_TIMEOUT_MS);
  assert.equal(await soon(reads.all(['/hung', '/a', '/b', '/bad'], nameOf)), [
    { root: '/a', value: '/a' },
    { root: '/b', value: '/b' },
  ]);
});

const roots = inDirectory('known output directories');

const openRoots = (outputDir: string, current: readonly string[] = []): Promise<KnownRoots> =>
  openKnownRoots(outputDir, { current: () => current, log });

roots('a directory that held a scan stays known, even after a restart', async ({ directory }) => {
  const before = await openRoots(directory, ['/mnt/nas']);
  await before.remember(directory);
  await before.remember('/mnt/nas');
  assert.equal(before.list(), [directory, '/mnt/nas']);
  assert.equal((await openRoots(directory)).list(), [directory, '/mnt/nas']);
});

roots('a damaged file counts as empty', async ({ directory, file }) => {
  const known = file('.output-directories.json');
  for (const content of ['', '{', '["../etc"]', '[7]', '{"a":"/b"}']) {
    await writeFile(known, content);
    assert.equal((await openRoots(directory)).list(), [directory], content);
  }
  await (await openRoots(directory)).remember('/mnt/nas');
  assert.equal(JSON.parse(await readFile(known, 'utf8')), ['/mnt/nas']);
});

roots('a read-only disk does not stop a scan', async ({ file }) => {
  const known = await openRoots(file('missing'));
  await known.remember('/mnt/nas');
  assert.ok(known.list().includes('/mnt/nas'));
});

const lock = inDirectory('the lock of an output directory');

/** Leaves a socket without a listener, as a killed service does. */
async function leaveLock(directory: string): Promise<void> {
  const file = path.join(directory, '.service.lock');
  const server = createServer().listen(`${file}.made`);
  await once(server, 'listening');
  await link(`${file}.made`, file);
  await once(server.close(), 'close');
}

lock('is free again after its owner was killed', async ({ directory }) => {
  await leaveLock(directory);
  await createDirectoryLocks(log).check(directory);
  const release = await lockDirectory(directory);
  await failure('output_dir_in_use', lockDirectory(directory));
  await release();
  assert.equal(await readdir(directory), []);
});

lock('goes to exactly one of several simultaneous requests', async ({ directory }) => {
  await leaveLock(directory);
  const all = await Promise.allSettled(Array.from({ length: 20 }, () => lockDirectory(directory)));
  const taken = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  for (const release of taken) await release();
  assert.is(taken.length, 1);
});

for (const code of ['EPERM', 'ENOTSUP', 'ENOSYS']) {
  lock(`works on a file system that refuses links with ${code}`, async ({ directory }) => {
    const refuse = (): never => {
      throw Object.assign(new Error('No links here.'), { code });
    };
    await leaveLock(directory);
    const all = await Promise.allSettled(
      Array.from({ length: 20 }, () => lockDirectory(directory, refuse)),
    );
    const taken = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    assert.is(taken.length, 1);
    await failure('output_dir_in_use', lockDirectory(directory, refuse));
    await failure('output_dir_in_use', createDirectoryLocks(log).check(directory));
    for (const release of taken) await release();
    assert.equal(await readdir(directory), []);
    await (
      await lockDirectory(directory, refuse)
    )();
  });
}

lock('works for a long path, and by every name of it', async ({ directory }) => {
  const deep = path.join(directory, 'x'.repeat(200), 'y'.repeat(200));
  await mkdir(deep, { recursive: true });
  const link = path.join(directory, 'link');
  await symlink(deep, link);
  const [one, two] = [createDirectoryLocks(log), createDirectoryLocks(log)];
  for (const name of [deep, `${deep}//`, link]) await one.take(name);
  await one.check(link);
  for (const name of [deep, link]) {
    await failure('output_dir_in_use', two.take(name));
    await failure('output_dir_in_use', two.check(name));
  }
  await one.releaseAll();
  assert.equal(await readdir(deep), []);
  await two.take(link);
  await two.releaseAll();
});

lock('is required even if the directory is gone', async ({ directory }) => {
  const taken = createDirectoryLocks(log).take(path.join(directory, 'gone'));
  assert.match(String(await rejection(taken)), /ENOENT|EACCES/);
});
