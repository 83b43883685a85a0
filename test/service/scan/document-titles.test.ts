import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { foldFirst } from '../../../service/archive/fold.ts';
import type { ScanRecord } from '../../../service/archive/scan-record.ts';
import { titleOf } from '../../../service/scan/document-titles.ts';
import { begun, timed } from '../../support/stored-scan.ts';

const test = suite('titles of documents');

/** A scan that has just begun, on 2026-11-21. */
function scan(title: string, request: object = {}): ScanRecord {
  const [first] = timed([begun({ title }, { request })]);
  if (first?.type !== 'begun') throw new Error('not the beginning');
  return foldFirst(first);
}

test('follow the template of the profile', () => {
  assert.is(titleOf(scan('{profile} {date}'), 1, 1), 'default 2026-11-21');
  assert.is(titleOf(scan('{profile} {number}/{count}'), 2, 3), 'default 2/3');
});

test('are what the request says, numbered where it would name several', () => {
  const asked = scan('{profile}', { title: 'Tea {date}' });
  assert.is(titleOf(asked, 1, 1), 'Tea {date}');
  assert.is(titleOf(asked, 2, 3), 'Tea {date} (2/3)');
});

test.run();
