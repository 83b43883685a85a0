import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../../helpers/failure.ts';
import { callIdentity } from '../../../../service/archive/recorded-calls.ts';
import { readRecord } from '../../../../service/archive/scan-directory.ts';
import { viewOf } from '../../../../service/archive/scan-view.ts';
import { failure } from '../../../support/rejection.ts';
import { feedPages } from '../../../support/scan-parts.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { createScanBench, type ScanBench } from './scan-bench.ts';

const test = withFixture<ScanBench>(suite('scans'), createScanBench);

const IDENTITY = callIdentity('k', {});
const JAM = new Failure('scanner_jammed', 'Stuck.');

const scanIdsIn = async ({ root }: ScanBench): Promise<string[]> =>
  (await readdir(root)).filter((name) => !name.startsWith('.'));

test('a scan gets a directory of its own, and its record says all of it', async (bench) => {
  const { scans } = await bench.start({ feed: feedPages(2) });
  const first = await scans.scan(bench.call());
  const second = await scans.scan(bench.call());
  assert.is.not(first.scan_id, second.scan_id);
  const record = await bench.stored(first.scan_id);
  assert.is(record.state, 'finished');
  assert.equal(record.pages, first.pages);
  assert.equal(record.timings_ms, first.timings_ms);
  assert.is(record.duration_ms, first.duration_ms);
});

test('every page is recognised once and in the document, and nothing else is left behind', async (bench) => {
  const { scans, parts } = await bench.start({ feed: feedPages(5) });
  const result = await scans.scan(bench.call());
  assert.is(result.page_count, 5);
  assert.equal(result.documents[0]?.pages, [1, 2, 3, 4, 5]);
  assert.equal(parts.recognized.toSorted(), result.pages);
  assert.equal((await readdir(path.join(bench.root, result.scan_id))).toSorted(), [
    'document-0001.pdf',
    'events.jsonl',
    ...result.pages,
    'scan.json',
  ]);
});

test('scan.json says what is known after each stage', async (bench) => {
  const seen: object[] = [];
  const look = async (scanId: string): Promise<void> => {
    const content = await readFile(bench.file(scanId, 'scan.json'), 'utf8');
    const { state, stage, page_count, documents } = JSON.parse(content);
    seen.push({ state, stage, page_count, documents: documents.length });
  };
  const { scans, parts } = await bench.start({
    feed: feedPages(2),
    assemble: (outFile) => look(path.basename(path.dirname(outFile))),
  });
  const { names } = parts.dms;
  const looking: typeof names = (signal) => ({
    ...names(signal),
    resolve: async (...of) => {
      await look((await scanIdsIn(bench))[0] ?? '');
      return names(signal).resolve(...of);
    },
  });
  Object.assign(parts, { dms: { ...parts.dms, names: looking } });
  const { scan_id } = await scans.scan(bench.call());
  assert.equal(seen, [
    { state: 'processing', stage: 'process', page_count: 2, documents: 0 },
    { state: 'delivering', stage: 'deliver', page_count: 2, documents: 1 },
  ]);
  const { record } = await readRecord(path.join(bench.root, scan_id));
  const content = await readFile(bench.file(scan_id, 'scan.json'), 'utf8');
  assert.equal(JSON.parse(content), JSON.parse(JSON.stringify(viewOf(record, true))));
});

test('a page that fails in the processor is told when the feeder has ended', async (bench) => {
  const { scans } = await bench.start({
    feed: feedPages(3),
    recognize: (file) =>
      file.endsWith('page-0002.tif')
        ? Promise.reject(new Failure('processing_failed', 'Page 2.'))
        : Promise.resolve(),
  });
  const error = await failure('processing_failed', scans.scan(bench.call()));
  assert.is(error.facts['page_count'], 3);
  const { stage, documents } = await bench.stored(error.facts['scan_id']);
  assert.is(stage, 'process');
  assert.equal(documents, []);
});

test('a jam comes before what the processor says of a page', async (bench) => {
  const failed = Promise.withResolvers<void>();
  const { scans } = await bench.start({
    feed: async (request, options) => {
      await feedPages(1)(request, options);
      await failed.promise;
      throw JAM;
    },
    recognize: () => {
      failed.resolve();
      return Promise.reject(new Failure('processing_failed', 'Page 1.'));
    },
  });
  await failure('scanner_jammed', scans.scan(bench.call()));
});

test('a jam whose end cannot be recorded is still the jam, and promises no page that is gone', async (bench) => {
  const recorded = Promise.withResolvers<void>();
  const { scans } = await bench.start(
    {
      feed: async (request, options) => {
        await feedPages(1)(request, options);
        await recorded.promise;
        await rm(request.directory, { recursive: true });
        throw JAM;
      },
    },
    { listener: ({ type }) => void (type === 'page' && recorded.resolve()) },
  );
  const error = await failure('scanner_jammed', scans.scan(bench.call()));
  assert.is(error.facts['page_count'], 0);
  assert.not.match(error.message, /stored|resume/);
  assert.match(bench.logged.text(), /"event":"end_not_recorded"/);
});

test('a listener that throws does not break a scan', async (bench) => {
  const { scans } = await bench.start(
    { feed: feedPages(2) },
    {
      listener: () => {
        throw new Error('a broken listener');
      },
    },
  );
  const result = await scans.scan(bench.call());
  assert.is(result.documents[0]?.destinations[0]?.status, 'submitted');
  assert.match(bench.logged.text(), /a broken listener/);
});

test('a jam, the rest of the stack, and the key of the first call', async (bench) => {
  const first = await bench.start({ feed: feedPages(2, JAM) });
  const error = await failure('scanner_jammed', first.scans.scan(bench.call(), IDENTITY));
  const id = String(error.facts['scan_id']);
  const { scans } = await bench.start({ feed: feedPages(1) });
  const result = await scans.continueScan(id, {}, callIdentity('other', {}));
  assert.is(result.page_count, 3);
  assert.equal(await scans.scan(bench.call(), IDENTITY), result);
  assert.equal(await scans.resume(id), result);
  await failure('scan_not_resumable', scans.continueScan(id));
});

test('of twenty callers at once one scans, and the others are told that the scanner is busy', async (bench) => {
  const { scans, parts } = await bench.start({ feed: feedPages(2) });
  const ended = await Promise.allSettled(
    Array.from({ length: 20 }, () => scans.scan(bench.call())),
  );
  // The feeder is free again while the first one is delivered.
  assert.is(ended.filter(({ status }) => status === 'fulfilled').length, parts.fed.length);
  for (const one of ended) {
    if (one.status === 'rejected') assert.is((one.reason as Failure).code, 'scanner_busy');
  }
});

test('of twenty callers that resume one scan one does, and each page is recognised once', async (bench) => {
  const first = await bench.start({ feed: feedPages(2, JAM) });
  const error = await failure('scanner_jammed', first.scans.scan(bench.call()));
  const id = String(error.facts['scan_id']);
  const { scans, parts } = await bench.start();
  const ended = await Promise.allSettled(Array.from({ length: 20 }, () => scans.resume(id)));
  for (const one of ended) {
    if (one.status === 'rejected') assert.is((one.reason as Failure).code, 'scan_in_progress');
  }
  assert.ok(ended.some(({ status }) => status === 'fulfilled'));
  assert.is(new Set(parts.recognized).size, parts.recognized.length);
  assert.equal(parts.fed, []);
  assert.is(bench.dms.uploads().length, 1);
});

test('a resume of a scan that is under way is refused', async (bench) => {
  const held = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const { scans } = await bench.start({
    feed: feedPages(1),
    recognize: () => {
      reached.resolve();
      return held.promise;
    },
  });
  const scan = scans.scan(bench.call());
  await reached.promise;
  const [id = ''] = await scanIdsIn(bench);
  await failure('scan_in_progress', scans.resume(id));
  await failure('scan_in_progress', scans.continueScan(id));
  held.resolve();
  await scan;
});

test('a scan that is not there can neither be resumed nor continued', async (bench) => {
  const { scans } = await bench.start();
  for (const id of ['20261121T063000Z-8f3a1c', '../x', '__proto__', '']) {
    await failure('scan_not_found', scans.resume(id));
    await failure('scan_not_found', scans.continueScan(id));
  }
});

test('once it drains, nothing begins any more', async (bench) => {
  const { scans, parts } = await bench.start({ feed: feedPages(1) });
  await scans.drain();
  await failure('shutting_down', scans.scan(bench.call(), IDENTITY));
  await failure('shutting_down', scans.continueScan('x'));
  await failure('shutting_down', scans.resume('x'));
  assert.equal(parts.fed, []);
  assert.equal(await scanIdsIn(bench), []);
});

test('a record that became unreadable is neither fed into nor filed, and nothing is touched', async (bench) => {
  const first = await bench.start({ feed: feedPages(2, JAM) });
  const id = String(
    (await failure('scanner_jammed', first.scans.scan(bench.call()))).facts['scan_id'],
  );
  await writeFile(bench.file(id, 'events.jsonl'), '{\n');
  const { scans, parts } = await bench.start({ feed: feedPages(1) });
  await failure('scan_record_unreadable', scans.resume(id));
  await failure('scan_record_unreadable', scans.continueScan(id));
  assert.equal([parts.fed, parts.recognized], [[], []]);
  assert.is(await readFile(bench.file(id, 'events.jsonl'), 'utf8'), '{\n');
});

test.run();
