import { mkdir, readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../helpers/failure.ts';
import { createDeadline } from '../../../service/scan/deadline.ts';
import { openScan } from '../../../service/scan/open-scan.ts';
import { runStages, warn } from '../../../service/scan/run-stages.ts';
import type { Scan } from '../../../service/scan/scan-call.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { failure, rejection } from '../../support/rejection.ts';
import { feedPages, playedParts, type PlayedParts } from '../../support/scan-parts.ts';
import { storedRecord, storeScan } from '../../support/stored-scan.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { withFixture } from '../../support/with-fixture.ts';

interface Fixture {
  readonly scan: Scan;
  readonly run: (parts: PlayedParts) => Promise<void>;
  close(): Promise<void>;
}

const test = withFixture<Fixture>(suite('the stages of a scan'), async () => {
  const temporary = await temporaryDirectory();
  const empty = { pages: [], page_count: 0, state: 'scanning', error: null } as const;
  const initial = storedRecord(empty);
  const directory = await storeScan(temporary.path, initial);
  const options = { id: initial.scan_id, deadline: createDeadline(20), log: capturedLog().log };
  const start = { state: 'scanning', stage: 'scan', pages: [] } as const;
  const scan = await openScan(directory, initial, options, start);
  const run: Fixture['run'] = (parts) =>
    runStages(scan, parts, { workers: 2, kept: [], lastPage: 0 });
  return { scan, run, close: () => temporary.remove() };
});

test('every page is recorded, recognised once and in the document', async ({ scan, run }) => {
  const parts = playedParts({ feed: feedPages(5) });
  await run(parts);
  const record = scan.record.current();
  assert.is(record.page_count, 5);
  assert.equal(record.documents[0]?.pages, [1, 2, 3, 4, 5]);
  assert.equal(parts.recognized.toSorted(), record.pages);
  assert.equal((await readdir(scan.directory)).toSorted(), [
    'document-0001.pdf',
    ...record.pages,
    'scan.json',
  ]);
});

test('a page that a dying runtime could not tell of is recorded', async ({ scan, run }) => {
  const parts = playedParts({
    feed: async (request, options) => {
      await feedPages(1)(request, options);
      await feedPages(1)({ ...request, first_page: 2 }, { ...options, onPage: () => {} });
      throw new Failure('scanner_runtime_unreachable', 'gone');
    },
  });
  await failure('scanner_runtime_unreachable', run(parts));
  assert.equal(scan.record.current().pages, ['page-0001.tif', 'page-0002.tif']);
});

test('a record that cannot be written while the feeder runs does not end the process', async ({
  scan,
  run,
}) => {
  const away = `${scan.directory}.away`;
  const parts = playedParts({
    feed: async (request, options) => {
      await rename(scan.directory, away);
      options.onPage({
        number: 1,
        sheet: 1,
        side: 'front',
        filename: 'page-0001.tif',
        bytes: 1,
        width_px: 1,
        height_px: 1,
        dpi: 1,
      });
      // Long enough for a rejection that nobody waits for to be noticed, which ends a process.
      for (let turn = 0; turn < 50; turn += 1) await new Promise((done) => setImmediate(done));
      await mkdir(path.join(scan.directory), { recursive: true });
      return feedPages(1)({ ...request, first_page: 2 }, options);
    },
  });
  assert.match(String(await rejection(run(parts))), /ENOENT/);
});

test('a page that fails in the processor is told when the feeder has ended', async ({
  scan,
  run,
}) => {
  const parts = playedParts({
    feed: feedPages(3),
    recognize: (file) =>
      file.endsWith('page-0002.tif')
        ? Promise.reject(new Failure('processing_failed', 'page 2'))
        : Promise.resolve(),
  });
  await failure('processing_failed', run(parts));
  const record = scan.record.current();
  assert.is(record.page_count, 3);
  assert.is(record.stage, 'process');
  assert.equal(record.documents, []);
});

test('a warning is told once, however often it comes', async ({ scan }) => {
  await warn(scan, ['faint']);
  await warn(scan, ['faint', 'torn']);
  await warn(scan, []);
  assert.equal(scan.record.current().warnings, ['faint', 'torn']);
});

test.run();
