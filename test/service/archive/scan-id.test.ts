import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createScanId, SCAN_ID } from '../../../service/archive/scan-id.ts';

const test = suite('scan ids');

test('are the UTC time and three random bytes', () => {
  const id = createScanId(new Date('2026-11-21T06:30:00.123Z'));
  assert.match(id, /^20261121T063000Z-[0-9a-f]{6}$/);
  assert.match(id, SCAN_ID);
});

test('sort by time', () => {
  const times = ['2026-01-02T00:00:00Z', '2026-11-21T06:30:00Z', '2027-01-01T00:00:00Z'];
  const ids = times.map((time) => createScanId(new Date(time)));
  assert.equal(ids.toSorted(), ids);
});

test('differ within one second', () => {
  const now = new Date();
  const ids = new Set(Array.from({ length: 50 }, () => createScanId(now)));
  assert.ok(ids.size >= 49);
});

test.run();
