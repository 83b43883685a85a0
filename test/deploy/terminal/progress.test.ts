import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  advance,
  eventLine,
  NO_PROGRESS,
  progressLine,
} from '../../../deploy/terminal/progress.ts';

const test = suite('progress in a terminal');

/** Each event, the line that is rewritten, and the line that is kept. */
const STORY: readonly [string, object, string, string | undefined][] = [
  ['begun', { scan_id: 'S' }, '0 pages', 'scan S has begun'],
  ['page', { number: 1, sheet: 1, side: 'front' }, '1 page', 'page 1: front of sheet 1'],
  ['page', { number: 2, sheet: 1, side: 'back' }, '2 pages', 'page 2: back of sheet 1'],
  ['recognized', { page: 1 }, '2 pages · 1 read', 'page 1 is read'],
  [
    'fed',
    { complete: true },
    '2 pages · reading 1/2 · the feeder is free, take your paper',
    'the feeder is free, take your paper',
  ],
  ['something_new', {}, '2 pages · reading 1/2 · the feeder is free, take your paper', undefined],
  ['assembled', { document: 0 }, '2 pages · 1 document made', 'document 1 is made'],
  ['upload_begun', { document: 0, title: 'Bill' }, '2 pages · sending "Bill"', 'sending "Bill"'],
  [
    'upload_ended',
    { document: 0, outcome: 'unknown' },
    '2 pages · sending "Bill"',
    'document 1 is not submitted',
  ],
  ['ended', {}, '2 pages · sending "Bill"', undefined],
];

test('does not say that the feeder is free after a jam', () => {
  const event = { id: '1', event: 'fed', data: '{"complete":false}' };
  assert.is(progressLine(advance({ ...NO_PROGRESS, pages: 2 }, event)), '2 pages');
  assert.is(eventLine(event), undefined);
});

test('says how far a scan is after each of its events', () => {
  let progress = NO_PROGRESS;
  for (const [name, data, line, kept] of STORY) {
    const event = { id: '1', event: name, data: JSON.stringify(data) };
    progress = advance(progress, event);
    assert.is(progressLine(progress), line);
    assert.is(eventLine(event), kept);
  }
});

test('begins with what a snapshot knows', () => {
  const data = { scan_id: 'S', stage: 'process', page_count: 3 };
  const snapshot = { id: '9', event: 'snapshot', data: JSON.stringify(data) };
  assert.is(eventLine(snapshot), 'scan S has 3 pages');
  assert.match(progressLine(advance(NO_PROGRESS, snapshot)), /^3 pages · reading 0\/3/);
});

test.run();
