import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { afterEvent, isRunning, viewOf } from '../../../service/page/scan/scan-view.js';
import type { ScanView } from '../../../service/page/types.d.ts';
import { detailsOf } from '../../../service/archive/scan-view.ts';
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

const test = suite('a scan as the control page sees it');

const DESTINATIONS = { destinations: [dms('http://a'), dms('http://b')] };

/** A scan that goes through everything: a jam, the rest of the stack, one document refused. */
const EVENTS: NewScanEvent[] = [
  begun(DESTINATIONS),
  page(1),
  page(2),
  recognized(1),
  fed({ complete: false }),
  ended(),
  resumed({ stage: 'scan', lost_pages: [2] }),
  page(3),
  fed(),
  recognized(3),
  planned([1], [3]),
  assembled(0),
  assembled(1),
  uploadBegun(0, 0),
  uploadEnded(accepted('t'), 0, 0),
  uploadBegun(0, 1),
  uploadEnded(refused('No room.'), 0, 1),
  ended({ state: 'finished', error: null, page_count: 2, document_count: 2 }),
];

/** What a stream tells of an event. */
function told(event: NewScanEvent): object {
  return { ...event, started_at: '2026-11-21T06:30:00.000Z' };
}

test('following the events from the first one shows what a reload shows, at every point', () => {
  let followed: ScanView | undefined;
  for (const [index, event] of EVENTS.entries()) {
    followed = afterEvent(followed, event.type, told(event));
    const record = recordOf(EVENTS.slice(0, index + 1));
    const isOpen = !['finished', 'failed'].includes(record.state);
    const read = viewOf(JSON.parse(JSON.stringify(detailsOf(record, isOpen))));
    assert.is(followed?.state, read.state, `after ${event.type} ${index}`);
    assert.equal(followed?.pages, read.pages, `after ${event.type} ${index}`);
    assert.is(followed && isRunning(followed), isOpen);
    assert.equal(followed?.error, read.error);
  }
  assert.equal(
    followed?.documents.map(({ deliveries }) => deliveries.map(({ state }) => state)),
    [['accepted', 'refused'], []],
  );
});

test('an upload under way is shown as one', () => {
  let followed: ScanView | undefined;
  for (const event of EVENTS.slice(0, 14)) followed = afterEvent(followed, event.type, told(event));
  assert.equal(followed?.documents[0]?.deliveries, [{ state: 'sending', error: '' }]);
});

test('a stream that begins with a snapshot goes on from there, and what is unknown changes nothing', () => {
  const details = detailsOf(recordOf(EVENTS.slice(0, 3)), true);
  const snapshot = afterEvent(undefined, 'snapshot', details);
  assert.equal(snapshot?.pages, [1, 2]);
  assert.is(afterEvent(snapshot, 'a new kind of event', {}), snapshot);
  assert.is(afterEvent(snapshot, 'toString', {}), snapshot);
  assert.is(afterEvent(undefined, 'page', told(page(1))), undefined);
  const later = afterEvent(snapshot, 'page', told(page(3)));
  assert.equal(later?.pages, [1, 2, 3]);
});

test('a preview is turned by whole quarters, whatever the page was straightened by', () => {
  for (const [turned, shown] of [
    [90.4, 90],
    [359.6, 0],
    [-0.4, 0],
    [-90.3, 270],
    [180, 180],
  ]) {
    const facts = { ...recognized(1).facts, turned };
    const scan = afterEvent(
      viewOf(JSON.parse(JSON.stringify(detailsOf(recordOf([begun()]), true)))),
      'recognized',
      { page: 1, facts },
    );
    assert.is(scan?.turned[1], shown, `${turned}`);
  }
});

test.run();
