import { readdir, rm, utimes } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../../../../helpers/failure.ts';
import { pageOptions } from '../../../../service/documents/page-options.ts';
import type { PageRequest } from '../../../../service/processor/processor-client.ts';
import { feedPages, type PartFaults } from '../../../support/scan-parts.ts';
import { assert, failure, withFixture } from '../../../support/suite.ts';
import { aborted, createScanBench, someTurns, type ScanBench } from '../call/scan-bench.ts';

const test = withFixture<ScanBench>('recognition', () => createScanBench());

const fails: PartFaults = {
  assemble: () => Promise.reject(new Failure('processing_failed', 'No.')),
};

/** Scans three pages that are recognised, and no document is made of them. */
async function scanRecognized(bench: ScanBench): Promise<string> {
  const { scans } = await bench.start({ feed: feedPages(3), ...fails });
  const error = await failure('processing_failed', scans.scan(bench.call()));
  return String(error.facts['scan_id']);
}

test('gives the processor what the profile says, and keeps what it says of the page in the order of the stack', async (bench) => {
  const last = Promise.withResolvers<void>();
  const asked: unknown[] = [];
  const { scans, parts } = await bench.start({ feed: feedPages(3) });
  const real = { ...parts.processor };
  Object.assign(parts.processor, {
    recognizePage: async (request: PageRequest) => {
      asked.push(request.options);
      const { facts } = await real.recognizePage(request);
      if (request.pageFile.endsWith('page-0003.tif')) last.resolve();
      if (!request.pageFile.endsWith('page-0001.tif')) return { facts, warnings: [] };
      await last.promise;
      return { facts, warnings: ['faint'] };
    },
  });
  const call = bench.call();
  const result = await scans.scan(call);
  assert.equal(
    asked,
    Array.from({ length: 3 }, () => pageOptions(call.profile, { side: 'front' })),
  );
  assert.equal(result.documents[0]?.pages, [1, 2, 3]);
  assert.equal(result.warnings, ['Page 1: faint']);
});

test('has two pages for each worker with the processor, and never more', async (bench) => {
  const four = Promise.withResolvers<void>();
  let underWay = 0;
  let most = 0;
  const { scans } = await bench.start({
    feed: feedPages(12),
    recognize: async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      if (underWay === 4) four.resolve();
      await four.promise;
      await someTurns();
      underWay -= 1;
    },
  });
  await scans.scan(bench.call());
  assert.is(most, 4);
});

test('the first page that fails ends the others, and is what the caller is told', async (bench) => {
  let underWay = 0;
  const { scans } = await bench.start({
    feed: feedPages(4),
    recognize: async (file, signal) => {
      if (file.endsWith('page-0002.tif')) throw new Failure('processing_failed', 'Page 2.');
      underWay += 1;
      await aborted(signal);
      await someTurns();
      underWay -= 1;
      throw signal.reason;
    },
  });
  const error = await failure('processing_failed', scans.scan(bench.call()));
  assert.match(error.message, /^Page 2\./);
  assert.is(underWay, 0);
});

test('is kept until the documents are made: a page is recognised once', async (bench) => {
  const id = await scanRecognized(bench);
  const directory = path.join(bench.root, id, 'recognized');
  assert.equal((await readdir(directory)).toSorted(), [
    'page-0001.pdf',
    'page-0002.pdf',
    'page-0003.pdf',
  ]);
  const { scans, parts } = await bench.start();
  assert.equal((await scans.resume(id)).documents[0]?.pages, [1, 2, 3]);
  assert.equal(parts.recognized, []);
});

/** What makes a page one that must be recognised again. */
const CHANGES: [string, (raw: string, recognized: string) => Promise<unknown>][] = [
  ['its recognised file is gone', (_, recognized) => rm(recognized)],
  ['the raw page was written later', (raw) => utimes(raw, new Date(), new Date())],
  ['the raw page was written earlier', (raw) => utimes(raw, new Date(), new Date(0))],
];

for (const [what, change] of CHANGES) {
  test(`a page is recognised anew where ${what}`, async (bench) => {
    const id = await scanRecognized(bench);
    const recognized = path.join(bench.root, id, 'recognized', 'page-0002.pdf');
    await change(bench.file(id, 'page-0002.tif'), recognized);
    const { scans, parts } = await bench.start();
    await scans.resume(id);
    assert.equal(parts.recognized, ['page-0002.tif']);
  });
}
