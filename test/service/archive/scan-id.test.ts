import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createScanId, SCAN_ID } from '../../../service/archive/scan-id.ts';

const test = suite('scan ids');

test('are the UTC time, its part of the second and three random digits', () => {
  const id = createScanId(new Date('2026-11-21T06:30:00.123Z'));
  assert.match(id, /^20261121T063000Z-1f7[0-9a-f]{3}$/);
  for (const end of ['.000', '.001', '.999']) {
    assert.match(createScanId(new Date(`2026-11-21T06:30:00${end}Z`)), SCAN_ID);
  }
});

test('sort by time, down to the millisecond', () => {
  const seconds = ['2026-01-02T00:00:00Z', '2026-11-21T06:30:00Z', '2027-01-01T00:00:00Z'];
  const ids = seconds.flatMap((time) =>
    Array.from({ length: 1000 }, (_, ms) => createScanId(new Date(Date.parse(time) + ms))),
  );
  assert.equal(ids.toSorted(), ids);
});

test('differ within one millisecond', () => {
  const now = new Date();
  const ids = new Set(Array.from({ length: 5 }, () => createScanId(now)));
  assert.ok(ids.size >= 4);
});

test.run();
