import { writeFileSync } from 'node:fs';
import { appendFile, readdir, readFile, rm, truncate } from 'node:fs/promises';
import { Failure } from '../../../../helpers/failure.ts';
import type { ResumeChanges } from '../../../../service/scan/call/resumable.ts';
import type { ResumeOptions } from '../../../../service/scan/call/scans.ts';
import {
  DEFAULT_REDELIVERY,
  type Redelivery,
} from '../../../../service/archive/upload-decision.ts';
import { tiffFile } from '../../../support/fake-scanimage/tiff-file.ts';
import {
  feedPages,
  type Feed,
  type PartFaults,
  type PlayedParts,
} from '../../../support/scan-parts.ts';
import {
  assembled,
  begun,
  ended,
  jammedScan,
  page,
  planned,
  STORED_ID,
  storeScan,
} from '../../../support/stored-scan.ts';
import { assert, EVENT_MS, failure, withFixture, within } from '../../../support/suite.ts';
import {
  aborted,
  createScanBench,
  heldDeadline,
  JAM,
  LONG_TIMES,
  type ScanBench,
  scanTests,
  type ServiceChange,
  statuses,
} from './scan-bench.ts';

const REFUSES = { kind: 'answer', status: 400, body: 'no' } as const;

const test = withFixture('a resumed scan', async () => {
  const bench = await createScanBench();
  const { destinations, paths } = bench.profile();
  await storeScan(bench.root, jammedScan({ destinations, paths }));
  let last: PlayedParts;
  const start: ScanBench['start'] = async (...given) => {
    const started = await bench.start(...given);
    last = started.parts;
    return started;
  };
  return {
    ...bench,
    resume: async (faults?: PartFaults, redelivery?: Redelivery, change?: ServiceChange) =>
      (await start(faults, change)).scans.resume(STORED_ID, redelivery && { redelivery }),
    goOn: async (feed: Feed) => (await start({ feed })).scans.continueScan(STORED_ID),
    last: () => last,
    record: () => bench.stored(STORED_ID),
    page: (name: string) => bench.file(STORED_ID, name),
  };
});

test('processes and delivers pages on disk without feeding', async (bench) => {
  const { documents, warnings } = await bench.resume();
  assert.equal(bench.last().fed, []);
  assert.equal(bench.last().recognized.toSorted(), ['page-0001.tif', 'page-0002.tif']);
  assert.equal(documents[0]?.pages, [1, 2]);
  assert.is(bench.dms.uploads().length, 1);
  assert.match(warnings.join(), /stopped by scanner_jammed: the documents hold the pages/);
  const { state, error } = await bench.record();
  assert.equal([state, error], ['finished', null]);
});

test('a scan without a page on disk cannot be resumed', async (bench) => {
  const before = await bench.record();
  for (const name of ['page-0001.tif', 'page-0002.tif']) await rm(bench.page(name));
  await failure('scan_not_resumable', bench.resume());
  assert.equal(await bench.record(), before);
});

test('pages recognized before the deadline are used', async ({ resume, last, record }) => {
  const deadline = heldDeadline();
  const recognize: PartFaults['recognize'] = async (file, signal) => {
    if (file.endsWith('page-0001.tif')) return;
    await aborted(signal);
    throw signal.reason;
  };
  const late = resume({ recognize }, undefined, {
    times: { ...LONG_TIMES, ...deadline.times },
    listener: ({ type }) => void (type === 'recognized' && deadline.pass()),
  });
  const { facts } = await failure('timeout', late);
  assert.equal([facts['stage'], facts['page_count']], ['process', 2]);
  assert.is((await record()).error?.error, 'timeout');
  assert.equal((await resume()).documents[0]?.pages, [1, 2]);
  assert.equal(last().recognized, ['page-0002.tif']);
});

test('an unknown upload is sent again only on request', async ({ dms, resume }) => {
  dms.setFault({ kind: 'answer', status: 500 });
  const { warnings } = await resume();
  assert.match(warnings.join(), /It is unknown whether \S+ accepted \S+-document-0001\.pdf/);
  dms.setFault(undefined);
  await resume();
  assert.is(dms.uploads().length, 1);
  const again = await resume({}, { ...DEFAULT_REDELIVERY, resend_unknown: true });
  assert.equal([statuses(again), dms.uploads().length], ['submitted', 2]);
});

test('a moving sheet is waited for, and its unrecorded page is filed', async (bench) => {
  let looks = 0;
  const { pages } = await bench.resume({
    scanning: () => {
      looks += 1;
      if (looks === 2) writeFileSync(bench.page('page-0003.tif'), tiffFile());
      const directory = `${bench.root}/${STORED_ID}`;
      return looks < 3 ? [{ directory, asked: 'auto', device: null }] : [];
    },
  });
  assert.equal(pages, ['page-0001.tif', 'page-0002.tif', 'page-0003.tif']);
});

test('resuming without effect does not grow the record', async (bench) => {
  const { dms, resume } = bench;
  const files = (): Promise<string[]> =>
    Promise.all(['events.jsonl', 'scan.json'].map((name) => readFile(bench.page(name), 'utf8')));
  dms.setFault(REFUSES);
  await resume();
  const before = await files();
  for (let again = 0; again < 3; again += 1) assert.is(statuses(await resume()), 'failed');
  assert.equal(await files(), before);
  dms.setFault(undefined);
  assert.is(statuses(await resume()), 'submitted');
});

test('is refused with advice if its record is too large, and stays readable', async (bench) => {
  const events = await readFile(bench.page('events.jsonl'), 'utf8');
  const [jammed = ''] = events.trimEnd().split('\n').slice(-1);
  const more = `${jammed.replace('Paper is stuck.', 'x'.repeat(100_000))}\n`;
  await appendFile(bench.page('events.jsonl'), more.repeat(85));
  assert.is((await bench.record()).state, 'failed');
  const { message } = await failure('scan_not_resumable', bench.resume());
  assert.match(message, 'page-0001.tif');
});

test('more paper uses the original profile and continues page and sheet numbers', async (bench) => {
  const profile = { paths: { output_dir: bench.root }, source: 'ADF', resolution: 150 };
  await storeScan(bench.root, jammedScan(profile));
  const { documents } = await bench.goOn(feedPages(2));
  assert.equal(documents[0]?.pages, [1, 2, 3, 4]);
  const [{ first_page, first_sheet, resolution, directory } = {}] = bench.last().fed;
  assert.equal([first_page, first_sheet, resolution], [3, 3, 150]);
  assert.is(directory, bench.page('.').replace(/\/$/, ''));
  assert.not.ok((await readdir(bench.page('.'))).includes('recognized'));
});

const CHANGES: [string, string, (file: string) => Promise<unknown>, number[]][] = [
  ['the last page is cut off', 'page-0002.tif', (file) => truncate(file, 900), [1, 3]],
  ['the last page is gone', 'page-0002.tif', (file) => rm(file), [1, 3]],
  ['the first page is gone', 'page-0001.tif', (file) => rm(file), [2, 3]],
];

for (const [what, name, change, pages] of CHANGES) {
  test(`${what}, and more paper is fed: numbers are unique`, async (bench) => {
    await change(bench.page(name));
    const { documents } = await bench.goOn(feedPages(1));
    assert.equal(documents[0]?.pages, pages);
    assert.is(bench.last().fed[0]?.first_page, 3);
  });
}

test('a page that vanished after recognition never replaces a new one', async (bench) => {
  await failure('scanner_jammed', bench.goOn(feedPages(1, JAM)));
  await rm(bench.page('page-0003.tif'));
  await failure('no_documents', bench.goOn(feedPages(0)));
  const { pages } = await bench.goOn(feedPages(1));
  assert.ok(bench.last().recognized.includes(pages.at(-1) ?? ''));
});

test('no paper is fed after its documents are made', async (bench) => {
  const made = [planned([1, 2]), assembled(), ended()];
  const paths = { output_dir: bench.root };
  await storeScan(bench.root, [...jammedScan({ paths }).slice(0, -1), ...made]);
  await failure('scan_not_resumable', bench.goOn(feedPages(1)));
  assert.equal(bench.last().fed, []);
});

const it = scanTests('what a resume may change');

/** A document type that exists during the check but is gone when the document arrives. */
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

async function storeOne({ root }: ScanBench, settings: object = {}): Promise<void> {
  const first = begun({ paths: { output_dir: root } });
  if (first.type === 'begun') Object.assign(first.settings, settings);
  await storeScan(root, [first, page(1), ended({ page_count: 1 })]);
}

it('corrected metadata delivers refused documents; unnamed fields stay', async (bench) => {
  const { scans } = await bench.start({ feed: feedPages(1) });
  bench.dms.setFault(VANISHED, 1);
  const metadata = { title: 'Tea', document_type: VANISHED_ID };
  const first = await scans.scan({ ...bench.call(), metadata });
  assert.is(statuses(first), 'failed');
  const corrected = using({ metadata: { document_type: 1 } });
  assert.is(statuses(await scans.resume(first.scan_id, corrected)), 'submitted');
  await bench.dms.idle();
  assert.is(bench.dms.documents()[0]?.title, 'Tea');
  assert.equal((await bench.stored(first.scan_id)).request, { title: 'Tea', document_type: 1 });
});

it('a corrected title applies to documents not yet made', async (bench) => {
  const titles: string[] = [];
  const { scans } = await bench.start({
    feed: feedPages(2),
    processor: (played) => ({
      assembleDocument: (request) => {
        titles.push(request.options.title);
        if (titles.length > 1) return played.assembleDocument(request);
        throw new Failure('processing_failed', 'This title cannot be used.');
      },
    }),
  });
  const call = { ...bench.call(), metadata: { title: 'wrong' } };
  const { facts } = await failure('processing_failed', scans.scan(call));
  const right = using({ metadata: { title: 'right' } });
  const { documents } = await scans.resume(String(facts['scan_id']), right);
  await bench.dms.idle();
  assert.equal(titles, ['wrong', 'right']);
  assert.equal([documents.length, bench.dms.documents()[0]?.title], [1, 'right']);
});

it('existing documents keep their bytes, but are uploaded with the corrected title', async (bench) => {
  const { scans } = await bench.start({ feed: feedPages(1) });
  bench.dms.setFault(REFUSES, 1);
  const first = await scans.scan(bench.call({ title: 'wrong' }));
  const profile = bench.profile({ title: 'right' });
  const result = await scans.resume(first.scan_id, using({ profile }));
  assert.is(result.documents[0]?.sha256, first.documents[0]?.sha256);
  await bench.dms.idle();
  assert.is(bench.dms.documents()[0]?.title, 'right');
});

it('before documents are made, pages are grouped by the current profile and recognized once', async (bench) => {
  const fails = new Failure('processing_failed', 'No.');
  const { scans, parts } = await bench.start({
    feed: feedPages(3, JAM),
    // This page is still being recognized when the feeder stops; it ends with the scan.
    recognize: async (file, signal) => {
      if (!file.endsWith('3.tif')) return;
      await aborted(signal);
      throw fails;
    },
  });
  const jammed = failure('scanner_jammed', scans.scan(bench.call()));
  const { facts } = await within(EVENT_MS, jammed);
  const again = await bench.start();
  const profile = bench.profile({ assembly: { page_grouping: 'per_page' } });
  const { documents } = await again.scans.resume(String(facts['scan_id']), using({ profile }));
  assert.equal(
    documents.map(({ pages }) => pages),
    [[1], [2], [3]],
  );
  const all = [...parts.recognized, ...again.parts.recognized];
  assert.is(all.filter((name) => name === 'page-0001.tif').length, 1);
});

it('a profile with another directory does not move the scan; one with another name renames it', async (bench) => {
  await storeOne(bench);
  const { scans } = await bench.start();
  const profile = bench.profile({ name: 'other', paths: { output_dir: '/nonexistent' } });
  const result = await scans.resume(STORED_ID, using({ profile }));
  assert.is(result.profile, 'other');
  assert.is((await bench.stored(STORED_ID)).settings.paths.output_dir, bench.root);
});

it('unusable settings are named with advice; nothing changes, and a profile helps', async (bench) => {
  await storeOne(bench, { mode: 7 });
  const { scans, parts } = await bench.start();
  for (const refused of [scans.resume(STORED_ID), scans.continueScan(STORED_ID)]) {
    const { message } = await failure('scan_not_resumable', refused);
    assert.match(message, /mode.*POST \{"profile": "…"\} to \/scans\/[^/]+\/resume/);
  }
  assert.equal([parts.recognized, parts.fed], [[], []]);
  const result = await scans.resume(STORED_ID, using({ profile: bench.profile() }));
  assert.is(statuses(result), 'submitted');
});

it('an archive serial number for several documents is refused', async (bench) => {
  await storeOne(bench);
  const { scans, parts } = await bench.start();
  const profile = bench.profile({ assembly: { page_grouping: 'per_page' } });
  const changes = using({ profile, metadata: { archive_serial_number: 7 } });
  await failure('invalid_body', scans.resume(STORED_ID, changes));
  assert.equal(parts.recognized, []);
});
