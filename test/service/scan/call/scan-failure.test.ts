import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../../helpers/failure.ts';
import { fold, foldFirst } from '../../../../service/archive/fold.ts';
import type { NewScanEvent } from '../../../../service/archive/scan-event.ts';
import type { ScanRecord } from '../../../../service/archive/scan-record.ts';
import { createDeadline } from '../../../../service/scan/deadline.ts';
import {
  asOnDisk,
  toScanFailure,
  withScanFacts,
} from '../../../../service/scan/call/scan-failure.ts';
import {
  assembled,
  begun,
  fed,
  page,
  planned,
  STORED_ID,
  storeScan,
  timed,
} from '../../../support/stored-scan.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const test = suite('the failure of a scan');

function recordOf(...events: readonly NewScanEvent[]): ScanRecord {
  const [first, ...rest] = timed([begun(), ...events]);
  if (first?.type !== 'begun') throw new Error('not the beginning');
  return rest.reduce((record, event) => fold(record, event), foldFirst(first));
}

const running = createDeadline(60, performance.now());
const JAM = new Failure('scanner_jammed', 'Paper is stuck.', { facts: { page_count: 9 } });
const TIMEOUT = new Failure('timeout', 'Too late.');

test('is what ended it, a failing disk, or a bug', () => {
  assert.is(toScanFailure(JAM, running, 'scan'), JAM);
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  assert.is(toScanFailure(full, running, 'scan').code, 'insufficient_storage');
  const bug = toScanFailure(new TypeError('a bug'), running, 'scan');
  assert.is(bug.code, 'internal_error');
  assert.not.match(bug.message, /a bug/);
});

test('is a timeout once the time is up, whatever ended it', () => {
  const passed = { ...running, signal: AbortSignal.abort() };
  const failure = toScanFailure(JAM, passed, 'process');
  assert.is(failure.code, 'timeout');
  assert.is(failure.cause, JAM);
});

test('says how many pages are stored and both ways on, in one sentence each', () => {
  const failure = withScanFacts(JAM, STORED_ID, recordOf(page(1), page(2)));
  assert.equal(failure.facts, { page_count: 2, scan_id: STORED_ID });
  assert.is(
    failure.message,
    `Paper is stuck. 2 pages are stored: POST /scans/${STORED_ID}/resume files what is there; POST /scan with ` +
      `{"continue_scan": "${STORED_ID}"} feeds the rest into the same scan.`,
  );
});

test('advises only a resume where documents are made, and nothing where no page is stored', () => {
  const made = recordOf(page(1), fed(), planned([1]), assembled());
  const { message } = withScanFacts(JAM, STORED_ID, made);
  assert.match(
    message,
    /1 page is stored: POST \S+\/resume delivers what has surely not arrived yet\.$/,
  );
  assert.is(withScanFacts(JAM, STORED_ID, recordOf()).message, 'Paper is stuck.');
});

test('has the warnings of the scan', () => {
  const record = recordOf(page(1), fed({ complete: false, warnings: ['A sheet may be missing.'] }));
  assert.equal(withScanFacts(JAM, STORED_ID, record).facts['warnings'], [
    'A sheet may be missing.',
  ]);
});

test('a timeout has the stage and the documents so far, wherever it struck', () => {
  const made = recordOf(page(1), fed(), planned([1]), assembled());
  const { facts } = withScanFacts(TIMEOUT, STORED_ID, made);
  assert.is(facts['stage'], 'deliver');
  assert.is((facts['documents'] as unknown[]).length, 1);
  assert.equal(withScanFacts(TIMEOUT, STORED_ID).facts, {
    scan_id: STORED_ID,
    page_count: 0,
    stage: 'scan',
    documents: [],
  });
  assert.is(withScanFacts(JAM, STORED_ID), JAM);
});

test('counts what is on disk: not what is gone, or all where the directory is, and pages that were not recorded', async () => {
  const temporary = await temporaryDirectory();
  const directory = await storeScan(temporary.path, [begun(), page(1)]);
  const record = recordOf(page(1), page(2), fed(), planned([1, 2]), assembled());
  const found = await asOnDisk(directory, record);
  assert.equal(
    found.pages.map(({ number }) => number),
    [1],
  );
  assert.equal(found.documents, []);
  const unrecorded = await asOnDisk(directory, recordOf());
  assert.equal(
    unrecorded.pages.map(({ number }) => number),
    [1],
  );
  assert.equal((await asOnDisk(`${directory}/gone`, record)).pages, []);
  // What cannot be seen is believed to be there.
  const unseen = await asOnDisk('x'.repeat(5000), record);
  assert.is(unseen.pages.length, 2);
  await temporary.remove();
});

test.run();
