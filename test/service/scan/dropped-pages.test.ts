import { DEFAULT_REDELIVERY } from '../../../service/scan/stages/deliver.ts';
import { feedDuplexPages, feedPages } from '../../support/scan-parts.ts';
import { assert, failure, withFixture } from '../../support/suite.ts';
import { BLANK, codes, TEXT, type Side } from '../documents/stack.ts';
import { createScanBench, type ScanBench } from './call/scan-bench.ts';

const test = withFixture<ScanBench>(
  'pages that become no document, or another one',
  // Two accounts of one system each get a number that it takes once: whose, is not what is tested here.
  () => createScanBench({ permissions: ['add_document', 'view_tag', 'view_documenttype'] }),
);

const redelivery = DEFAULT_REDELIVERY;
const KEEP = { redelivery, keep_blank_pages: true };

/** What is on the pages, by number. */
const pages =
  (...sides: Side[]) =>
  (number: number): Side =>
    sides[number - 1] ?? {};

test('a stack of mail: separators and blank backs are left out, each document has what the paper says', async (bench) => {
  const { scans, parts } = await bench.start({
    feed: feedDuplexPages(10),
    facts: pages(
      { ...TEXT, first_line: 'Dear Sir,' },
      BLANK,
      codes('PATCHT', 'TAG:Tax,Health,no such tag\nTITLE:Contract'),
      BLANK,
      TEXT,
      { ...TEXT, words: 40, characters: 200, confidence: 60.7 },
      codes('ASN00123'),
      BLANK,
      { ...TEXT, words: 0, characters: 0, confidence: null },
      BLANK,
    ),
  });
  const result = await scans.scan({
    ...bench.call({
      assembly: {
        page_grouping: 'separator',
        remove_blank_pages: 'backs',
        barcodes: { metadata: true },
      },
      title: '{n}: {first_line}',
      destinations: [
        { kind: 'dms', base_url: bench.dms.url, tags: [3], title: 'First {asn}' },
        { kind: 'dms', base_url: bench.dms.url, token_secret: 'other', document_type: 2 },
      ],
    }),
    metadata: { tags: [7, 9], created: '2026-11-20' },
  });
  assert.equal(
    result.documents.map((document) => [document.pages, document.confidence, document.no_text]),
    [
      [[1], 90, []],
      [[5, 6], 67, []],
      [[7, 9], 90, [9]],
    ],
  );
  assert.equal(
    result.dropped_pages.map(({ page, reason }) => [page, reason]),
    [
      [2, 'blank'],
      [3, 'separator'],
      [4, 'separator'],
      [8, 'blank'],
      [10, 'blank'],
    ],
  );
  const [low, unknown, ...others] = result.warnings;
  assert.match(
    low ?? '',
    /^low_confidence: the text of these pages of document-0002\.pdf .*: 6 \(60 %\)\./,
  );
  assert.match(unknown ?? '', /^document-0002\.pdf: .*There is no tag named "no such tag" in/);
  assert.equal(others, []);
  assert.is(parts.recognized.length, 10);
  const values = (field: string): string[] =>
    bench.dms.uploads().map(({ fields }) =>
      fields
        .filter(([name]) => name === field)
        .map(([, value]) => value)
        .join(),
    );
  assert.equal(values('title'), [
    'First (1/3)',
    '1: Dear Sir,',
    'Contract',
    'Contract',
    'First 123',
    '3:',
  ]);
  assert.equal(values('tags'), ['3,7,9', '7,9', '3,4,7,9', '4,7,9', '3,7,9', '7,9']);
  assert.equal(values('document_type'), ['', '2', '', '2', '', '2']);
  assert.equal(values('archive_serial_number'), ['', '', '', '', '123', '123']);
  assert.equal(new Set(values('created')), new Set(['2026-11-20']));
});

test('a stack of blank pages is no document until a resume keeps them: they are recognised then', async (bench) => {
  const blank = pages(BLANK, BLANK);
  const { scans } = await bench.start({ feed: feedPages(2), facts: blank });
  const call = bench.call({ assembly: { remove_blank_pages: 'all' } });
  const error = await failure('only_blank_pages', scans.scan(call));
  const id = String(error.facts['scan_id']);
  assert.equal(error.facts['dropped_pages'], [
    { page: 1, reason: 'blank', score: 0.02 },
    { page: 2, reason: 'blank', score: 0.02 },
  ]);
  assert.match(
    error.message,
    /only blank pages, so there is no document\. .*keep_blank_pages.*continue_scan/,
  );
  assert.not.match(error.message, /files what is there/);
  assert.is((await bench.stored(id)).dropped_pages.length, 2);

  const again = await bench.start({ facts: blank });
  await failure('only_blank_pages', again.scans.resume(id));
  assert.equal(again.parts.recognized, []);
  const { documents, dropped_pages } = await again.scans.resume(id, KEEP);
  assert.equal(documents[0]?.pages, [1, 2]);
  assert.equal(documents[0]?.no_text, [1, 2]);
  assert.equal(dropped_pages, []);
  assert.equal(again.parts.recognized.toSorted(), ['page-0001.tif', 'page-0002.tif']);
  // The same call again, because its answer was lost.
  assert.equal((await again.scans.resume(id, KEEP)).documents.length, 1);
});

test('a stack of separators is no document: more paper may follow', async (bench) => {
  const { scans } = await bench.start({
    feed: feedPages(1),
    facts: pages(codes('PATCHT'), TEXT),
  });
  const call = bench.call({ assembly: { page_grouping: 'separator' } });
  const error = await failure('only_blank_pages', scans.scan(call));
  assert.match(error.message, /only separator sheets/);
  const { documents, dropped_pages } = await scans.continueScan(String(error.facts['scan_id']));
  assert.equal(documents[0]?.pages, [2]);
  assert.equal(dropped_pages, [{ page: 1, reason: 'separator' }]);
});

test('blank pages cannot be kept once the documents are made without them', async (bench) => {
  bench.dms.setFault({ kind: 'answer', status: 400, body: 'no' });
  const { scans } = await bench.start({ feed: feedPages(2), facts: pages(TEXT, BLANK) });
  const call = bench.call({ assembly: { remove_blank_pages: 'all' } });
  const { scan_id: id } = await scans.scan(call);
  const error = await failure('scan_not_resumable', scans.resume(id, KEEP));
  assert.match(error.message, /without its blank pages.*files\/page-0002\.tif/);
});
