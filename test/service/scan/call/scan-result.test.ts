import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fold, foldFirst } from '../../../../service/archive/fold.ts';
import type { NewScanEvent } from '../../../../service/archive/scan-event.ts';
import type { ScanRecord } from '../../../../service/archive/scan-record.ts';
import { accepted, unknown } from '../../../../service/paperless/destination.ts';
import { toResult } from '../../../../service/scan/call/scan-result.ts';
import {
  assembled,
  begun,
  ended,
  fed,
  page,
  planned,
  STORED_ID,
  timed,
} from '../../../support/stored-scan.ts';

const test = suite('the result of a scan');

const DESTINATION = { kind: 'dms', base_url: 'http://paperless:8000' };

function recordOf(...events: readonly NewScanEvent[]): ScanRecord {
  const destinations = [DESTINATION, { ...DESTINATION, base_url: 'http://other:8000' }];
  const [first, ...rest] = timed([begun({ destinations }), ...events]);
  if (first?.type !== 'begun') throw new Error('not the beginning');
  return rest.reduce((record, event) => fold(record, event), foldFirst(first));
}

const MADE = [page(1), page(2), fed({ warnings: ['faint'] }), planned([1, 2]), assembled()];
const first = { document: 0, destination: 0 };
const begins: NewScanEvent = { type: 'upload_begun', ...first, title: 'Tea' };

test('has what the specification says of it', () => {
  const record = recordOf(
    ...MADE,
    begins,
    { type: 'upload_ended', ...first, ...accepted('task') },
    ended({ state: 'finished', error: null, timings_ms: { scan: 3, deliver: 4 }, duration_ms: 9 }),
  );
  const { documents, ...result } = toResult(record);
  assert.equal(result, {
    scan_id: STORED_ID,
    profile: 'default',
    state: 'finished',
    page_count: 2,
    pages: ['page-0001.tif', 'page-0002.tif'],
    duration_ms: 9,
    timings_ms: { scan: 3, process: 0, deliver: 4 },
    warnings: ['faint'],
    dropped_pages: [],
  });
  const [document] = documents;
  assert.is(document?.filename, 'document-0001.pdf');
  assert.equal(document?.pages, [1, 2]);
  assert.is(document?.page_count, 2);
  assert.equal(document?.destinations, [{ status: 'submitted', task_id: 'task' }]);
});

test('says of an upload of which nobody knows what to look for, where, and what to do then', () => {
  const record = recordOf(...MADE, begins, { type: 'upload_ended', ...first, ...unknown('gone') });
  const [, doubt = ''] = toResult(record).warnings;
  assert.match(doubt, /^It is unknown whether \S+ accepted \S+-document-0001\.pdf\. /);
  assert.match(doubt, /the title "Tea" or the file name "\S+-document-0001\.pdf"/);
  assert.ok(doubt.includes(STORED_ID));
  assert.match(doubt, /POST \{"resend_unknown": true\} to \/scans\/\S+\/resume/);
});

test('an upload under way is in no entry and no warning while somebody works on the scan, and unknown once nobody does', () => {
  const record = recordOf(...MADE, begins);
  const open = toResult(record, true);
  assert.equal(open.documents[0]?.destinations, []);
  assert.equal(open.warnings, ['faint']);
  const cut = toResult(record);
  assert.is(cut.documents[0]?.destinations[0]?.status, 'failed');
  assert.is(cut.warnings.length, 2);
});

test.run();
