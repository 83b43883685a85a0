import { fold, foldFirst } from '../../../service/archive/fold.ts';
import type { NewScanEvent } from '../../../service/archive/scan-event.ts';
import { resultOf, viewOf } from '../../../service/archive/scan-view.ts';
import { accepted, refused, unknown } from '../../../service/paperless/destination.ts';
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
  timed,
  uploadBegun,
  uploadEnded,
} from '../../support/stored-scan.ts';
import { testProfile } from '../../support/test-app.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('what the events of a scan come to');

const [A, B] = [dms('http://a'), dms('http://b')];
const TWO = { destinations: [A, B] };

/** A scan of two documents, up to where they are delivered. */
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

/** All that may happen to a scan: a jam, a lost page, a kill in an upload, a corrected profile. */
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
  uploadEnded(accepted('t'), 0, 0),
  uploadBegun(0, 1),
  resumed({ settings: testProfile({ name: 'other', destinations: [B, A] }) }),
  uploadBegun(0, 0),
  uploadEnded(refused('no'), 0, 0),
  uploadBegun(1, 1),
  uploadEnded(unknown('cut'), 1, 1),
  ended({ state: 'finished', error: null }),
];

/** Where a scan is after some of its events. */
const STATES: [string, readonly NewScanEvent[], string, string][] = [
  ['while it is fed', MADE.slice(0, 4), 'scanning', 'scan'],
  ['while its feeder stopped', [...MADE.slice(0, 4), fed({ complete: false })], 'scanning', 'scan'],
  ['once the feeder is empty', MADE.slice(0, 5), 'processing', 'process'],
  ['while a document is missing', MADE.slice(0, 8), 'processing', 'process'],
  ['once all documents are made', MADE, 'delivering', 'deliver'],
  ['after a jam', jammedScan(), 'failed', 'scan'],
  ['after a failed assembly', [...MADE.slice(0, 8), ended()], 'failed', 'process'],
  ['after its end', [...MADE, ended({ state: 'finished', error: null })], 'finished', 'deliver'],
  ['while more is fed', [...jammedScan(), resumed({ stage: 'scan' })], 'scanning', 'scan'],
  ['while resumed', [...jammedScan(), resumed({ stage: 'process' })], 'processing', 'process'],
];

for (const [when, events, state, stage] of STATES) {
  test(`${when} it is ${state}, in stage ${stage}`, () => {
    const record = recordOf(events);
    assert.equal([record.state, record.stage], [state, stage]);
  });
}

test('pages stand in the order of their numbers, whenever they were recorded', () => {
  const { pages } = recordOf([begun(), page(3), page(1), page(2), page(3, { bytes: 7 })]);
  assert.equal(
    pages.map(({ number, bytes }) => [number, bytes === 7]),
    [
      [1, false],
      [2, false],
      [3, true],
    ],
  );
});

test('a page that was scanned anew is not recognised any more', () => {
  const { pages } = recordOf([begun(), page(1), recognized(1), page(1)]);
  assert.is(pages[0]?.recognized, undefined);
});

test('warnings are collected in order, each once', () => {
  const events = [
    begun(),
    page(1),
    fed({ warnings: ['b', 'a'] }),
    recognized(1, { warnings: ['b', 'c'] }),
  ];
  assert.equal(recordOf(events).warnings, ['b', 'a', 'c']);
});

test('the end has the time of the call, and of each stage the last one', () => {
  const timings = { process: 20, deliver: 30 };
  const record = recordOf([
    ...jammedScan(),
    resumed({ stage: 'process' }),
    ended({ duration_ms: 50, timings_ms: timings }),
  ]);
  assert.is(record.duration_ms, 50);
  assert.equal(record.timings_ms, { scan: 19_000, ...timings });
  assert.is(record.ended_at, '2026-11-21T06:30:06.000Z');
});

test('a plan replaces the one before it, with its warnings', () => {
  const dropped_pages = [{ page: 2, reason: 'blank', score: 0.1 }] as const;
  const first = { ...planned([1]), dropped_pages, warnings: ['faint', 'first'] };
  const record = recordOf([begun(), page(1), page(2), fed({ warnings: ['jam'] }), first]);
  assert.equal(record.dropped_pages, dropped_pages);
  assert.equal(record.warnings, ['jam', 'faint', 'first']);
  const replaced = { ...planned([1], [2]), warnings: ['faint', 'second'] };
  const next = fold(record, { ...replaced, at: record.started_at });
  assert.equal(next.dropped_pages, []);
  assert.equal(next.warnings, ['jam', 'faint', 'second']);
});

/** Events that cannot follow: a file in which they stand was not written by this service. */
const IMPOSSIBLE: [NewScanEvent, RegExp][] = [
  [begun(), /begins once/],
  [recognized(3), /no page 3/],
  [assembled(2), /no document 2/],
  [uploadBegun(2), /no document 2/],
  [uploadBegun(0, 2), /no destination 2/],
  [uploadEnded(accepted('t'), 0, 7), /no destination 7/],
];

for (const [event, said] of IMPOSSIBLE) {
  test(`"${event.type}" with ${said.source} cannot follow`, () => {
    assert.throws(() => recordOf([...MADE, event]), said);
  });
}

test('every event of a long scan can be the last one, and changes no record before it', () => {
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

test('a scan may be cut off after any of its events and taken up again', () => {
  for (let length = 1; length <= LONG.length; length += 1) {
    const record = recordOf([...LONG.slice(0, length), resumed({ stage: 'process' })]);
    assert.is(record.state, 'processing');
    const open = record.documents.flatMap(({ uploads }) => Object.values(uploads));
    assert.ok(open.every((upload) => !upload.isOpen && upload.last !== undefined));
  }
});

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}

const DESTINATIONS = [dms('http://a'), dms('http://b'), dms('http://c')];
const ONE_MADE = [
  begun({ destinations: DESTINATIONS }),
  page(1),
  page(2),
  planned([1, 2]),
  assembled(),
];

/** What was sent, and what is shown at each destination while the scan runs here, and once it does not. */
const SHOWN: [string, NewScanEvent[], string[], string[]][] = [
  ['nothing', [], [], []],
  ['an upload that is under way', [uploadBegun()], [], ['unknown']],
  [
    'one that was accepted, the next one under way',
    [uploadBegun(), uploadEnded(accepted('t')), uploadBegun(0, 1)],
    ['accepted'],
    ['accepted', 'unknown'],
  ],
  [
    'one that was refused and is made again',
    [uploadBegun(), uploadEnded(refused('no')), uploadBegun()],
    ['refused'],
    ['unknown'],
  ],
  [
    'only the last one',
    [uploadBegun(0, 2), uploadEnded(accepted('t'), 0, 2)],
    ['refused', 'refused', 'accepted'],
    ['refused', 'refused', 'accepted'],
  ],
];

for (const [what, events, running, left] of SHOWN) {
  test(`of ${what} a caller sees ${running.join(', ') || 'nothing'}; ${left.join(', ') || 'nothing'} once nobody is at it`, () => {
    const record = recordOf([...ONE_MADE, ...events]);
    assert.equal(viewOf(record, true).documents[0]?.outcomes, running);
    assert.equal(viewOf(record, false).documents[0]?.outcomes, left);
  });
}

test('a document is shown with the facts of its file, and no confidence where nothing was read', () => {
  const [document] = viewOf(recordOf(ONE_MADE), false).documents;
  assert.equal([document?.bytes, document?.confidence], [assembled().bytes, null]);
});

test('an upload under way is never shown as one that was cut off', () => {
  const record = recordOf([...ONE_MADE, uploadBegun(), uploadEnded(refused('no')), uploadBegun()]);
  assert.not.match(JSON.stringify(viewOf(record, true)), 'cut off');
  assert.match(JSON.stringify(viewOf(record, false)), 'cut off');
});

test('a destination whose turn has not come is shown as failed only beside a later one', () => {
  const record = recordOf([
    ...ONE_MADE,
    uploadBegun(0, 1),
    uploadEnded(accepted('t'), 0, 1),
    ended(),
  ]);
  const [document] = viewOf(record, false).documents;
  assert.equal(document?.destinations, [
    { status: 'failed', error: 'The upload has not begun.' },
    { status: 'submitted', task_id: 't' },
  ]);
});

test('says of an upload of which nobody knows what to look for, where, and what to do then', () => {
  const record = recordOf([...ONE_MADE, uploadBegun(), uploadEnded(unknown('gone'))]);
  const [doubt = ''] = resultOf(record).warnings;
  assert.match(doubt, /^It is unknown whether \S+ accepted \S+-document-0001\.pdf\. /);
  assert.match(doubt, /the title ".+" or the file name "\S+-document-0001\.pdf"/);
  assert.match(doubt, `POST {"resend_unknown": true} to /scans/${STORED_ID}/resume`);
});

test('a back that was fed again is shown as replaced before any document is planned', () => {
  const backs = [resumed({ stage: 'scan', side: 'backs' }), page(3, { sheet: 2, side: 'back' })];
  const again = resumed({ stage: 'scan', side: 'backs' });
  const mismatch = ended({
    state: 'held',
    error: { error: 'sheet_count_mismatch', message: 'No.' },
  });
  const events = [begun(), page(1), page(2), ...backs, mismatch, again];
  const record = recordOf([...events, page(4, { sheet: 2, side: 'back' })]);
  assert.equal(viewOf(record, true).dropped_pages, [{ page: 3, reason: 'replaced' }]);
});
