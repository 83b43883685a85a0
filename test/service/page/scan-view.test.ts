import { afterEvent, isEditable, isRunning, viewOf } from '../../../service/page/scan/scan-view.js';
import type { ScanDetails } from '../../../service/page/types.d.ts';
import { detailsOf } from '../../../service/archive/scan-details.ts';
import { viewChanges, VIEW_FIELDS, VIEW_LISTS } from '../../../service/http/events/view-changes.ts';
import { accepted, refused } from '../../../service/paperless/destination.ts';
import type { NewScanEvent } from '../../../service/archive/scan-event.ts';
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
import { assert, suite } from '../../support/suite.ts';

const test = suite('a scan as the control page sees it');

const DESTINATIONS = { destinations: [dms('http://a'), dms('http://b')] };

/** A scan that goes through everything: a jam, the rest of the stack, one document refused. */
const EVENTS: NewScanEvent[] = [
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
  uploadEnded(refused('No room.'), 0, 1),
  ended({ state: 'finished', error: null, page_count: 2, document_count: 2 }),
];

/** Second sides whose number does not match, which are fed again. */
const BACKS: NewScanEvent[] = [
  begun({}, { hold: true }),
  page(1),
  page(2),
  fed(),
  ended({ state: 'held', error: null }),
  resumed({ stage: 'scan', side: 'backs' }),
  page(3, { sheet: 2, side: 'back' }),
  fed(),
  { type: 'sides_differ', fronts: 2, backs: 1 },
  ended({ state: 'held' }),
  resumed({ stage: 'scan', side: 'backs' }),
  page(4, { sheet: 2, side: 'back' }),
  page(5, { sheet: 1, side: 'back' }),
  recognized(5),
  recognized(1),
];

/** As it arrives over the network. */
function sent<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

/** What of a scan the events keep up to date. */
function watched(details: object): object {
  const wanted: readonly string[] = [...VIEW_FIELDS, ...VIEW_LISTS];
  return Object.fromEntries(Object.entries(details).filter(([name]) => wanted.includes(name)));
}

function isEnded(event: NewScanEvent | undefined): boolean {
  return event?.type === 'ended';
}

/** The scan at each of the events, followed from the one at `first`. */
function followed(events: readonly NewScanEvent[], first = 0): (ScanDetails | undefined)[] {
  let scan: ScanDetails | undefined;
  return events.slice(first).map((event, offset) => {
    const index = first + offset;
    const after = recordOf(events.slice(0, index + 1));
    if (offset === 0 && event.type !== 'begun' && event.type !== 'resumed') {
      return (scan = afterEvent(scan, 'snapshot', sent(detailsOf(after, !isEnded(event)))));
    }
    const before =
      event.type === 'resumed' || index === 0 ? undefined : recordOf(events.slice(0, index));
    return (scan = afterEvent(scan, event.type, { view: sent(viewChanges(after, before)) }));
  });
}

for (const [name, events] of [
  ['through everything', EVENTS],
  ['with second sides that are fed again', BACKS],
] as const) {
  test(`a scan ${name} shows what a reload shows, at every point, from whichever it is followed`, () => {
    for (const first of events.keys()) {
      for (const [offset, scan] of followed(events, first).entries()) {
        const index = first + offset;
        const read = detailsOf(recordOf(events.slice(0, index + 1)), !isEnded(events[index]));
        const where = `after ${events[index]?.type} ${index}, from ${first}`;
        assert.equal(watched(scan ?? {}), watched(sent(read)), where);
        assert.is(scan && isRunning(scan), !isEnded(events[index]), where);
      }
    }
  });
}

test('a scan is not offered to be edited once a destination was asked to take it: the service refuses that', () => {
  const assembly = [begun(DESTINATIONS), page(1), fed(), recognized(1), planned([1]), assembled()];
  const late = ended({ error: { error: 'timeout', message: 'Late.' } });
  const upload = [uploadBegun(), uploadEnded(refused('No room.'))];
  const canEdit = (...events: NewScanEvent[]): boolean =>
    isEditable(viewOf(sent<unknown>(detailsOf(recordOf(events), false)) as ScanDetails));
  assert.is(canEdit(...assembly, late), true);
  assert.is(canEdit(...assembly, ...upload, late), false);
});

test('an upload under way is shown as one, and then as it ended', () => {
  const deliveries = followed(EVENTS).map(
    (scan) => scan && viewOf(scan).documents.map((document) => document.deliveries),
  );
  assert.equal(deliveries[13], [[{ state: 'sending', error: '', cause: null, address: null }], []]);
  assert.equal(deliveries[15]?.[0], [
    { state: 'accepted', error: '', cause: null, address: null },
    { state: 'sending', error: '', cause: null, address: null },
  ]);
  assert.equal(deliveries.at(-1), [
    [
      { state: 'accepted', error: '', cause: null, address: null },
      { state: 'refused', error: 'No room.', cause: null, address: null },
    ],
    [],
  ]);
});

test('what is unknown changes nothing, and what only says a part shows nothing', () => {
  const [scan] = followed(EVENTS);
  assert.is(afterEvent(scan, 'a new kind of event', {}), scan);
  const part = viewChanges(recordOf(EVENTS.slice(0, 2)), recordOf(EVENTS.slice(0, 1)));
  assert.is(afterEvent(undefined, 'page', { view: sent(part) }), undefined);
});

test('a message is as long as what changed, however many pages there are', () => {
  const stack = [begun(), ...Array.from({ length: 200 }, (_, index) => page(index + 1))];
  const events = [
    ...stack,
    recognized(100),
    planned(...stack.slice(1).map((_, index) => [index + 1])),
  ];
  const lengths = [3, 201, 202, 203].map((count) => {
    const [after, before] = [
      recordOf(events.slice(0, count)),
      recordOf(events.slice(0, count - 1)),
    ];
    return JSON.stringify(viewChanges(after, before)).length;
  });
  for (const length of lengths) assert.ok(length < 500, lengths.join());
});

test('a preview is turned by whole quarters, whatever the page was straightened by', () => {
  for (const [turned, shown] of [
    [90.4, 90],
    [359.6, 0],
    [-0.4, 0],
    [-90.3, 270],
    [180, 180],
  ] as const) {
    const facts = { ...recognized(1).facts, turned };
    const record = recordOf([begun(), page(1), recognized(1, { facts })]);
    assert.is(
      viewOf(JSON.parse(JSON.stringify(detailsOf(record, true)))).turned[1],
      shown,
      `${turned}`,
    );
  }
});
