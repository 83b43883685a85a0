import { appendFile, mkdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  createEventFile,
  EVENT_FILE,
  readEvents,
  reopenEventFile,
  type EventFile,
} from '../../../service/archive/event-file.ts';
import type { NewScanEvent, ScanEvent } from '../../../service/archive/scan-event.ts';
import { accepted } from '../../../service/paperless/destination.ts';
import { makePipe } from '../../support/make-pipe.ts';
import {
  assembled,
  begun,
  ended,
  jammedScan,
  page,
  planned,
  recordOf,
  storeScan,
  timed,
  uploadBegun,
  uploadEnded,
} from '../../support/stored-scan.ts';
import { assert, rejection, withFixture, within } from '../../support/suite.ts';

const test = withFixture('events.jsonl', async (directory) => {
  const files: EventFile[] = [];
  const closing = async (opened: Promise<EventFile>): Promise<EventFile> => {
    files.push(await opened);
    return opened;
  };
  return {
    directory,
    file: path.join(directory, EVENT_FILE),
    /** The file of a scan that has begun, closed with the test. */
    create: () => closing(createEventFile(directory, FIRST)),
    /** Reopens it as a service that begins anew does. */
    reopen: async () =>
      closing(reopenEventFile(directory, (await readEvents(directory)).wholeBytes)),
    close: async () => {
      for (const file of files) await file.close();
    },
  };
});

const events = (...given: NewScanEvent[]): ScanEvent[] => timed(given);
const FIRST = events(begun())[0] as ScanEvent;
const BATCH = events(page(1), page(2));

test('a torn line is ignored, and cut later', async ({ directory, file, create, reopen }) => {
  await (await create()).append(BATCH.slice(0, 1));
  const whole = await readFile(file, 'utf8');
  const line = JSON.stringify(BATCH[1]);
  for (let length = 1; length <= line.length; length += 17) {
    await writeFile(file, whole + line.slice(0, length));
    const { record, wholeBytes } = await readEvents(directory);
    assert.is(record.pages.length, 1, `cut off at ${length}`);
    assert.is(wholeBytes, whole.length);
  }
  await (await reopen()).append(events(ended()));
  const lines = (await readFile(file, 'utf8')).split('\n');
  assert.is(lines.length, 4);
  assert.is((await readEvents(directory)).record.state, 'failed');
});

/** What a power cut may leave after the last event that was synced. */
const TORN: [string, Buffer][] = [
  ['zeros', Buffer.alloc(100)],
  ['zeros and its end', Buffer.from(`${'\0'.repeat(20)}${JSON.stringify(BATCH[1]).slice(20)}\n`)],
  ['the beginning of a line, zeros, its end', Buffer.from(`{"type":"page"${'\0'.repeat(40)}1}\n`)],
  ['half a character', Buffer.from('{"type":"é').subarray(0, 10)],
];

for (const [what, torn] of TORN) {
  test(`${what} at the end is ignored, then cut`, async ({ directory, file, create, reopen }) => {
    await (await create()).append(BATCH.slice(0, 1));
    const whole = await readFile(file);
    await appendFile(file, torn);
    assert.is((await readEvents(directory)).wholeBytes, whole.length);
    await (await reopen()).append(BATCH.slice(1));
    assert.is(await readFile(file, 'utf8'), `${whole.toString()}${JSON.stringify(BATCH[1])}\n`);
  });
}

test('what a failed write left is cut by the next', async ({ directory, file, create }) => {
  const opened = await create();
  await opened.append(BATCH.slice(0, 1));
  await appendFile(file, JSON.stringify(BATCH[1]).slice(0, 30));
  await opened.append(events(ended()));
  const { record } = await readEvents(directory);
  assert.equal([record.pages.length, record.state], [1, 'failed']);
});

test('is left alone when shorter than what was appended', async ({ file, create }) => {
  const opened = await create();
  await opened.append(BATCH);
  await truncate(file, 10);
  assert.match(
    String(await rejection(opened.append(events(ended())))),
    /cut off by another program/,
  );
  assert.is((await readFile(file)).length, 10);
});

test('is not made anew without its directory', async ({ directory, file, reopen, create }) => {
  await create();
  await rm(file);
  assert.match(String(await rejection(reopen())), /ENOENT/);
  assert.match(String(await rejection(reopenEventFile(directory, 0))), /ENOENT/);
});

test('events of types that a newer version added are passed over', async ({ directory }) => {
  const scan = await storeScan(directory, jammedScan());
  const file = path.join(scan, EVENT_FILE);
  const [first = '', ...others] = (await readFile(file, 'utf8')).split('\n');
  const added = '{"type":"held","at":"2026-11-21T06:30:00.000Z","side":"backs"}';
  await writeFile(file, [added, first, added, ...others].join('\n'));
  assert.equal((await readEvents(scan)).record, recordOf(jammedScan()));
});

/** What may have become of the file, with the reason that is given. */
const DAMAGES: [string, (file: string) => Promise<unknown>, RegExp][] = [
  ['gone', (file) => rm(file), /ENOENT/],
  ['empty', (file) => truncate(file), /holds no event/],
  ['cut off in its first line', (file) => truncate(file, 100), /holds no event/],
  ['of zeros', (file) => writeFile(file, Buffer.alloc(500)), /holds no event/],
  ['no event', (file) => writeFile(file, 'null\n'), /line 1: an event without a type/],
  ['larger than any scan', (file) => truncate(file, 33 * 1024 * 1024), /34603008 bytes/],
  ['a directory', (file) => rm(file).then(() => mkdir(file)), /plain file/],
  ['a link', (file) => rm(file).then(() => symlink('/etc/passwd', file)), /ELOOP/],
  ['a pipe', (file) => rm(file).then(() => makePipe(file)), /plain file/],
  [
    'of another format',
    (file) => edit(file, 0, (line) => line.replace('"format":1', '"format":2')),
    /line 1: it has format 2, and this version reads 1/,
  ],
  ['without its first line', (file) => edit(file, 0, () => ''), /line 2: the first event must be/],
  [
    'begun twice',
    (file) => edit(file, 1, () => JSON.stringify(FIRST)),
    /line 2: a scan begins once/,
  ],
  ['damaged in the middle', (file) => edit(file, 2, (line) => line.slice(20)), /line 3: .*JSON/],
  [
    'of zeros in the middle',
    (file) => edit(file, 2, (line) => '\0'.repeat(line.length)),
    /line 3: .*JSON/,
  ],
  [
    'missing a document',
    (file) => edit(file, 2, () => JSON.stringify(events(assembled(3))[0])),
    /line 3: there is no document 3/,
  ],
  ['damaged in its last line', (file) => edit(file, 4, (line) => line.slice(20)), /line 5: .*JSON/],
];

test('a byte order mark and empty lines do no harm', async ({ directory }) => {
  const scan = await storeScan(directory);
  const file = path.join(scan, EVENT_FILE);
  const before = await readEvents(scan);
  await writeFile(file, `\uFEFF${await readFile(file, 'utf8')}\n\n`);
  assert.equal((await readEvents(scan)).record, before.record);
});

async function edit(file: string, number: number, change: (line: string) => string): Promise<void> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  await writeFile(file, lines.with(number, change(lines[number] ?? '')).join('\n'));
}

for (const [what, damage, said] of DAMAGES) {
  test(`a file that is ${what} is an error that says so, at once`, async ({ directory }) => {
    const scan = await storeScan(directory);
    await damage(path.join(scan, EVENT_FILE));
    assert.match(String(await within(60_000, rejection(readEvents(scan)))), said);
  });
}

test('a damaged end of an upload makes the file unreadable', async ({ directory }) => {
  const made = [
    begun({ destinations: [{ kind: 'dms', base_url: 'http://a' }] }),
    page(1),
    planned([1]),
    assembled(),
  ];
  const scan = await storeScan(directory, [
    ...made,
    uploadBegun(),
    uploadEnded(accepted('t')),
    ended(),
  ]);
  await edit(path.join(scan, EVENT_FILE), 5, (line) => line.replace('accepted', 'lost'));
  assert.match(String(await rejection(readEvents(scan))), /line 6: .*outcome/);
});
