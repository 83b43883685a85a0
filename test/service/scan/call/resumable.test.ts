import { Failure } from '../../../../helpers/failure.ts';
import type { DocumentRequest } from '../../../../service/processor/processor-client.ts';
import type { ResumeChanges } from '../../../../service/scan/call/resumable.ts';
import type { ResumeOptions } from '../../../../service/scan/call/scans.ts';
import { DEFAULT_REDELIVERY } from '../../../../service/scan/stages/deliver.ts';
import { feedPages } from '../../../support/scan-parts.ts';
import { begun, ended, page, STORED_ID, storeScan } from '../../../support/stored-scan.ts';
import { assert, failure, withFixture } from '../../../support/suite.ts';
import { createScanBench, type ScanBench } from './scan-bench.ts';

const test = withFixture<ScanBench>('what a resume may change', () => createScanBench());

/** No system listens there. */
const NOWHERE = 'http://127.0.0.1:1';

/** The sample has it when it is checked, and no longer when the document comes. */
const VANISHED_ID = 3;

const VANISHED = {
  kind: 'answer',
  status: 400,
  body: `{"document_type":["Invalid pk \\"${VANISHED_ID}\\" - object does not exist."]}`,
} as const;

const using = (changes: ResumeChanges): ResumeOptions => ({
  ...changes,
  redelivery: DEFAULT_REDELIVERY,
});

const statuses = (
  documents: readonly { destinations: readonly { status: string }[] }[],
): string[] => documents.flatMap(({ destinations }) => destinations.map(({ status }) => status));

test('corrected metadata delivers what was refused for it; fields that are not named stay', async (bench) => {
  const { scans } = await bench.start({ feed: feedPages(1) });
  bench.dms.setFault(VANISHED, 1);
  const metadata = { title: 'Tea', document_type: VANISHED_ID };
  const first = await scans.scan({ ...bench.call(), metadata });
  assert.equal(statuses(first.documents), ['failed']);
  const corrected = using({ metadata: { document_type: 1 } });
  const result = await scans.resume(first.scan_id, corrected);
  assert.equal(statuses(result.documents), ['submitted']);
  await bench.dms.idle();
  assert.is(bench.dms.documents()[0]?.title, 'Tea');
  assert.equal((await bench.stored(first.scan_id)).request, { title: 'Tea', document_type: 1 });
});

test('a corrected title names the documents that are not made yet', async (bench) => {
  const titles: string[] = [];
  const { scans, parts } = await bench.start({ feed: feedPages(2) });
  const real = { ...parts.processor };
  Object.assign(parts.processor, {
    assembleDocument: (request: DocumentRequest) => {
      titles.push(request.options.title);
      if (titles.length === 1) throw new Failure('processing_failed', 'This title cannot be used.');
      return real.assembleDocument(request);
    },
  });
  const call = { ...bench.call(), metadata: { title: 'wrong' } };
  const error = await failure('processing_failed', scans.scan(call));
  const id = String(error.facts['scan_id']);
  const result = await scans.resume(id, using({ metadata: { title: 'right' } }));
  assert.equal(titles, ['wrong', 'right']);
  await bench.dms.idle();
  assert.is(bench.dms.documents()[0]?.title, 'right');
  assert.is(result.documents.length, 1);
});

test('documents that are made keep their bytes, and get the corrected title in the upload', async (bench) => {
  const { scans } = await bench.start({ feed: feedPages(1) });
  const first = await scans.scan(
    bench.call({ title: 'wrong', destinations: [{ kind: 'dms', base_url: NOWHERE }] }),
  );
  const profile = bench.profile({ title: 'right' });
  const result = await scans.resume(first.scan_id, using({ profile }));
  assert.is(result.documents[0]?.sha256, first.documents[0]?.sha256);
  await bench.dms.idle();
  assert.is(bench.dms.documents()[0]?.title, 'right');
});

test('before documents are made, pages are grouped as the profile says now, and recognised once', async (bench) => {
  const { scans, parts } = await bench.start({
    feed: feedPages(3, new Failure('scanner_jammed', 'Stuck.')),
    recognize: (file) =>
      file.endsWith('page-0003.tif')
        ? Promise.reject(new Failure('processing_failed', 'No.'))
        : Promise.resolve(),
  });
  const error = await failure('scanner_jammed', scans.scan(bench.call()));
  const id = String(error.facts['scan_id']);
  const again = await bench.start();
  const profile = bench.profile({ assembly: { page_grouping: 'per_page' } });
  const result = await again.scans.resume(id, using({ profile }));
  assert.equal(
    result.documents.map(({ pages }) => pages),
    [[1], [2], [3]],
  );
  const all = [...parts.recognized, ...again.parts.recognized];
  assert.is(all.filter((name) => name === 'page-0001.tif').length, 1);
});

test('a profile that stores elsewhere does not move the scan, and one of another name gives it that name', async (bench) => {
  await storeScan(bench.root, [begun({ paths: { output_dir: bench.root } }), page(1), ended()]);
  const { scans } = await bench.start();
  const profile = bench.profile({ name: 'other', paths: { output_dir: '/nonexistent' } });
  const result = await scans.resume(STORED_ID, using({ profile }));
  assert.is(result.profile, 'other');
  assert.is((await bench.stored(STORED_ID)).settings.paths.output_dir, bench.root);
});

test('settings that this version cannot use are named, with the way on; nothing is touched, and a profile helps', async (bench) => {
  const events = [begun({ paths: { output_dir: bench.root } }), page(1), ended({ page_count: 1 })];
  const [first] = events;
  if (first?.type === 'begun') Object.assign(first.settings, { mode: 7 });
  await storeScan(bench.root, events);
  const { scans, parts } = await bench.start();
  for (const refused of [scans.resume(STORED_ID), scans.continueScan(STORED_ID)]) {
    const error = await failure('scan_not_resumable', refused);
    assert.match(error.message, /mode.*POST \{"profile": "…"\} to \/scans\/[^/]+\/resume/);
  }
  assert.equal([parts.recognized, parts.fed], [[], []]);
  const result = await scans.resume(STORED_ID, using({ profile: bench.profile() }));
  assert.equal(statuses(result.documents), ['submitted']);
});

test('an archive serial number that several documents would get is refused', async (bench) => {
  await storeScan(bench.root, [begun({ paths: { output_dir: bench.root } }), page(1), ended()]);
  const { scans, parts } = await bench.start();
  const profile = bench.profile({ assembly: { page_grouping: 'per_page' } });
  const changes = using({ profile, metadata: { archive_serial_number: 7 } });
  await failure('invalid_body', scans.resume(STORED_ID, changes));
  assert.equal(parts.recognized, []);
});
