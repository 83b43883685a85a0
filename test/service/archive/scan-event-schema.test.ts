import { parseEvent, resumeProblem } from '../../../service/archive/scan-event-schema.ts';
import type { NewScanEvent, ScanEvent } from '../../../service/archive/scan-event.ts';
import { accepted, refused, unknown } from '../../../service/paperless/destination.ts';
import {
  assembled,
  begun,
  dms,
  ended,
  fed,
  page,
  planned,
  recognized,
  recordOf,
  resumed,
  timed,
  uploadBegun,
  uploadEnded,
} from '../../support/stored-scan.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('what a line of events.jsonl must hold to be believed');

const PROFILE = { name: 'default', destinations: [dms('http://a')] };
const { settings } = begun(PROFILE) as Extract<NewScanEvent, { type: 'begun' }>;

const EVERY: readonly NewScanEvent[] = [
  begun(PROFILE, { request: { title: 'Tea', tags: [1], custom_fields: { 1: 'R-1', 3: [4, 5] } } }),
  page(1, { side: 'back' }),
  fed({ warnings: ['One sheet may be missing.'] }),
  recognized(1, { warnings: ['few words'] }),
  planned([1], [2, 3]),
  assembled(1),
  uploadBegun(1, 2),
  uploadEnded(accepted('t')),
  uploadEnded(refused('line\nbreak')),
  uploadEnded(unknown('cut off')),
  resumed(),
  resumed({ stage: 'process', lost_pages: [2], request: { title: 'Coffee' }, settings }),
  ended(),
  ended({ state: 'finished', error: null }),
];

/** An event as it lies on disk, changed as a disk, a person or another version may. */
function lineOf(event: NewScanEvent, change: object = {}): string {
  return JSON.stringify({ ...timed([event])[0], ...change });
}

test('every event is read without the fields that a newer version added', () => {
  for (const event of EVERY) {
    const line = lineOf(event, { added: { later: true }, __proto__: { at: 1 } });
    assert.equal(parseEvent(line), parseEvent(lineOf(event)), event.type);
  }
});

test('what a newer version finds out about a page is kept', () => {
  const facts = { ...recognized(1).facts, blank_score: 0.5 };
  const event = parseEvent(lineOf(recognized(1, { facts }))) as Extract<
    ScanEvent,
    { type: 'recognized' }
  >;
  assert.equal(event.facts, facts);
});

for (const type of ['held', 'page_examined', 'constructor', '__proto__', '']) {
  test(`an event of the type ${JSON.stringify(type)} is one of a newer version, and ignored`, () => {
    assert.is(parseEvent(JSON.stringify({ type, at: 'whenever', further: {} })), undefined);
  });
}

test('a code that a newer version ends with reads as an internal error, with its message', () => {
  for (const error of ['paper_on_fire', 'toString', '__proto__']) {
    const event = parseEvent(lineOf(ended(), { error: { error, message: 'Call for help.' } }));
    assert.equal((event as Extract<ScanEvent, { type: 'ended' }>).error, {
      error: 'internal_error',
      message: 'Call for help.',
    });
  }
});

for (const format of [2, 0, '1', null]) {
  test(`the format ${JSON.stringify(format)} is not read, and the reason is given`, () => {
    assert.throws(
      () => parseEvent(lineOf(begun(), { format })),
      (error: Error) =>
        error.message === `it has format ${JSON.stringify(format)}, and this version reads 1`,
    );
  });
}

const DOCUMENT = planned([1]).documents[0];
const ENTRY = { status: 'submitted', task_id: '' };

/** Each is a change that a disk, a person or an attacker may make; the name of the field that is then wrong. */
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
  [
    'a page dropped for no reason',
    planned([1]),
    { dropped_pages: [{ page: 1, reason: 'ugly' }] },
    'dropped_pages.0.reason',
  ],
  ['a hash that is too short', assembled(), { sha256: 'ab' }, 'sha256'],
  ['an outcome that there is not', uploadEnded(accepted('t')), { outcome: 'lost' }, 'outcome'],
  ['no outcome', uploadEnded(accepted('t')), { outcome: undefined }, 'outcome'],
  [
    'an entry without a task',
    uploadEnded(accepted('t')),
    { entry: { status: 'submitted' } },
    'entry',
  ],
  [
    'an entry of no shape',
    uploadEnded(accepted('t')),
    { entry: { ...ENTRY, status: 'x' } },
    'entry',
  ],
  ['a stage that there is not', resumed(), { stage: 'print' }, 'stage'],
  ['an end in a state that is none', ended(), { state: 'scanning' }, 'state'],
  ['an end without an error or null', ended(), { error: undefined }, 'error'],
  ['a negative duration', ended(), { duration_ms: -1 }, 'duration_ms'],
];

function doc(change: object): object {
  return { documents: [{ ...DOCUMENT, ...change }] };
}

for (const [what, event, change, field] of WRONG) {
  test(`${what} is not believed, and the field is named`, () => {
    assert.throws(
      () => parseEvent(lineOf(event, change)),
      (error: Error) => {
        assert.match(error.message, `event "${event.type}" has wrong fields: `);
        assert.match(error.message, field);
        return true;
      },
    );
  });
}

test('every wrong field is named, once', () => {
  assert.throws(
    () => parseEvent(lineOf(page(1), { number: 'x', bytes: 'x', warnings: 'x' })),
    (error: Error) => error.message === 'event "page" has wrong fields: number, bytes',
  );
});

for (const line of ['null', '1', '"page"', '[]', '{}', '{"type":1}']) {
  test(`${line} is no event`, () => {
    assert.throws(() => parseEvent(line), /an event without a type/);
  });
}

for (const line of ['', 'x', '\0\0\0', '{"type":"page"', '{"type":"page"}{}']) {
  test(`${JSON.stringify(line)} is not even JSON`, () => {
    assert.throws(() => parseEvent(line), /JSON/);
  });
}

/** The record of a scan that was begun with those settings, as this version reads it. */
function readWith(change: object, request: object = {}): ReturnType<typeof recordOf> {
  const event = parseEvent(
    lineOf(begun(PROFILE), { settings: { ...settings, ...change }, request }),
  );
  return recordOf([event as NewScanEvent]);
}

test('settings of today can be worked with', () => {
  assert.is(resumeProblem(readWith({}, { title: 'Tea', tags: [1] })), undefined);
});

test('settings that a newer version added are left out, and one that is missing has its default', () => {
  const { optimize: _, ...processing } = settings.processing;
  const record = readWith({
    hold: true,
    max_pages: undefined,
    processing: { ...processing, low_confidence: 85 },
    destinations: [dms('http://a', { ...settings.destinations[0], label: 'Mum' })],
  });
  assert.is(resumeProblem(record), undefined);
  assert.equal(record.settings, settings);
});

/** Settings that an older or newer version wrote and this one refuses; the names of those. */
const REFUSED: [string, object, RegExp][] = [
  ['a device that is an option', { device: '--version' }, /^device$/],
  ['a resolution beyond all', { resolution: 100_000 }, /^resolution$/],
  ['an unknown grouping', { assembly: { page_grouping: 'pile' } }, /^assembly.page_grouping$/],
  [
    'a tag in a list',
    { destinations: [dms('http://a', { tags: [['tax']] })] },
    /^destinations.0.tags/,
  ],
  [
    'a kind of destination that has no address',
    { destinations: [{ kind: 'mail', address: 'a@b' }] },
    /destinations\.0\.kind, destinations\.0\.base_url/,
  ],
  ['a template that there is not', { title: '{weather}' }, /^title$/],
];

for (const [what, change, names] of REFUSED) {
  test(`settings with ${what} can be read, and what is wrong is named`, () => {
    const record = readWith(change);
    assert.match(resumeProblem(record) ?? '', names);
    assert.is(record.settings.name, 'default');
  });
}

test('metadata that today is refused can be read, and is named', () => {
  const record = readWith({}, { tags: [['tax']], title: 'Tea' });
  assert.equal(record.request, { tags: [['tax']], title: 'Tea' });
  assert.match(resumeProblem(record) ?? '', /^tags/);
});
