import { statfs } from 'node:fs/promises';
import { mkdirSync, mkdtempSync } from 'node:fs';
import path from 'node:path';
import { Failure } from '../../helpers/failure.ts';
import { createEventFile } from '../../service/archive/event-file.ts';
import { readRecord } from '../../service/archive/scan-directory.ts';
import type { ScanEvent } from '../../service/archive/scan-event.ts';
import { createProcessorClient } from '../../service/processor/processor-client.ts';
import { pageTiff } from '../helpers/processor/support/page-samples.ts';
import { createPart } from '../support/appliance/part.ts';
import { capturedLog } from '../support/captured-log.ts';
import { createFakeBench } from '../support/fake-scanimage/fake-bench.ts';
import { begun, fed, page, STORED_ID, timed } from '../support/stored-scan.ts';
import { assert, failure, temporaryDirectory, withFixture } from '../support/suite.ts';
import { checkRecovery, KEY } from './storage-support/invariants.ts';
import {
  createStorageBench,
  type StorageBench,
  type StorageCase,
} from './storage-support/storage-bench.ts';
import { mountTmpfs } from './storage-support/tmpfs.ts';

const test = withFixture('a disk that fills up', () => createStorageBench());

const BLOCK = 4096;

const PDF_BYTES = 25 * BLOCK;

/** Upper bound: each delivery has two events of more than 128 bytes. */
const EVENTS_PER_BLOCK = 32;

type Fill = (bench: StorageBench, faulty: StorageCase) => void;

/** Fills the disk at the last check before the scan directory is created. */
const beforeTheScan =
  (left: number): Fill =>
  ({ disk }, { scanner }) => {
    scanner.health = async () => disk.leave(left);
  };

const atRequest =
  (wanted: 'pages' | 'documents', left: number): Fill =>
  ({ disk, processor }) => {
    processor.onRequest = (kind) => kind === wanted && disk.leave(left);
  };

/** Each entry fills the disk, except for some bytes, just before a write that then fails. */
const WRITERS: Readonly<Record<string, Fill>> = {
  'the directory of a scan': beforeTheScan(0),
  'the first event': beforeTheScan(BLOCK),
  'anything, after the last page': ({ disk }, { scanner }) => {
    scanner.onSheet = (number) => number === 2 && disk.leave(0);
  },
  'a recognized page': atRequest('pages', 0),
  'the end of a recognized page': atRequest('pages', PDF_BYTES - BLOCK),
  'a document': atRequest('documents', 0),
  'the end of a document': atRequest('documents', PDF_BYTES - BLOCK),
  'an event, at a delivery': ({ disk, dms }, { scanner }) => {
    // The last block has room for a few events, but not for those of so many deliveries.
    scanner.sheets = 2 * EVENTS_PER_BLOCK;
    dms.events.once('body_received', () => disk.leave(0));
  },
};

for (const [what, fill] of Object.entries(WRITERS)) {
  test(`at ${what}: is reported, and resume finishes once there is room`, async (bench) => {
    bench.processor.pageBytes = PDF_BYTES;
    const faulty = bench.newCase();
    const { health } = faulty.scanner;
    fill(bench, faulty);
    const { message } = await failure('insufficient_storage', faulty.start().scan(KEY));
    assert.match(message, 'Free some space');

    bench.disk.free();
    faulty.scanner.health = health;
    faulty.scanner.onSheet = () => {};
    bench.processor.onRequest = () => {};
    await checkRecovery(bench, faulty, what);
  });
}

test('warnings about lost sheets are recorded even on a completely full disk', async (bench) => {
  const faulty = bench.newCase();
  // This warning is longer than the free part of the last block.
  const warning = 'Up to 2 sheets may have passed without becoming a page. '.repeat(80);
  faulty.scanner.onSheet = (number) => {
    if (number !== 2) return;
    bench.disk.leave(0);
    throw new Failure('scanner_jammed', 'Stuck.', { facts: { warnings: [warning] } });
  };
  const { facts } = await failure('scanner_jammed', faulty.start().scan(KEY));
  bench.disk.free();
  const { record } = await readRecord(path.join(faulty.root, String(facts['scan_id'])));
  assert.equal(record.warnings, [warning]);
});

test('reserved room for events follows the pages of a long stack', async ({ disk }) => {
  const directory = path.join(disk.path, STORED_ID);
  mkdirSync(directory);
  const [first, ...pages] = timed([begun(), ...Array.from({ length: 200 }, (_, n) => page(n + 1))]);
  const file = await createEventFile(directory, first as ScanEvent);
  await file.reserveSpace();
  // Each page alone fits into the reserved room; all pages at once would not.
  for (const one of pages) await file.append([one]);
  disk.leave(0);
  file.releaseSpace();
  const warning = 'Up to 2 sheets may have passed without becoming a page. '.repeat(80);
  await file.append(timed([fed({ complete: false, warnings: [warning] })]));
  await file.close();
  const { record } = await readRecord(directory);
  assert.is(record.pages.length, pages.length);
  assert.equal(record.warnings, [warning]);
});

const PAGE = { height: 2400 } as const;

for (const left of [0, BLOCK, 57 * BLOCK]) {
  test(`at a page, with ${left} bytes left: earlier pages are kept`, async ({ disk }) => {
    let looks = 0;
    const free = async (directory: string): Promise<number> => {
      const { bavail, bsize } = await statfs(directory);
      looks += 1;
      // The first three checks precede the scan, page 1 and page 2. The disk fills up at the third.
      if (looks === 3) disk.leave(left);
      return bavail * bsize;
    };
    const bench = await createFakeBench(
      { scan: 'for n in 1 2 3; do prompt $n; page $n; done; prompt 4; exit 7', page: PAGE },
      { free },
    );
    try {
      const directory = mkdtempSync(path.join(disk.path, 'scan-'));
      const { facts } = await failure(
        'insufficient_storage',
        bench.scan(await bench.request({ directory })),
      );
      assert.is(facts['page_count'], 1);
      assert.equal(
        bench.pages.map(({ filename }) => filename),
        ['page-0001.tif'],
      );
    } finally {
      await bench.close();
    }
  });
}

/** Free space with which Tesseract and the other programs fail at different steps. */
for (const left of [0, 16 * BLOCK, 128 * BLOCK]) {
  test(`in the temporary directory of the processor, with ${left} bytes left: is reported, and passes`, async () => {
    const disk = await mountTmpfs('64m');
    const files = await temporaryDirectory();
    const part = createPart('the processor', 'helpers/processor/main.ts', () => ({
      PORT: '0',
      WORKERS: '1',
      TMPDIR: disk.path,
    }));
    try {
      await part.start();
      const client = createProcessorClient({
        baseUrl: `http://127.0.0.1:${part.port()}`,
        log: capturedLog().log,
      });
      const { file } = await pageTiff(files.path, 'letter-bank', { height: 400 });
      const recognize = (): Promise<unknown> =>
        client.recognizePage({
          pageFile: file,
          outFile: path.join(files.path, 'page.pdf'),
          options: { languages: ['eng'], deskew: false, rotate_pages: false, optimize: 1 },
          signal: AbortSignal.timeout(60_000),
        });
      disk.leave(left);
      const { facts } = await failure('processing_failed', recognize());
      assert.is(facts['processor_error'], 'insufficient_storage');
      await client.health(AbortSignal.timeout(20_000));
      disk.free();
      await recognize();
    } finally {
      await part.stop();
      await disk.close();
      await files.remove();
    }
  });
}
