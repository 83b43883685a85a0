import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  eventLine,
  progressAfter,
  progressLine,
  type Progress,
} from '../../../deploy/terminal/progress.ts';
import type { StreamEvent } from '../../../service/page/event-stream.js';

const test = suite('progress in a terminal');

const BEGUN: Progress = {
  stage: 'scan',
  page_count: 0,
  recognized_count: 0,
  document_count: 0,
  upload: null,
};

const lineAfter = (change: Partial<Progress>): string => progressLine({ ...BEGUN, ...change });

test('says how far a scan is', () => {
  assert.is(lineAfter({}), '0 pages');
  assert.is(lineAfter({ page_count: 1 }), '1 page');
  assert.is(lineAfter({ page_count: 2, recognized_count: 1 }), '2 pages · 1 read');
  const fed = { stage: 'process', page_count: 2, recognized_count: 1 } as const;
  assert.is(lineAfter(fed), '2 pages · reading 1/2 · the feeder is free, take your paper');
  assert.is(lineAfter({ ...fed, document_count: 1 }), '2 pages · 1 document made');
  const upload = { title: 'Bill' };
  assert.is(lineAfter({ ...fed, document_count: 1, upload }), '2 pages · sending "Bill"');
});

test('is what the view of an event says, or a snapshot', () => {
  const event = (name: string, data: object): StreamEvent => ({
    id: '1',
    event: name,
    data: JSON.stringify(data),
  });
  assert.equal(progressAfter(event('page', { number: 1, view: BEGUN })), BEGUN);
  assert.equal(progressAfter(event('snapshot', BEGUN)), BEGUN);
  assert.is(progressAfter(event('something_new', {})), undefined);
});

/** Each event, and the line that is kept. */
const STORY: readonly [string, object, string | undefined][] = [
  ['begun', { scan_id: 'S' }, 'scan S has begun'],
  ['page', { number: 2, sheet: 1, side: 'back' }, 'page 2: back of sheet 1'],
  ['recognized', { page: 1 }, 'page 1 is read'],
  ['fed', { complete: false }, undefined],
  ['fed', { complete: true }, 'the feeder is free, take your paper'],
  ['something_new', {}, undefined],
  ['assembled', { document: 0 }, 'document 1 is made'],
  ['upload_begun', { document: 0, title: 'Bill' }, 'sending "Bill"'],
  ['upload_ended', { document: 0, outcome: 'unknown' }, 'document 1 is not submitted'],
  ['snapshot', { scan_id: 'S', page_count: 3 }, 'scan S has 3 pages'],
  ['ended', {}, undefined],
];

test('has a line for each event that says something to a person', () => {
  for (const [name, data, kept] of STORY) {
    assert.is(eventLine({ id: '1', event: name, data: JSON.stringify(data) }), kept, name);
  }
});

test.run();
