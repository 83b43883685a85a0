import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../../../../helpers/failure.ts';
import type { DocumentRequest } from '../../../../service/processor/processor-client.ts';
import { assemble } from '../../../../service/scan/stages/assemble.ts';
import { createBundles } from '../../../../service/scan/stages/bundles.ts';
import { createDeadline } from '../../../../service/scan/deadline.ts';
import type { ScanResult } from '../../../../service/archive/scan-view.ts';
import { feedPages, sha256, type PartFaults } from '../../../support/scan-parts.ts';
import { jammedScan, STORED_ID, storeScan } from '../../../support/stored-scan.ts';
import { assert, failure, rejection, withFixture, within } from '../../../support/suite.ts';
import { aborted, createScanBench, EVENT_MS, type ScanBench } from '../call/scan-bench.ts';

const test = withFixture<ScanBench>('assembling documents', () => createScanBench());

const PER_PAGE = { assembly: { page_grouping: 'per_page' } };
const DOCUMENTS = 20;

/** Longer than the answer takes to be recorded and given. */
const WIND_UP_MS = 300;

interface Assemblies {
  readonly fault: NonNullable<PartFaults['assemble']>;
  readonly underWay: Set<number>;
  /** Documents that were begun after one had failed. */
  readonly late: number[];
  /** The most that were under way at once. */
  most: number;
  /** Nothing fails any more. */
  calm: boolean;
}

const numberOf = (file: string): number => Number(/\d{4}/.exec(path.basename(file))?.[0]);

/** One document fails while the one beside it is under way, which takes a while to end when it is aborted. */
function failingAt(failing: number): Assemblies {
  const neighbour = failing === 1 ? 2 : failing - 1;
  const neighbourBegan = Promise.withResolvers<void>();
  let hasFailed = false;
  const all: Assemblies = {
    underWay: new Set(),
    late: [],
    most: 0,
    calm: false,
    fault: async (outFile, signal) => {
      if (all.calm) return;
      const number = numberOf(outFile);
      if (hasFailed) all.late.push(number);
      all.underWay.add(number);
      all.most = Math.max(all.most, all.underWay.size);
      try {
        if (number === neighbour) {
          neighbourBegan.resolve();
          await aborted(signal);
          await wait(WIND_UP_MS);
          throw signal.reason as Error;
        }
        if (number !== failing) return;
        await neighbourBegan.promise;
        hasFailed = true;
        throw new Failure('processing_failed', 'This document cannot be made.');
      } finally {
        all.underWay.delete(number);
      }
    },
  };
  return all;
}

async function checkFiled({ dms, root }: ScanBench, result: ScanResult): Promise<void> {
  assert.equal(
    result.documents.map(({ pages }) => pages),
    Array.from({ length: DOCUMENTS }, (_, index) => [index + 1]),
  );
  for (const { filename, sha256: recorded } of result.documents) {
    assert.is(sha256(await readFile(path.join(root, result.scan_id, filename))), recorded);
  }
  const sent = dms.uploads().map(({ filename }) => filename);
  assert.is(sent.length, DOCUMENTS);
  assert.is(new Set(sent).size, DOCUMENTS);
}

for (const failing of [1, 10, DOCUMENTS]) {
  test(`document ${failing} of ${DOCUMENTS} fails: none begins after it, all have ended before the answer, and a resume right after it files every page once`, async (bench) => {
    const assemblies = failingAt(failing);
    const { scans } = await bench.start({
      feed: feedPages(DOCUMENTS),
      assemble: assemblies.fault,
    });
    const error = await within(
      EVENT_MS,
      failure('processing_failed', scans.scan(bench.call(PER_PAGE))),
    );
    assert.equal([...assemblies.underWay], []);
    assemblies.calm = true;
    const result = await scans.resume(String(error.facts['scan_id']));
    assert.equal(assemblies.late, []);
    assert.is(assemblies.most, 2);
    await checkFiled(bench, result);
  });
}

test('a document is only recorded once its file is whole, and delivered once all are recorded', async (bench) => {
  const seen: string[] = [];
  const { scans } = await bench.start(
    { feed: feedPages(3) },
    {
      listener: (event, { scan_id, documents }) => {
        seen.push(event.type);
        if (event.type !== 'assembled') return;
        const file = bench.file(scan_id, documents[event.document]?.filename ?? '');
        assert.is(sha256(readFileSync(file)), event.sha256);
      },
    },
  );
  await scans.scan(bench.call(PER_PAGE));
  assert.ok(seen.lastIndexOf('assembled') < seen.indexOf('upload_begun'));
  assert.is(seen.filter((type) => type === 'assembled').length, 3);
  assert.not.match(bench.logged.text(), /listener_failed/);
});

test('a document that has lost a page is a bug: internal_error, and nothing is delivered', async (bench) => {
  const { scans, parts } = await bench.start({ feed: feedPages(2) });
  const real = { ...parts.processor };
  Object.assign(parts.processor, {
    assembleDocument: async (request: DocumentRequest) => ({
      ...(await real.assembleDocument(request)),
      page_count: 1,
    }),
  });
  const error = await failure('internal_error', scans.scan(bench.call()));
  assert.match(String(error.cause), /document-0001\.pdf has 1 pages/);
  assert.is(error.facts['page_count'], 2);
  assert.is(bench.dms.uploads().length, 0);
});

test('pages that would be in no document are a bug: nothing is assembled', async (bench) => {
  await storeScan(bench.root, jammedScan({ paths: { output_dir: bench.root } }));
  const { archive, parts } = await bench.start({
    assemble: () => Promise.reject(new Error('not expected')),
  });
  const open = await archive.open(STORED_ID);
  const { pages } = open.record();
  const record = { ...open.record(), pages: [...pages, ...pages.slice(1)] };
  const deadline = createDeadline(20, performance.now());
  const { signal: stop } = new AbortController();
  const { log } = bench.logged;
  const scan = { ...open, record: () => record, id: STORED_ID, deadline, stop, log };
  const bundles = createBundles(scan, parts.processor, deadline.signal);
  assert.match(
    String(await rejection(assemble(scan, parts.processor, bundles))),
    /pages 1,2 were planned as 1,2,2/,
  );
  assert.equal(open.record().documents, []);
  await open.close();
});
