import { writeFileSync } from 'node:fs';
import { appendFile, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { Failure } from '../../../../helpers/failure.ts';
import { DEFAULT_REDELIVERY, type Redelivery } from '../../../../service/scan/stages/deliver.ts';
import type { ScanResult } from '../../../../service/archive/scan-view.ts';
import { tiffFile } from '../../../support/fake-scanimage/tiff-file.ts';
import {
  feedPages,
  type Feed,
  type PartFaults,
  type PlayedParts,
} from '../../../support/scan-parts.ts';
import {
  assembled,
  ended,
  jammedScan,
  planned,
  STORED_ID,
  storeScan,
} from '../../../support/stored-scan.ts';
import type { StoredRecord } from '../../../support/stored-record.ts';
import { assert, failure, withFixture } from '../../../support/suite.ts';
import {
  aborted,
  createScanBench,
  heldDeadline,
  PATIENT,
  type ScanBench,
  type ServiceChange,
} from './scan-bench.ts';

interface Fixture extends ScanBench {
  readonly resume: (
    faults?: PartFaults,
    redelivery?: Redelivery,
    change?: ServiceChange,
  ) => Promise<{ readonly result: Promise<ScanResult>; readonly parts: PlayedParts }>;
  readonly goOn: (feed: Feed) => ReturnType<Fixture['resume']>;
  readonly record: () => Promise<StoredRecord>;
  readonly page: (name: string) => string;
}

/** A scan that jammed when two pages were stored, with one destination. */
const test = withFixture<Fixture>('a scan that is resumed', async () => {
  const bench = await createScanBench();
  const { destinations, paths } = bench.profile();
  await storeScan(bench.root, jammedScan({ destinations, paths }));
  return {
    ...bench,
    resume: async (faults, redelivery, change) => {
      const { scans, parts } = await bench.start(faults, change);
      const options = redelivery && { redelivery };
      return { result: scans.resume(STORED_ID, options), parts };
    },
    goOn: async (feed) => {
      const { scans, parts } = await bench.start({ feed });
      return { result: scans.continueScan(STORED_ID), parts };
    },
    record: () => bench.stored(STORED_ID),
    page: (name) => bench.file(STORED_ID, name),
  };
});

/** Makes the first delivery fail, so that documents are there and nothing has arrived. */
async function resumeWithout({ dms, resume }: Fixture): Promise<void> {
  dms.setFault({ kind: 'answer', status: 400, body: 'no' });
  await (
    await resume()
  ).result;
  dms.setFault(undefined);
}

test('processes and delivers what is on disk, feeds nothing', async ({ dms, resume, record }) => {
  const { result, parts } = await resume();
  const { documents, warnings } = await result;
  assert.equal(parts.fed, []);
  assert.equal(parts.recognized.toSorted(), ['page-0001.tif', 'page-0002.tif']);
  assert.equal(documents[0]?.pages, [1, 2]);
  assert.is(dms.uploads().length, 1);
  assert.match(warnings.join(), /stopped by scanner_jammed: the documents hold the pages/);
  const now = await record();
  assert.is(now.state, 'finished');
  assert.is(now.error, null);
});

test('a page that is on disk and not recorded is filed too', async ({ page, resume }) => {
  await writeFile(page('page-0003.tif'), tiffFile());
  const { documents } = await (await resume()).result;
  assert.equal(documents[0]?.pages, [1, 2, 3]);
});

test('a scan without a page on disk cannot be resumed', async ({ page, resume, record }) => {
  const before = await record();
  await Promise.all([rm(page('page-0001.tif')), rm(page('page-0002.tif'))]);
  await failure('scan_not_resumable', (await resume()).result);
  assert.equal(await record(), before);
});

test('pages recognised before the deadline are taken', async ({ resume, record }) => {
  const deadline = heldDeadline();
  const recognize: PartFaults['recognize'] = async (file, signal) => {
    if (file.endsWith('page-0001.tif')) return;
    await aborted(signal);
    throw signal.reason;
  };
  const { result: late } = await resume({ recognize }, undefined, {
    times: { ...PATIENT, ...deadline.times },
    listener: ({ type }) => void (type === 'recognized' && deadline.pass()),
  });
  const error = await failure('timeout', late);
  assert.is(error.facts['stage'], 'process');
  assert.is(error.facts['page_count'], 2);
  assert.is((await record()).error?.error, 'timeout');
  const { result, parts } = await resume();
  assert.equal((await result).documents[0]?.pages, [1, 2]);
  assert.equal(parts.recognized, ['page-0002.tif']);
});

test('a document that was changed on disk is never sent', async (fixture) => {
  const { dms, page, resume, record } = fixture;
  await resumeWithout(fixture);
  const before = dms.uploads().length;
  await writeFile(page('document-0001.pdf'), 'something else');
  const error = await failure('scan_not_resumable', (await resume()).result);
  assert.match(error.message, /document-0001\.pdf was changed/);
  assert.is(dms.uploads().length, before);
  assert.is((await record()).state, 'finished');
});

test('an unknown upload is only sent again if asked', async ({ dms, resume }) => {
  dms.setFault({ kind: 'answer', status: 500 });
  const first = await (await resume()).result;
  assert.match(first.warnings.join(), /It is unknown whether \S+ accepted \S+-document-0001\.pdf/);
  dms.setFault(undefined);
  await (
    await resume()
  ).result;
  assert.is(dms.uploads().length, 1);
  const { result } = await resume({}, { ...DEFAULT_REDELIVERY, resend_unknown: true });
  assert.is((await result).documents[0]?.destinations[0]?.status, 'submitted');
  assert.is(dms.uploads().length, 2);
});

test('a sheet still on its way is waited for', async ({ page, root, resume }) => {
  let looks = 0;
  const { result } = await resume({
    scanning: () => {
      looks += 1;
      if (looks === 2) writeFileSync(page('page-0003.tif'), tiffFile());
      const directory = `${root}/${STORED_ID}`;
      return looks < 3 ? [{ directory, asked: 'auto', device: null }] : [];
    },
  });
  assert.equal((await result).pages, ['page-0001.tif', 'page-0002.tif', 'page-0003.tif']);
});

test('leaves nothing behind where it changes nothing: a record does not grow by resuming', async (fixture) => {
  const { dms, resume, page: file } = fixture;
  dms.setFault({ kind: 'answer', status: 400, body: 'no' });
  await (
    await resume()
  ).result;
  const events = await readFile(file('events.jsonl'), 'utf8');
  const shown = await readFile(file('scan.json'), 'utf8');
  for (let again = 0; again < 3; again += 1) {
    const { result } = await resume();
    assert.is((await result).documents[0]?.destinations[0]?.status, 'failed');
  }
  assert.is(await readFile(file('events.jsonl'), 'utf8'), events);
  assert.is(await readFile(file('scan.json'), 'utf8'), shown);
  dms.setFault(undefined);
  assert.is((await (await resume()).result).documents[0]?.destinations[0]?.status, 'submitted');
});

test('is refused with advice where its record has grown too large, and stays readable', async (fixture) => {
  const { resume, record, page: file } = fixture;
  const events = await readFile(file('events.jsonl'), 'utf8');
  const [jammed = ''] = events.trimEnd().split('\n').slice(-1);
  const more = `${jammed.replace('Paper is stuck.', 'x'.repeat(100_000))}\n`;
  await appendFile(file('events.jsonl'), more.repeat(85));
  assert.is((await record()).state, 'failed');
  const error = await failure('scan_not_resumable', (await resume()).result);
  assert.match(error.message, 'page-0001.tif');
});

test('more paper is fed with the profile that it began with, page and sheet numbers going on', async (fixture) => {
  const { root, page: file, goOn } = fixture;
  const profile = { paths: { output_dir: root }, source: 'ADF', resolution: 150 };
  await storeScan(root, jammedScan(profile));
  const { result, parts } = await goOn(feedPages(2));
  assert.equal((await result).documents[0]?.pages, [1, 2, 3, 4]);
  const [{ first_page, first_sheet, resolution, directory } = {}] = parts.fed;
  assert.equal([first_page, first_sheet, resolution], [3, 3, 150]);
  assert.is(directory, file('.').replace(/\/$/, ''));
  assert.not.ok((await readdir(file('.'))).includes('recognized'));
});

/** What becomes of the pages that the record names; the next one is the third whatever it is. */
const CHANGES: [string, string, (file: string) => Promise<unknown>, number[]][] = [
  ['the last page is cut off', 'page-0002.tif', (file) => truncate(file, 900), [1, 3]],
  ['the last page is gone', 'page-0002.tif', (file) => rm(file), [1, 3]],
  ['the first page is gone', 'page-0001.tif', (file) => rm(file), [2, 3]],
];

for (const [what, name, change, pages] of CHANGES) {
  test(`${what}, and more paper is fed: no number is given twice`, async ({ page, goOn }) => {
    await change(page(name));
    const { result, parts } = await goOn(feedPages(1));
    assert.equal((await result).documents[0]?.pages, pages);
    assert.is(parts.fed[0]?.first_page, 3);
  });
}

test('a page that vanished after it was recognised never stands for a new one', async (fixture) => {
  const { page: file, goOn } = fixture;
  const jam = new Failure('scanner_jammed', 'Stuck again.');
  await failure('scanner_jammed', (await goOn(feedPages(1, jam))).result);
  await rm(file('page-0003.tif'));
  await failure('no_documents', (await goOn(feedPages(0))).result);
  const { result, parts } = await goOn(feedPages(1));
  assert.ok(parts.recognized.includes((await result).pages.at(-1) ?? ''));
});

test('no paper is fed once its documents are made', async ({ root, goOn }) => {
  const made = [planned([1, 2]), assembled(), ended()];
  const paths = { output_dir: root };
  await storeScan(root, [...jammedScan({ paths }).slice(0, -1), ...made]);
  const { result, parts } = await goOn(feedPages(1));
  await failure('scan_not_resumable', result);
  assert.equal(parts.fed, []);
});
