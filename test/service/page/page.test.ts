import type { RequestListener } from 'node:http';
import { createParser } from 'eventsource-parser';
import { CATALOGUE } from '../../../helpers/failure.ts';
import { WARNING_SENTENCES } from '../../../helpers/warnings.ts';
import { detailsOf } from '../../../service/archive/scan-details.ts';
import type { NewScanEvent } from '../../../service/archive/scan-event.ts';
import { viewChanges, VIEW_FIELDS, VIEW_LISTS } from '../../../service/http/events/view-changes.ts';
import {
  createEventParser,
  readEvents,
  type StreamEvent,
} from '../../../service/page/event-stream.js';
import { afterSignal } from '../../../service/page/knowledge.js';
import { afterEvent, isEditable, isRunning, viewOf } from '../../../service/page/scan/scan-view.js';
import * as english from '../../../service/page/texts/english.js';
import { factsText } from '../../../service/page/texts/facts.js';
import * as german from '../../../service/page/texts/german.js';
import * as laterInEnglish from '../../../service/page/texts/later-english.js';
import * as laterInGerman from '../../../service/page/texts/later-german.js';
import type { ScanDetails } from '../../../service/page/types.d.ts';
import { CAUSE_SENTENCES } from '../../../service/paperless/causes.ts';
import { accepted, refused } from '../../../service/paperless/destination.ts';
import { seededRandom } from '../../fault/support/seeded-random.ts';
import { serve } from '../../support/serve.ts';
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
  uploadBegun,
  uploadEnded,
} from '../../support/stored-scan.ts';
import { assert, rejection, suite, within } from '../../support/suite.ts';

const test = suite('a scan in the control page');

const DESTINATIONS = { destinations: [dms('http://a'), dms('http://b')] };
const NO_ROOM = refused('No room.');
const BACKS = resumed({ stage: 'scan', side: 'backs' });

const EVERYTHING: NewScanEvent[] = [
  begun(DESTINATIONS),
  page(1),
  page(2),
  recognized(1, { warnings: ['Page 1: pale.'] }),
  fed({ complete: false }),
  ended(),
  resumed({ stage: 'scan', lost_pages: [2] }),
  page(3),
  fed(),
  recognized(3),
  planned([1], [3]),
  assembled(1),
  assembled(0),
  uploadBegun(0, 0),
  uploadEnded(accepted('t'), 0, 0),
  uploadBegun(0, 1),
  uploadEnded(NO_ROOM, 0, 1),
  ended({ state: 'finished', error: null, page_count: 2, document_count: 2 }),
];

/** The number of backs does not match the fronts, so they are fed again. */
const SECOND_SIDES: NewScanEvent[] = [
  begun({}, { hold: true }),
  page(1),
  page(2),
  fed(),
  ended({ state: 'held', error: null }),
  BACKS,
  page(3, { sheet: 2, side: 'back' }),
  fed(),
  { type: 'sides_differ', fronts: 2, backs: 1 },
  ended({ state: 'held' }),
  BACKS,
  page(4, { sheet: 2, side: 'back' }),
  page(5, { sheet: 1, side: 'back' }),
  recognized(5),
  recognized(1),
];

function sent<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

function watched(details: object): object {
  const wanted: readonly string[] = [...VIEW_FIELDS, ...VIEW_LISTS];
  return Object.fromEntries(Object.entries(details).filter(([name]) => wanted.includes(name)));
}

/** The scan as a reload shows it after the event at `index`. */
function reloaded(events: readonly NewScanEvent[], index: number): ScanDetails {
  const details = detailsOf(recordOf(events.slice(0, index + 1)), events[index]?.type !== 'ended');
  return sent<unknown>(details) as ScanDetails;
}

/** The scan after each event, as seen by a page that follows it from the event at `first`. */
function followed(events: readonly NewScanEvent[], first = 0): (ScanDetails | undefined)[] {
  let scan: ScanDetails | undefined;
  return events.slice(first).map((event, offset) => {
    const index = first + offset;
    const isNew = event.type === 'begun' || event.type === 'resumed';
    if (offset === 0 && !isNew)
      return (scan = afterEvent(scan, 'snapshot', reloaded(events, index)));
    const before = isNew ? undefined : recordOf(events.slice(0, index));
    const view = viewChanges(recordOf(events.slice(0, index + 1)), before);
    return (scan = afterEvent(scan, event.type, { view: sent(view) }));
  });
}

for (const [name, events] of Object.entries({ EVERYTHING, SECOND_SIDES })) {
  test(`a scan through ${name} always shows what a reload shows, from wherever it is followed`, () => {
    for (const first of events.keys()) {
      for (const [offset, scan] of followed(events, first).entries()) {
        const index = first + offset;
        const where = `after ${events[index]?.type} ${index}, from ${first}`;
        assert.equal(watched(scan ?? {}), watched(reloaded(events, index)), where);
        assert.is(scan && isRunning(scan), events[index]?.type !== 'ended', where);
      }
    }
  });
}

test('editing is not offered once an upload began, since the service refuses it', () => {
  const assembly = [begun(DESTINATIONS), page(1), fed(), recognized(1), planned([1]), assembled()];
  const late = ended({ error: { error: 'timeout', message: 'Late.' } });
  const canEdit = (...events: NewScanEvent[]): boolean =>
    isEditable(viewOf(reloaded(events, events.length - 1)));
  assert.is(canEdit(...assembly, late), true);
  assert.is(canEdit(...assembly, uploadBegun(), uploadEnded(NO_ROOM), late), false);
});

test('a running upload is shown as such, then with its outcome', () => {
  const deliveries = followed(EVERYTHING).map(
    (scan) => scan && viewOf(scan).documents.map((document) => document.deliveries),
  );
  const shown = (state: string, error = ''): object => ({
    state,
    error,
    cause: null,
    address: null,
  });
  assert.equal(deliveries[13], [[shown('sending')], []]);
  assert.equal(deliveries[15]?.[0], [shown('accepted'), shown('sending')]);
  assert.equal(deliveries.at(-1), [[shown('accepted'), shown('refused', 'No room.')], []]);
});

test('unknown events change nothing, and partial ones show nothing', () => {
  const [scan] = followed(EVERYTHING);
  assert.is(afterEvent(scan, 'a new kind of event', {}), scan);
  const [before, after] = [1, 2].map((count) => recordOf(EVERYTHING.slice(0, count)));
  const part = after && viewChanges(after, before);
  assert.is(afterEvent(undefined, 'page', { view: sent(part) }), undefined);
});

test('the length of a message depends only on the changes, not on the number of pages', () => {
  const numbers = Array.from({ length: 200 }, (_, index) => index + 1);
  const plan = planned(...numbers.map((number) => [number]));
  const events = [begun(), ...numbers.map((number) => page(number)), recognized(100), plan];
  for (const count of [3, 201, 202, 203]) {
    const before = recordOf(events.slice(0, count - 1));
    const view = viewChanges(recordOf(events.slice(0, count)), before);
    assert.ok(JSON.stringify(view).length < 600, JSON.stringify(view));
  }
});

test('a preview is turned by quarters only, despite straightening', () => {
  for (const [turned, shown] of [
    [90.4, 90],
    [359.6, 0],
    [-0.4, 0],
    [-90.3, 270],
    [180, 180],
  ] as const) {
    const facts = { ...recognized(1).facts, turned };
    const scan = viewOf(reloaded([begun(), page(1), recognized(1, { facts })], 2));
    assert.is(scan.turned[1], shown, `${turned}`);
  }
});

const known = suite('the connection state of the page');

/** Signals, and the connection state of the page after them. */
const SIGNALS: [what: string, signals: Parameters<typeof afterSignal>[1][], knowledge: string][] = [
  ['at first', [], 'stale'],
  ['an answer', ['answered'], 'live'],
  ['a missing answer', ['answered', 'unanswered'], 'offline'],
  ['a network again, and no answer yet', ['unanswered', 'woken'], 'offline'],
  ['the next answer', ['unanswered', 'answered'], 'live'],
  ['a page that is hidden', ['answered', 'left'], 'asleep'],
  ['answers while it is hidden', ['answered', 'left', 'answered', 'unanswered'], 'asleep'],
  ['a page that is shown again', ['answered', 'left', 'woken'], 'stale'],
  ['an answer after that', ['answered', 'left', 'woken', 'answered'], 'live'],
  ['a device that has a network again', ['answered', 'woken'], 'stale'],
];

for (const [what, signals, knowledge] of SIGNALS) {
  known(`after ${what} it is ${knowledge}`, () => {
    assert.is(signals.reduce(afterSignal, 'stale' as Parameters<typeof afterSignal>[0]), knowledge);
  });
}

const it = suite('the texts of the control page');

const LANGUAGES = [
  ['english', english, laterInEnglish],
  ['german', german, laterInGerman],
] as const;

const SAID = new Set(
  Object.keys({ ...WARNING_SENTENCES, ...CAUSE_SENTENCES }).map((key) => key.split('/')[0] ?? key),
);

const FACTS = new Proxy({}, { get: (_, name) => `<${String(name)}>` });

/** The page's own errors: no answer arrived. */
const OWN = ['unreachable', 'not_answered'];

const FOR_OPERATORS =
  'scanner_runtime_unreachable processor_unreachable output_dir_in_use internal_error no_profiles_loaded';

for (const [language, { errors, texts }, { said, later }] of LANGUAGES) {
  it(`exactly the error codes have a title and advice in ${language}`, () => {
    const codes = [...Object.keys(CATALOGUE), ...OWN];
    const missing = codes.filter((code) => !Object.hasOwn(errors, code));
    assert.equal(missing, [], 'give these a sentence in service/page/texts/');
    for (const [code, [title, advice]] of Object.entries(errors)) {
      assert.match(title, /^\p{Lu}.{3,45}[^.]$/u, code);
      assert.match(advice, /^\p{Lu}.*\.$/u, code);
    }
  });

  it(`exactly the codes of warnings and causes have a sentence in ${language}`, () => {
    assert.equal(Object.keys(said).toSorted(), [...SAID].toSorted());
    for (const [code, sentence] of Object.entries(said)) {
      assert.match(sentence(FACTS), /^[\p{Lu}<„“].*\.$/u, code);
      assert.not.match(sentence({ system: 'http://dms' }), /\(undefined\)/, code);
    }
  });

  it(`people get advice in ${language}, or a line with a command to pass on to an operator`, () => {
    const lines = FOR_OPERATORS.split(' ').map((code) => errors[code]?.[1] ?? '');
    lines.push(texts.noProfilesAdvice, texts.causeUnknown, later.setUpOperator);
    for (const line of lines) assert.match(line, /npm run (doctor|setup)/);
    // A double feed is fixed by fanning the stack, not by a power cycle.
    assert.match(errors['scanner_error']?.[1] ?? '', /^(Fan the stack|Fächern Sie)/);
  });
}

it('both languages have the same texts, with singular and plural', () => {
  const [inEnglish, inGerman] = LANGUAGES.map(([, { texts }, { later }]) =>
    [texts, later].flatMap(Object.keys).toSorted(),
  );
  assert.equal(inGerman, inEnglish);
  assert.equal([english.texts.pages(1), english.texts.pages(2)], ['1 page', '2 pages']);
  assert.equal([german.texts.pages(1), german.texts.pages(0)], ['1 Seite', '0 Seiten']);
  assert.match(laterInGerman.later.profileProblems(1), /^1 Profil hat einen Fehler und ist /);
  assert.match(laterInEnglish.later.profileProblems(2), /^2 profiles have a mistake /);
});

const VALUES = ['Amount', 'Due'].map((value) => ({
  field: 'custom_fields',
  value,
  expected: 'The custom field cannot have the value.',
}));
const TAG = { field: 'tags', expected: 'No tag has this name.', value: 'bils', near: ['bills'] };

const ABOUT: [error: string, facts: object, text: string][] = [
  ['metadata_not_found', { fields: [TAG] }, '“bils” does not exist. Similar: bills.'],
  ['sheet_count_mismatch', { fronts: 3, backs: 1 }, '3 fronts, 1 back.'],
  [
    'insufficient_storage',
    { free_bytes: 1.9e6, needed_bytes: 5e8 },
    '1 MB are free, 500 MB are needed.',
  ],
  ['scan_option_rejected', { option: 'resolution', value: 1200 }, 'resolution: 1200.'],
  ['invalid_body', { fields: VALUES }, 'custom_fields: Amount. custom_fields: Due.'],
  ['scanner_jammed', {}, ''],
];

for (const [error, facts, text] of ABOUT) {
  it(`the text of ${error} uses its facts: ${text}`, () => {
    assert.is(factsText(english.texts, { error, message: 'English', ...facts }), text);
  });
}

const stream = suite('the parser of event streams');

const FUZZED = 20_000;

const PIECES = [
  'data: {"a":1}|data:x|data:  two spaces|data|data: ü\u2028€ 😀|dataset: no| data: no|a',
  'event: page|event:|event: result |id: 7|id:|id: a\0b|retry: 2000|: a comment|:|unknown: field',
].flatMap((pieces) => pieces.split('|'));
const LINE_ENDS = ['\n', '\r\n', '\r'];

type Below = (limit: number) => number;

function randomStream(below: Below): string {
  const lines = Array.from({ length: below(20) }, () => {
    const line = below(3) === 0 ? '' : (PIECES[below(PIECES.length)] ?? '');
    return line + (LINE_ENDS[below(3)] ?? '');
  });
  return lines.join('');
}

function randomSplits(text: string, below: Below): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const length = 1 + below(below(3) === 0 ? text.length : 4);
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}

function parsed(pieces: readonly string[]): StreamEvent[] {
  const events: StreamEvent[] = [];
  pieces.forEach(createEventParser((event) => events.push(event)));
  return events;
}

/** The reference parser. Unlike a browser, it drops the `id` of an event without data. */
function parsedByLibrary(pieces: readonly string[]): Partial<StreamEvent>[] {
  const events: Partial<StreamEvent>[] = [];
  const parser = createParser({
    onEvent: ({ id, event = 'message', data }) =>
      events.push({ ...(id !== undefined && { id }), event, data }),
  });
  for (const piece of pieces) parser.feed(piece);
  return events;
}

stream('finds the same events as eventsource-parser, however the stream is split', () => {
  const random = seededRandom(20_261_122);
  const below: Below = (limit) => Math.floor(random() * limit);
  let found = 0;
  for (let times = 0; times < FUZZED; times += 1) {
    const pieces = randomSplits(`${randomStream(below)}\n\n`, below);
    const events = parsed(pieces);
    const expected = parsedByLibrary(pieces).map((event, index) => ({
      ...events[index],
      ...event,
    }));
    assert.equal(events, expected, JSON.stringify(pieces));
    found += events.length;
  }
  assert.ok(found > FUZZED, `only ${found} events`);
});

async function served(
  handler: RequestListener,
  patienceMs: number,
  run: (events: AsyncGenerator<StreamEvent>) => Promise<unknown>,
): Promise<void> {
  const { url, close } = await serve(handler);
  try {
    const { body } = await fetch(url);
    if (!body) throw new Error('no body');
    await run(readEvents(body, patienceMs));
  } finally {
    await close();
  }
}

stream('reads an answer as it arrives, even if a character is split', () =>
  served(
    (_, response) => {
      const bytes = Buffer.from('id: 1\ndata: €\n\ndata: 2\n\n');
      response.write(bytes.subarray(0, 13));
      setImmediate(() => response.end(bytes.subarray(13)));
    },
    60_000,
    async (events) => {
      const expected = ['€', '2'].map((data) => ({ id: '1', event: 'message', data }));
      assert.equal(await Array.fromAsync(events), expected);
    },
  ),
);

stream('throws if nothing arrives for too long, and closes the connection', () => {
  const gone = Promise.withResolvers<void>();
  return served(
    (_, response) => {
      response.once('close', () => gone.resolve());
      response.write('data: 1\n\n:\n');
    },
    1000,
    async (events) => {
      assert.is((await events.next()).value?.data, '1');
      assert.match(String(await rejection(events.next())), 'nothing arrived for 1000 ms');
      await within(60_000, gone.promise, 'the end of the connection');
    },
  );
});
