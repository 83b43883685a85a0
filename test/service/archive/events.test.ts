import { appendFile, mkdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  createEventFile,
  EVENT_FILE,
  readEvents,
  reopenEventFile,
  type EventFile,
} from '../../../service/archive/event-file.ts';
import { fold, foldFirst } from '../../../service/archive/fold.ts';
import { openScan } from '../../../service/archive/open-scan.ts';
import { parseEvent, resumeProblem } from '../../../service/archive/scan-event-schema.ts';
import type { Begun, NewScanEvent, ScanEvent } from '../../../service/archive/scan-event.ts';
import type { ScanListener, ScanRecord } from '../../../service/archive/scan-record.ts';
import { resultOf, viewOf } from '../../../service/archive/scan-view.ts';
import { accepted, identityOf, refused, unknown } from '../../../service/paperless/destination.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { makePipe } from '../../support/make-pipe.ts';
import {
  assembled,
  begun,
  dms,
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
  uploadBegun,
  uploadEnded,
} from '../../support/stored-scan.ts';
import { assert, rejection, suite, withFixture, within } from '../../support/suite.ts';
import { testProfile } from '../../support/test-profile.ts';

const events = (...given: NewScanEvent[]): ScanEvent[] => timed(given);
const [A, B, C] = [dms('http://a'), dms('http://b'), dms('http://c')];
const SENT = uploadEnded(accepted('t'));
const FINISHED = ended({ state: 'finished', error: null });

const line = suite('validity of a line of events.jsonl');

const PROFILE = { name: 'default', destinations: [A] };
const { settings } = begun(PROFILE) as Extract<NewScanEvent, { type: 'begun' }>;

/** The stored line of an event, with fields changed by a disk, a person or another version. */
function lineOf(event: NewScanEvent, change: object = {}): string {
  return JSON.stringify({ ...timed([event])[0], ...change });
}

line('every event is read without the fields that a newer version added', () => {
  const asked = { title: 'Tea', tags: [1], custom_fields: { 1: 'R-1', 3: [4, 5] } };
  const corrected = resumed({ lost_pages: [2], request: { title: 'Coffee' }, settings });
  for (const event of [...LONG, begun(PROFILE, { request: asked }), corrected, ended()]) {
    const later = lineOf(event, { added: { later: true }, __proto__: { at: 1 } });
    assert.equal(parseEvent(later), parseEvent(lineOf(event)), event.type);
  }
});

line('page facts of a newer version are kept', () => {
  const facts = { ...recognized(1).facts, blank_score: 0.5 };
  const event = parseEvent(lineOf(recognized(1, { facts })));
  assert.equal(event?.type === 'recognized' && event.facts, facts);
});

for (const type of ['held', 'page_examined', 'constructor', '__proto__', '']) {
  line(`an event of type ${JSON.stringify(type)} belongs to a newer version and is ignored`, () => {
    assert.is(parseEvent(JSON.stringify({ type, at: 'whenever', further: {} })), undefined);
  });
}

line('an error code of a newer version reads as an internal error with its message', () => {
  const message = 'Call for help.';
  for (const error of ['paper_on_fire', 'toString', '__proto__']) {
    const event = parseEvent(lineOf(ended(), { error: { error, message } }));
    assert.equal(event?.type === 'ended' && event.error, { error: 'internal_error', message });
  }
});

const doc = (change: object): object => ({
  documents: [{ ...planned([1]).documents[0], ...change }],
});
const dropped = (reason: string): object => ({ dropped_pages: [{ page: 1, reason }] });

/** Changes by a disk, a person or an attacker, and the field they make invalid. */
const WRONG: [string, NewScanEvent, object, string][] = [
  ['an event without a time', page(1), { at: undefined }, 'at'],
  ['a time that is none', page(1), { at: 'yesterday' }, 'at'],
  ['an id that is a path', begun(), { scan_id: '../x' }, 'scan_id'],
  ['no settings', begun(), { settings: undefined }, 'settings'],
  ['settings that are none', begun(), { settings: 'default' }, 'settings'],
  ['settings without destinations', begun(), { settings: { name: 'a' } }, 'settings.destinations'],
  ['no format', begun(), { format: undefined }, 'format'],
  ['a page out of the directory', page(1), { filename: '../page-0001.tif' }, 'filename'],
  ['a page number as text', page(1), { number: '1' }, 'number'],
  ['a page 0', page(1), { number: 0 }, 'number'],
  ['a side that there is not', page(1), { side: 'edge' }, 'side'],
  ['a negative size', page(1), { bytes: -1 }, 'bytes'],
  ['a warning that is no text', fed(), { warnings: [{}] }, 'warnings.0'],
  ['a document from elsewhere', planned([1]), doc({ filename: '/x' }), 'documents.0.filename'],
  ['a document without pages', planned([1]), doc({ pages: [] }), 'documents.0.pages'],
  ['a page dropped for no reason', planned([1]), dropped('ugly'), 'dropped_pages.0.reason'],
  ['a hash that is too short', assembled(), { sha256: 'ab' }, 'sha256'],
  ['an outcome that there is not', SENT, { outcome: 'lost' }, 'outcome'],
  ['no outcome', SENT, { outcome: undefined }, 'outcome'],
  ['an entry without a task', SENT, { entry: { status: 'submitted' } }, 'entry'],
  ['an entry of no shape', SENT, { entry: { status: 'x', task_id: '' } }, 'entry'],
  ['a stage that there is not', resumed(), { stage: 'print' }, 'stage'],
  ['an end in a state that is none', ended(), { state: 'scanning' }, 'state'],
  ['an end without an error or null', ended(), { error: undefined }, 'error'],
  ['a negative duration', ended(), { duration_ms: -1 }, 'duration_ms'],
];

for (const [what, event, change, field] of WRONG) {
  line(`${what} is rejected, and the field is named`, () => {
    assert.throws(
      () => parseEvent(lineOf(event, change)),
      ({ message }: Error) =>
        message.includes(`event "${event.type}" has wrong fields: `) && message.includes(field),
    );
  });
}

const WITH_WRONG = lineOf(page(1), { number: 'x', bytes: 'x', warnings: 'x' });
const TYPELESS = ['null', '1', '"page"', '[]', '{}', '{"type":1}'];
const BROKEN = ['', 'x', '\0\0\0', '{"type":"page"', '{"type":"page"}{}'];

const NONE: (readonly [string, RegExp])[] = [
  [lineOf(begun(), { format: 2 }), /^it has format 2, and this version reads 1$/],
  [lineOf(begun(), { format: 0 }), /^it has format 0, and this version reads 1$/],
  [lineOf(begun(), { format: '1' }), /^it has format "1", and this version reads 1$/],
  [lineOf(begun(), { format: null }), /^it has format null, and this version reads 1$/],
  [WITH_WRONG, /^event "page" has wrong fields: number, bytes$/],
  ...TYPELESS.map((text) => [text, /an event without a type/] as const),
  ...BROKEN.map((text) => [text, /JSON/] as const),
];

for (const [text, said] of NONE) {
  line(`${JSON.stringify(text.slice(0, 40))} is not an event: ${said.source}`, () => {
    assert.throws(() => parseEvent(text), said);
  });
}

function readWith(change: object, request: object = {}): ScanRecord {
  const changed = { settings: { ...settings, ...change }, request };
  return recordOf([parseEvent(lineOf(begun(PROFILE), changed)) as NewScanEvent]);
}

line('current settings are usable', () => {
  assert.is(resumeProblem(readWith({}, { title: 'Tea', tags: [1] })), undefined);
});

line('settings of a newer version are dropped, and missing ones get defaults', () => {
  const { optimize: _, ...processing } = settings.processing;
  const record = readWith({
    hold: true,
    max_pages: undefined,
    processing,
    destinations: [dms('http://a', { ...settings.destinations[0], label: 'Mum' })],
  });
  assert.is(resumeProblem(record), undefined);
  assert.equal(record.settings, settings);
});

const MAIL = { kind: 'mail', address: 'a@b' };

/** Settings from another version that this one refuses, and the names of the refused fields. */
const REFUSED: [string, object, RegExp][] = [
  ['a device that is an option', { device: '--version' }, /^device$/],
  ['a resolution beyond all', { resolution: 100_000 }, /^resolution$/],
  ['an unknown grouping', { assembly: { page_grouping: 'pile' } }, /^assembly.page_grouping$/],
  ['tags in tags', { destinations: [dms('http://a', { tags: [['a']] })] }, /^destinations.0.tags/],
  ['no address', { destinations: [MAIL] }, /destinations\.0\.kind, destinations\.0\.base_url/],
  ['a template that there is not', { title: '{weather}' }, /^title$/],
];

for (const [what, change, names] of REFUSED) {
  line(`settings with ${what} are readable, and the error is named`, () => {
    const record = readWith(change);
    assert.match(resumeProblem(record) ?? '', names);
    assert.is(record.settings.name, 'default');
  });
}

line('metadata that is invalid now is readable, and named', () => {
  const record = readWith({}, { tags: [['tax']], title: 'Tea' });
  assert.equal(record.request, { tags: [['tax']], title: 'Tea' });
  assert.match(resumeProblem(record) ?? '', /^tags/);
});

const stored = withFixture('events.jsonl', async (directory) => {
  const files: EventFile[] = [];
  const closing = async (opened: Promise<EventFile>): Promise<EventFile> => {
    files.push(await opened);
    return opened;
  };
  return {
    directory,
    file: path.join(directory, EVENT_FILE),
    create: () => closing(createEventFile(directory, FIRST)),
    reopen: async () =>
      closing(reopenEventFile(directory, (await readEvents(directory)).wholeBytes)),
    close: async () => {
      for (const file of files) await file.close();
    },
  };
});

const FIRST = events(begun())[0] as ScanEvent;
const BATCH = events(page(1), page(2));

stored('a torn line is ignored, and cut later', async ({ directory, file, create, reopen }) => {
  await (await create()).append(BATCH.slice(0, 1));
  const whole = await readFile(file, 'utf8');
  const torn = JSON.stringify(BATCH[1]);
  for (let length = 1; length <= torn.length; length += 17) {
    await writeFile(file, whole + torn.slice(0, length));
    const { record, wholeBytes } = await readEvents(directory);
    assert.equal([record.pages.length, wholeBytes], [1, whole.length], `cut off at ${length}`);
  }
  await (await reopen()).append(events(ended()));
  assert.is((await readFile(file, 'utf8')).split('\n').length, 4);
  assert.is((await readEvents(directory)).record.state, 'failed');
});

const TORN: [string, Buffer][] = [
  ['zeros', Buffer.alloc(100)],
  ['zeros and its end', Buffer.from(`${'\0'.repeat(20)}${JSON.stringify(BATCH[1]).slice(20)}\n`)],
  ['the beginning of a line, zeros, its end', Buffer.from(`{"type":"page"${'\0'.repeat(40)}1}\n`)],
  ['half a character', Buffer.from('{"type":"é').subarray(0, 10)],
];

for (const [what, torn] of TORN) {
  stored(`${what} at the end is ignored, then cut`, async ({ directory, file, create, reopen }) => {
    await (await create()).append(BATCH.slice(0, 1));
    const whole = await readFile(file);
    await appendFile(file, torn);
    assert.is((await readEvents(directory)).wholeBytes, whole.length);
    await (await reopen()).append(BATCH.slice(1));
    assert.is(await readFile(file, 'utf8'), `${whole.toString()}${JSON.stringify(BATCH[1])}\n`);
  });
}

stored('leftovers of a failed write are cut by the next', async ({ directory, file, create }) => {
  const opened = await create();
  await opened.append(BATCH.slice(0, 1));
  await appendFile(file, JSON.stringify(BATCH[1]).slice(0, 30));
  await opened.append(events(ended()));
  const { record } = await readEvents(directory);
  assert.equal([record.pages.length, record.state], [1, 'failed']);
});

stored('is left alone if shorter than what was appended', async ({ file, create }) => {
  const opened = await create();
  await opened.append(BATCH);
  await truncate(file, 10);
  const refusal = await rejection(opened.append(events(ended())));
  assert.match(String(refusal), /cut off by another program/);
  assert.is((await readFile(file)).length, 10);
});

stored('is not recreated without its directory', async ({ directory, file, reopen, create }) => {
  await create();
  await rm(file);
  assert.match(String(await rejection(reopen())), /ENOENT/);
  assert.match(String(await rejection(reopenEventFile(directory, 0))), /ENOENT/);
});

stored('events of types from a newer version are skipped', async ({ directory }) => {
  const file = path.join(await storeScan(directory), EVENT_FILE);
  const [first = '', ...others] = (await readFile(file, 'utf8')).split('\n');
  const added = '{"type":"held","at":"2026-11-21T06:30:00.000Z","side":"backs"}';
  await writeFile(file, [added, first, added, ...others].join('\n'));
  assert.equal((await readEvents(path.dirname(file))).record, recordOf(jammedScan()));
});

stored('a byte order mark and empty lines are harmless', async ({ directory }) => {
  const file = path.join(await storeScan(directory), EVENT_FILE);
  await writeFile(file, `\uFEFF${await readFile(file, 'utf8')}\n\n`);
  assert.equal((await readEvents(path.dirname(file))).record, recordOf(jammedScan()));
});

type Damage = (file: string) => Promise<unknown>;

function edit(index: number, change: (text: string) => string): Damage {
  return async (file) => {
    const lines = (await readFile(file, 'utf8')).split('\n');
    await writeFile(file, lines.with(index, change(lines[index] ?? '')).join('\n'));
  };
}

const inFormat2 = (text: string): string => text.replace('"format":1', '"format":2');
const toDocument3 = (): string => JSON.stringify(events(assembled(3))[0]);
const toZeros = (text: string): string => '\0'.repeat(text.length);
const cutBefore20 = (text: string): string => text.slice(20);

const DAMAGES: [string, Damage, RegExp][] = [
  ['gone', (file) => rm(file), /ENOENT/],
  ['empty', (file) => truncate(file), /holds no event/],
  ['cut off in its first line', (file) => truncate(file, 100), /holds no event/],
  ['of zeros', (file) => writeFile(file, Buffer.alloc(500)), /holds no event/],
  ['no event', (file) => writeFile(file, 'null\n'), /line 1: an event without a type/],
  ['larger than any scan', (file) => truncate(file, 33 * 1024 * 1024), /34603008 bytes/],
  ['a directory', (file) => rm(file).then(() => mkdir(file)), /is a directory/],
  ['a link', (file) => rm(file).then(() => symlink('/etc/passwd', file)), /ELOOP/],
  ['a pipe', (file) => rm(file).then(() => makePipe(file)), /plain file/],
  ['of another format', edit(0, inFormat2), /line 1: it has format 2, and this version reads 1/],
  ['without its first line', edit(0, () => ''), /line 2: the first event must be/],
  ['damaged in the middle', edit(2, cutBefore20), /line 3: .*JSON/],
  ['of zeros in the middle', edit(2, toZeros), /line 3: .*JSON/],
  ['missing a document', edit(2, toDocument3), /line 3: there is no document 3/],
  ['damaged in its last line', edit(4, cutBefore20), /line 5: .*JSON/],
];

for (const [what, damage, said] of DAMAGES) {
  stored(`a file that is ${what} is reported as such, quickly`, async ({ directory }) => {
    const scan = await storeScan(directory);
    await damage(path.join(scan, EVENT_FILE));
    assert.match(String(await within(60_000, rejection(readEvents(scan)))), said);
  });
}

const folded = suite('the state that results from events');

const TWO = { destinations: [A, B] };

const MADE: readonly NewScanEvent[] = [
  begun(TWO, { request: { title: 'Tea' } }),
  page(1),
  recognized(1),
  page(2),
  fed(),
  recognized(2),
  planned([1], [2]),
  assembled(0),
  assembled(1),
];

/** Contains a jam, a lost page, a kill during an upload and a corrected profile. */
const LONG: readonly NewScanEvent[] = [
  ...jammedScan(TWO),
  resumed({ stage: 'scan', lost_pages: [2], warnings: ['page-0002.tif is no longer on disk'] }),
  page(3, { side: 'front' }),
  page(4, { sheet: 3, side: 'back' }),
  fed({ duplex: true, warnings: ['One sheet may be missing.'] }),
  recognized(1),
  recognized(4, { warnings: ['Page 4: few words'] }),
  recognized(3),
  planned([1], [3, 4]),
  assembled(1),
  ended({ error: { error: 'processing_failed', message: 'No.' }, timings_ms: { process: 5 } }),
  resumed({ stage: 'process' }),
  planned([1], [3, 4]),
  assembled(0),
  assembled(1),
  uploadBegun(0, 0),
  SENT,
  uploadBegun(0, 1),
  resumed({ settings: testProfile({ name: 'other', destinations: [B, A] }) }),
  uploadBegun(0, 0),
  uploadEnded(refused('line\nbreak'), 0, 0),
  uploadBegun(1, 1),
  uploadEnded(unknown('cut'), 1, 1),
  FINISHED,
];

const STATES: [string, readonly NewScanEvent[], string, string][] = [
  ['while it is fed', MADE.slice(0, 4), 'scanning', 'scan'],
  ['while its feeder stopped', [...MADE.slice(0, 4), fed({ complete: false })], 'scanning', 'scan'],
  ['once the feeder is empty', MADE.slice(0, 5), 'processing', 'process'],
  ['while a document is missing', MADE.slice(0, 8), 'processing', 'process'],
  ['once all documents are made', MADE, 'delivering', 'deliver'],
  ['after a jam', jammedScan(), 'failed', 'scan'],
  ['after a failed assembly', [...MADE.slice(0, 8), ended()], 'failed', 'process'],
  ['after its end', [...MADE, FINISHED], 'finished', 'deliver'],
  ['while more is fed', [...jammedScan(), resumed({ stage: 'scan' })], 'scanning', 'scan'],
  ['while resumed', [...jammedScan(), resumed({ stage: 'process' })], 'processing', 'process'],
];

for (const [when, given, state, stage] of STATES) {
  folded(`${when} it is ${state}, in stage ${stage}`, () => {
    const record = recordOf(given);
    assert.equal([record.state, record.stage], [state, stage]);
  });
}

folded('pages are ordered by number, whenever they were recorded', () => {
  const { pages } = recordOf([begun(), page(3), page(1), page(2), page(3, { bytes: 7 })]);
  const found = pages.map(({ number, bytes }) => `${number}${bytes === 7 ? ' anew' : ''}`);
  assert.equal(found, ['1', '2', '3 anew']);
});

folded('a page that was scanned again is no longer recognized', () => {
  const { pages } = recordOf([begun(), page(1), recognized(1), page(1)]);
  assert.is(pages[0]?.recognized, undefined);
});

folded('warnings are collected in order, each once', () => {
  const both = [fed({ warnings: ['b', 'a'] }), recognized(1, { warnings: ['b', 'c'] })];
  assert.equal(recordOf([begun(), page(1), ...both]).warnings, ['b', 'a', 'c']);
});

folded('the end has the time of the call, and the last time of each stage', () => {
  const timings = { process: 20, deliver: 30 };
  const end = ended({ duration_ms: 50, timings_ms: timings });
  const record = recordOf([...jammedScan(), resumed({ stage: 'process' }), end]);
  assert.is(record.duration_ms, 50);
  assert.equal(record.timings_ms, { scan: 19_000, ...timings });
  assert.is(record.ended_at, '2026-11-21T06:30:06.000Z');
});

folded('a plan replaces the previous one and its warnings', () => {
  const dropped_pages = [{ page: 2, reason: 'blank', score: 0.1 }] as const;
  const first = { ...planned([1]), dropped_pages, warnings: ['faint', 'first'] };
  const record = recordOf([begun(), page(1), page(2), fed({ warnings: ['jam'] }), first]);
  assert.equal(record.dropped_pages, dropped_pages);
  assert.equal(record.warnings, ['jam', 'faint', 'first']);
  const replaced = { ...planned([1], [2]), warnings: ['faint', 'second'] };
  const next = fold(record, { ...replaced, at: record.started_at });
  assert.equal([next.dropped_pages, next.warnings], [[], ['jam', 'faint', 'second']]);
});

/** Events that cannot follow and that this service never writes. */
const IMPOSSIBLE: [NewScanEvent, RegExp][] = [
  [begun(), /begins once/],
  [recognized(3), /no page 3/],
  [assembled(2), /no document 2/],
  [uploadBegun(2), /no document 2/],
  [uploadBegun(0, 2), /no destination 2/],
  [uploadEnded(accepted('t'), 0, 7), /no destination 7/],
];

for (const [event, said] of IMPOSSIBLE) {
  folded(`"${event.type}" with ${said.source} cannot follow`, () => {
    assert.throws(() => recordOf([...MADE, event]), said);
  });
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}

folded('every event of a long scan can be the last, and never changes earlier records', () => {
  const [first, ...others] = timed(LONG);
  assert.ok(first?.type === 'begun');
  let record = deepFreeze(foldFirst(first));
  for (const event of others) {
    const before = JSON.stringify(record);
    const after = fold(record, deepFreeze(event));
    assert.equal(fold(record, event), after, 'the same again');
    assert.is(JSON.stringify(record), before);
    record = deepFreeze(after);
  }
  assert.is(record.state, 'finished');
});

folded('a scan may be interrupted after any event and resumed', () => {
  for (let length = 1; length <= LONG.length; length += 1) {
    const record = recordOf([...LONG.slice(0, length), resumed({ stage: 'process' })]);
    assert.is(record.state, 'processing');
    const uploads = record.documents.flatMap((document) => Object.values(document.uploads));
    assert.ok(uploads.every((upload) => !upload.isOpen && upload.last !== undefined));
  }
});

const THREE = begun({ destinations: [A, B, C] });
const ONE_MADE = [THREE, page(1), page(2), planned([1, 2]), assembled()];
const [TO_A, TO_B, TO_C] = [uploadBegun(0, 0), uploadBegun(0, 1), uploadBegun(0, 2)];
const REFUSAL = uploadEnded(refused('no'));
const TAKEN_BY_C = uploadEnded(accepted('t'), 0, 2);
const ONLY_C = 'refused, refused, accepted';

/** The events of an upload, and its status while a call works on the scan and afterwards. */
const SHOWN: [string, NewScanEvent[], string, string][] = [
  ['nothing', [], '', ''],
  ['an upload that is under way', [TO_A], '', 'unknown'],
  ['one accepted, the next under way', [TO_A, SENT, TO_B], 'accepted', 'accepted, unknown'],
  ['one that was refused and is made again', [TO_A, REFUSAL, TO_A], 'refused', 'unknown'],
  ['only the last one', [TO_C, TAKEN_BY_C], ONLY_C, ONLY_C],
];

for (const [what, given, running, left] of SHOWN) {
  folded(`for ${what} a caller sees "${running}", and "${left}" once no call works on it`, () => {
    const record = recordOf([...ONE_MADE, ...given]);
    assert.is(viewOf(record, true).documents[0]?.outcomes.join(', '), running);
    assert.is(viewOf(record, false).documents[0]?.outcomes.join(', '), left);
  });
}

folded('a document has the facts of its file, and no confidence if nothing was read', () => {
  const [document] = viewOf(recordOf(ONE_MADE), false).documents;
  assert.equal([document?.bytes, document?.confidence], [assembled().bytes, null]);
});

folded('a pending destination is shown as failed only next to a later one', () => {
  const later = [uploadBegun(0, 1), uploadEnded(accepted('t'), 0, 1), ended()];
  const [document] = viewOf(recordOf([...ONE_MADE, ...later]), false).documents;
  assert.equal(document?.destinations, [
    { status: 'failed', error: 'The upload has not begun.' },
    { status: 'submitted', task_id: 't' },
  ]);
});

folded('explains for an unknown upload what to look for, where, and how to continue', () => {
  const record = recordOf([...ONE_MADE, uploadBegun(), uploadEnded(unknown('gone'))]);
  const [doubt = ''] = resultOf(record).warnings;
  assert.match(doubt, /^It is unknown whether \S+ accepted \S+-document-0001\.pdf\. /);
  assert.match(doubt, /the title ".+" or the file name "\S+-document-0001\.pdf"/);
  assert.match(doubt, `POST {"resend_unknown": true} to /scans/${STORED_ID}/resume`);
});

folded('a back fed again is shown as replaced before any document is planned', () => {
  const again = resumed({ stage: 'scan', side: 'backs' });
  const back = { sheet: 2, side: 'back' } as const;
  const error = { error: 'sheet_count_mismatch', message: 'No.' } as const;
  const mismatch = [page(1), page(2), again, page(3, back), ended({ state: 'held', error })];
  const record = recordOf([begun(), ...mismatch, again, page(4, back)]);
  assert.equal(viewOf(record, true).dropped_pages, [{ page: 3, reason: 'replaced' }]);
});

const open = withFixture('an open scan', async (directory) => {
  const [first] = timed([begun(TWO)]) as [Begun];
  const file = await createEventFile(directory, first);
  /** Faults of the disk: how many writes fail, and whether closing the events fails. */
  const refuses = { writes: 0, close: false };
  let isWriting = false;
  const refusing: EventFile = {
    ...file,
    append: async (added) => {
      refuses.writes -= 1;
      if (refuses.writes >= 0) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
      isWriting = true;
      await file.append(added);
      isWriting = false;
    },
    reserveSpace: () => {
      assert.not.ok(isWriting, 'an event is being written in this place');
      return file.reserveSpace();
    },
    close: async () => {
      await file.close();
      if (refuses.close) throw Object.assign(new Error('i/o error'), { code: 'EIO' });
    },
  };
  const heard: [type: string, pages: number][] = [];
  const listener: ScanListener = ({ type }, { pages }) => void heard.push([type, pages.length]);
  const { log, lines } = capturedLog();
  const parts = { directory, file: refusing, record: foldFirst(first), sequence: 1 };
  const scan = openScan({ ...parts, listener, onClose: () => {}, log });
  /** The record as a freshly started service reads it. */
  const onDisk = async (): Promise<ScanRecord> => (await readEvents(directory)).record;
  const logged = (wanted: string): unknown =>
    lines().find(({ event }) => event === wanted)?.['msg'];
  return { directory, scan, refuses, heard, onDisk, logged, close: () => scan.close() };
});

open('keeps room behind the events, never in their place', async ({ scan, onDisk }) => {
  // Pages of an earlier call are recognized while the feeder is about to start.
  const first = scan.append(page(1));
  // Lets the write start.
  await Promise.resolve();
  await Promise.all([first, scan.reserveSpace(), scan.append(page(2))]);
  assert.is((await onDisk()).pages.length, 2);
  scan.releaseSpace();
  await scan.append(page(3));
  assert.is((await onDisk()).pages.length, 3);
});

open('knows and reports an event once it is durable', async ({ scan, heard, onDisk }) => {
  const appended = scan.append(page(1));
  assert.equal([scan.record().pages, heard], [[], []]);
  await appended;
  await scan.append(page(2), page(3));
  assert.equal(scan.record(), await onDisk());
  const known = heard.map(([, pages]) => pages);
  assert.equal(known, [1, 2, 3], 'each with what is known then');
});

open('a failed append is reported only to its caller', async ({ scan, heard, refuses, onDisk }) => {
  await scan.append(page(1));
  refuses.writes = 2;
  assert.match(String(await rejection(scan.append(page(2)))), /no space left/);
  assert.equal([scan.record(), heard.length], [await onDisk(), 1]);
  assert.match(String(await rejection(scan.append(page(3)))), /no space left/);
  assert.is((await onDisk()).pages.length, 1);
  await scan.append(ended());
  const record = await onDisk();
  assert.equal([record.pages.length, record.state], [3, 'failed']);
  assert.equal(scan.record(), record);
  await scan.append(resumed({ stage: 'process' }));
  const types = heard.map(([type]) => type);
  assert.equal(types, ['page', 'page', 'page', 'ended', 'resumed'], 'each once');
});

open('an unrecorded upload has not begun', async ({ heard, scan, refuses, onDisk }) => {
  const uploads = async (): Promise<unknown> => (await onDisk()).documents[0]?.uploads;
  const a = identityOf({ base_url: 'http://a' });
  await scan.append(page(1), planned([1]), assembled(), uploadBegun(0, 0));
  refuses.writes = 1;
  await rejection(scan.append(SENT, uploadBegun(0, 1)));
  assert.equal(await uploads(), { [a]: { isOpen: true, last: undefined, tasks: [] } });
  await scan.append(ended());
  assert.equal(await uploads(), { [a]: { isOpen: false, last: accepted('t'), tasks: ['t'] } });
  const types = heard.map(([type]) => type);
  assert.equal(types.slice(-3), ['upload_begun', 'upload_ended', 'ended']);
});

open('an event that cannot follow is refused and not written', async ({ scan, onDisk }) => {
  await scan.append(page(1));
  const impossible = scan.append(page(2), uploadEnded(unknown('x'), 5, 0));
  assert.match(String(await rejection(impossible)), /no document 5/);
  await scan.append(page(3));
  const numbers = (await onDisk()).pages.map(({ number }) => number);
  assert.equal(numbers, [1, 3]);
});

open('a failed write of scan.json is only logged', async ({ directory, scan, logged }) => {
  await rm(directory, { recursive: true });
  await scan.writeRecord();
  assert.match(String(logged('record_not_written')), /scan.json could not be written/);
});

open('a failed close is only logged: all events are durable', async (bench) => {
  await bench.scan.append(page(1));
  bench.refuses.close = true;
  await bench.scan.close();
  assert.match(String(bench.logged('events_not_closed')), /events.jsonl could not be closed/);
  assert.equal(await bench.onDisk(), bench.scan.record());
});
