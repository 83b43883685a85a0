import { writeFileSync } from 'node:fs';
import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../helpers/failure.ts';
import { readScanRecord } from '../../../service/archive/scan-archive.ts';
import { createDeadline } from '../../../service/scan/deadline.ts';
import { DEFAULT_REDELIVERY, type Redelivery } from '../../../service/scan/deliver-scan.ts';
import { resumedScan } from '../../../service/scan/resumed-scan.ts';
import { runScan } from '../../../service/scan/run-scan.ts';
import type { ScanResult } from '../../../service/scan/scan-call.ts';
import type { ScanRecord } from '../../../service/scan/scan-record.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { tiffFile } from '../../support/fake-scanimage/tiff-file.ts';
import { failure } from '../../support/rejection.ts';
import { createSampleDms, type SampleDms } from '../../../simulators/sample-dms/sample-dms.ts';
import { playedParts, type PlayedParts } from '../../support/scan-parts.ts';
import { STORED_ID, storedRecord, storeScan } from '../../support/stored-scan.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { withFixture } from '../../support/with-fixture.ts';

interface Fixture {
  readonly dms: SampleDms;
  readonly directory: string;
  readonly file: (name: string) => string;
  readonly record: () => Promise<ScanRecord>;
  readonly resume: (options?: Options) => Promise<ScanResult>;
  close(): Promise<void>;
}

interface Options {
  readonly parts?: PlayedParts;
  readonly redelivery?: Redelivery;
  readonly seconds?: number;
}

/** A scan that jammed when two pages were safe, with one destination. */
const test = withFixture<Fixture>(suite('a scan that is picked up'), async () => {
  const temporary = await temporaryDirectory();
  const storeDir = path.join(temporary.path, 'dms');
  const dms = await createSampleDms({ tokens: ['token'], storeDir });
  const root = path.join(temporary.path, 'scans');
  const destinations = [{ kind: 'dms', base_url: dms.url }];
  const directory = await storeScan(root, storedRecord({}, { destinations }));
  // Timers of deadlines do not keep a process alive; a server does.
  const keepAlive = setInterval(() => {}, 1000);
  return {
    dms,
    directory,
    file: (name) => path.join(directory, name),
    record: () => readScanRecord(directory),
    resume: async ({ parts = playedParts(), redelivery = DEFAULT_REDELIVERY, seconds } = {}) => {
      const stored = { directory, record: storedRecord() };
      const deadline = createDeadline(seconds ?? 20);
      const options = { id: STORED_ID, deadline, log: capturedLog().log };
      return runScan(resumedScan(stored, parts, redelivery), options).ended;
    },
    close: async () => {
      clearInterval(keepAlive);
      await dms.close();
      await temporary.remove();
    },
  };
});

/** Makes the first delivery fail, so that documents are there and nothing has arrived. */
async function resumeWithout({ dms, resume }: Fixture): Promise<void> {
  dms.setFault({ kind: 'answer', status: 400, body: 'no' });
  await resume();
  dms.setFault(undefined);
}

test('processes and delivers what is on disk, and feeds nothing', async ({
  dms,
  resume,
  record,
}) => {
  const parts = playedParts();
  const result = await resume({ parts });
  assert.equal(parts.fed, []);
  assert.equal(parts.recognized.toSorted(), ['page-0001.tif', 'page-0002.tif']);
  assert.equal(result.documents[0]?.pages, [1, 2]);
  assert.is(dms.uploads().length, 1);
  assert.match(result.warnings.join(), /stopped by scanner_jammed: the documents hold the pages/);
  const now = await record();
  assert.is(now.state, 'finished');
  assert.is(now.error, null);
});

test('a page that is on disk and in no record is filed too', async ({ file, resume }) => {
  await writeFile(file('page-0003.tif'), tiffFile());
  assert.equal((await resume()).documents[0]?.pages, [1, 2, 3]);
});

test('a page that vanished is told, and the others are filed', async ({ file, resume }) => {
  await rm(file('page-0001.tif'));
  const result = await resume();
  assert.equal(result.pages, ['page-0002.tif']);
  assert.equal(result.documents[0]?.pages, [2]);
  assert.match(result.warnings.join(), /page-0001\.tif is no longer on disk/);
});

test('a page that is cut off is told, and stays where it is', async ({ file, resume }) => {
  await truncate(file('page-0002.tif'), 1000);
  const result = await resume();
  assert.equal(result.documents[0]?.pages, [1]);
  assert.match(result.warnings.join(), /page-0002\.tif is left out, it is not whole/);
  assert.is((await readFile(file('page-0002.tif'))).length, 1000);
});

test('a scan without a page on disk cannot be, and its record stays as it was', async ({
  file,
  resume,
  record,
}) => {
  await Promise.all([rm(file('page-0001.tif')), rm(file('page-0002.tif'))]);
  await failure('scan_not_resumable', resume());
  assert.equal((await record()).error, storedRecord().error);
});

test('a record that became unreadable ends it, and nothing is touched', async ({
  file,
  resume,
}) => {
  await writeFile(file('scan.json'), '{');
  const parts = playedParts();
  await failure('scan_record_unreadable', resume({ parts }));
  assert.equal(parts.recognized, []);
  assert.is(await readFile(file('scan.json'), 'utf8'), '{');
});

test('a processor that is down is told before anything changes', async ({ resume, record }) => {
  const parts = playedParts({
    processorHealth: () => Promise.reject(new Failure('processor_unreachable', 'down')),
  });
  await failure('processor_unreachable', resume({ parts }));
  assert.equal((await record()).error, storedRecord().error);
});

test('pages that were recognised before the deadline are taken as they are', async ({
  resume,
  record,
}) => {
  const hung = playedParts({
    recognize: (file, signal) =>
      file.endsWith('page-0001.tif')
        ? Promise.resolve()
        : new Promise((_, reject) => {
            const end = (): void => reject(signal.reason as Error);
            if (signal.aborted) end();
            else signal.addEventListener('abort', end, { once: true });
          }),
  });
  const error = await failure('timeout', resume({ parts: hung, seconds: 1 }));
  assert.is(error.facts['stage'], 'process');
  assert.is(error.facts['page_count'], 2);
  assert.is((await record()).error?.error, 'timeout');
  const parts = playedParts();
  assert.equal((await resume({ parts })).documents[0]?.pages, [1, 2]);
  assert.equal(parts.recognized, ['page-0002.tif']);
});

test('a page that was scanned anew meanwhile is recognised anew', async ({ file, resume }) => {
  const fails = playedParts({
    assemble: () => Promise.reject(new Failure('processing_failed', 'no')),
  });
  await failure('processing_failed', resume({ parts: fails }));
  await writeFile(file('page-0002.tif'), tiffFile({ width: 200 }));
  const parts = playedParts();
  await resume({ parts });
  assert.equal(parts.recognized, ['page-0002.tif']);
});

test('a disk that becomes full is told, every page stays, and the next try ends it', async ({
  dms,
  resume,
  record,
}) => {
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  const parts = playedParts({ assemble: () => Promise.reject(full) });
  const error = await failure('insufficient_storage', resume({ parts }));
  assert.is(error.facts['page_count'], 2);
  assert.equal((await record()).documents, []);
  assert.equal((await resume()).documents[0]?.pages, [1, 2]);
  assert.is(dms.uploads().length, 1);
});

test('documents that were made are sent as they are, without the processor', async (fixture) => {
  const { dms, resume } = fixture;
  await resumeWithout(fixture);
  const parts = playedParts({ processorHealth: () => Promise.reject(new Error('not expected')) });
  const result = await resume({ parts });
  assert.equal(parts.recognized, []);
  assert.is(result.documents[0]?.destinations[0]?.status, 'submitted');
  assert.is(dms.documents().length, 1);
});

test('a document that was changed on disk is never sent', async (fixture) => {
  const { dms, file, resume, record } = fixture;
  await resumeWithout(fixture);
  const before = dms.uploads().length;
  await writeFile(file('document-0001.pdf'), 'something else');
  const error = await failure('scan_not_resumable', resume());
  assert.match(error.message, /document-0001\.pdf was changed/);
  assert.is(dms.uploads().length, before);
  assert.is((await record()).state, 'finished');
});

test('what was accepted is never sent again, however often it is asked for', async ({
  dms,
  resume,
}) => {
  for (let times = 0; times < 3; times += 1) {
    await resume({ redelivery: { redeliverFailed: true, resendUnknown: true } });
  }
  assert.is(dms.uploads().length, 1);
});

test('a sheet that is still on its way belongs to the scan: it is waited for', async ({
  file,
  resume,
}) => {
  let looks = 0;
  const parts = playedParts({
    scanning: () => {
      looks += 1;
      if (looks === 2) writeFileSync(file('page-0003.tif'), tiffFile());
      const directory = path.dirname(file('page-0003.tif'));
      return looks < 3 ? [{ directory, asked: 'auto', device: null }] : [];
    },
  });
  const result = await resume({ parts });
  assert.equal(result.pages, ['page-0001.tif', 'page-0002.tif', 'page-0003.tif']);
});

test.run();
