import { readFileSync } from 'node:fs';
import { readdir, readFile, rm, utimes } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../../../../helpers/failure.ts';
import { pageOptions } from '../../../../service/documents/page-options.ts';
import { DEFAULT_REDELIVERY } from '../../../../service/archive/upload-decision.ts';
import {
  feedDuplexPages,
  feedPages,
  sha256,
  type Feed,
  type PartFaults,
} from '../../../support/scan-parts.ts';
import { jammedScan, STORED_ID, storeScan } from '../../../support/stored-scan.ts';
import { assert, EVENT_MS, failure, within } from '../../../support/suite.ts';
import { BLANK, codes, pagesOf, type Side, TEXT } from '../../documents/stack.ts';
import {
  aborted,
  PASSED,
  LONG_TIMES,
  type ScanBench,
  scanTests,
  type ServiceChange,
  heldDeadline,
  letOthersRun,
  stopped,
} from '../call/scan-bench.ts';

const test = scanTests('the stages of a scan');

const FAILS = new Failure('processing_failed', 'This cannot be made.');
const PER_SHEET = { assembly: { page_grouping: 'per_sheet' } };
const PER_PAGE = { assembly: { page_grouping: 'per_page' } };

test('feeding follows the profile, from the first page and sheet', async (bench) => {
  const { scans, parts } = await bench.start({ feed: feedPages(1) });
  const scanner_options = { brightness: 3 };
  const settings = {
    source: 'ADF Duplex',
    sides: undefined,
    resolution: 150,
    max_pages: 7,
    mode: 'Gray',
  };
  const profile = { ...settings, device: 'Fujitsu', scanner_options };
  const { scan_id } = await scans.scan(bench.call(profile));
  const { page_size, ...request } = parts.fed[0] ?? {};
  const directory = path.join(bench.root, scan_id);
  assert.is.not(page_size, undefined);
  assert.equal(request, { ...profile, directory, first_page: 1, first_sheet: 1 });
});

test('a stopped scan ends after the current sheet, keeps its pages, and can be continued', async (bench) => {
  const fed = Promise.withResolvers<string>();
  const feed: Feed = async (request, options) => {
    if (request.first_page > 1) return feedPages(1)(request, options);
    await feedPages(2)(request, options);
    fed.resolve(path.basename(request.directory));
    await aborted(options.signal);
    await feedPages(1)({ ...request, first_page: 3, first_sheet: 3 }, options);
    throw stopped('scanner_error', { page_count: 3 });
  };
  const { scans } = await bench.start({ feed }, { times: LONG_TIMES });
  const scan = scans.scan(bench.call());
  const id = await fed.promise;
  assert.is(await scans.stop(id), true);
  const { message } = await failure('scan_stopped', scan);
  assert.match(message, /^The feeder was stopped on request.*3 pages are stored: POST/);
  assert.is(await scans.stop(id), false, 'nothing is left to be stopped');
  await failure('scan_not_found', scans.stop('20261121T063000Z-000000'));
  const { page_count, warnings } = await scans.continueScan(id);
  assert.equal([page_count, warnings], [4, [PASSED]]);
});

test('sheets are numbered by the runtime; a front without a back stays alone, whatever is fed next', async (bench) => {
  const profile = { source: 'ADF', ...PER_SHEET };
  const id = await bench.jammed(feedDuplexPages(3, stopped('scanner_jammed')), profile);
  const { scans, parts } = await bench.start({ feed: feedDuplexPages(4) });
  const result = await scans.continueScan(id);
  assert.equal([parts.fed[0]?.first_page, parts.fed[0]?.first_sheet], [4, 3]);
  assert.equal(pagesOf(result), [[1, 2], [3], [4, 5], [6, 7]]);
});

for (const [duplex, second] of [
  [true, '1 back'],
  [false, '2 front'],
] as const) {
  test(`an unannounced page is ${second} with duplex ${duplex}`, async (bench) => {
    const id = await bench.jammed(async (request, { onPage, ...options }) => {
      const announce: typeof onPage = (page) => page.number === 1 && onPage(page);
      await feedPages(2)(request, { ...options, onPage: announce });
      throw stopped('scanner_jammed', { page_count: 1, duplex });
    });
    const { archive } = await bench.start();
    const { record } = await archive.find(id);
    const places = record.pages.map(({ sheet, side }) => `${sheet} ${side}`);
    assert.equal(places, ['1 front', second]);
  });
}

test('the scanner is free once the feeder has stopped: another scan is fed while pages are recognized', async (bench) => {
  const [held, reached] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isFirst = true;
  const recognize = (): Promise<void> => {
    if (!isFirst) return Promise.resolve();
    isFirst = false;
    reached.resolve();
    return held.promise;
  };
  const { scans } = await bench.start({ feed: feedPages(1), recognize });
  const first = scans.scan(bench.call());
  await within(EVENT_MS, reached.promise);
  assert.is((await within(EVENT_MS, scans.scan(bench.call()))).page_count, 1);
  held.resolve();
  assert.is((await first).page_count, 1);
});

test('a page that cannot be recorded stops the feeder', async (bench) => {
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  let hasStopped = false;
  const feed: Feed = async (request, options) => {
    await feedPages(1)(request, options);
    await within(EVENT_MS, aborted(options.signal), 'the stop of the feeder');
    hasStopped = true;
    throw options.signal.reason;
  };
  const archive: ServiceChange['archive'] = (real) => ({
    begin: async (begun) => {
      const open = await real.begin(begun);
      const append: typeof open.append = (...events) =>
        events.some(({ type }) => type === 'page') ? Promise.reject(full) : open.append(...events);
      return { ...open, append };
    },
  });
  const { scans } = await bench.start({ feed }, { archive });
  const { message } = await failure('insufficient_storage', scans.scan(bench.call()));
  assert.match(message, /disk is full/);
  assert.ok(hasStopped);
});

test('recognition follows the profile, and keeps page facts in stack order', async (bench) => {
  const last = Promise.withResolvers<void>();
  const asked: unknown[] = [];
  const { scans } = await bench.start({
    feed: feedPages(3),
    processor: (played) => ({
      recognizePage: async (request) => {
        asked.push(request.options);
        const recognized = await played.recognizePage(request);
        if (request.pageFile.endsWith('page-0003.tif')) last.resolve();
        if (!request.pageFile.endsWith('page-0001.tif')) return recognized;
        await last.promise;
        return { ...recognized, warnings: ['faint'] };
      },
    }),
  });
  const call = bench.call();
  const result = await scans.scan(call);
  const options = pageOptions(call.profile, { side: 'front' });
  assert.equal(asked, [options, options, options]);
  assert.equal([pagesOf(result), result.warnings], [[[1, 2, 3]], ['Page 1: faint']]);
});

test('the processor never has more than two pages per worker', async (bench) => {
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
      await letOthersRun();
      underWay -= 1;
    },
  });
  await scans.scan(bench.call());
  assert.is(most, 4);
});

test('the first failing page ends the others, and is reported to the caller', async (bench) => {
  let underWay = 0;
  const { scans } = await bench.start({
    feed: feedPages(4),
    recognize: async (file, signal) => {
      if (file.endsWith('page-0002.tif')) throw new Failure('processing_failed', 'Page 2.');
      underWay += 1;
      await aborted(signal);
      await letOthersRun();
      underWay -= 1;
      throw signal.reason;
    },
  });
  const { message } = await failure('processing_failed', scans.scan(bench.call()));
  assert.match(message, /^Page 2\./);
  assert.is(underWay, 0);
});

/** Changes to a recognized page that is kept on disk, and the pages to recognize again. */
const CHANGES: [string, (raw: string, recognized: string) => Promise<unknown>, string[]][] = [
  ['nothing changed', async () => {}, []],
  ['its recognized file is gone', (_, recognized) => rm(recognized), ['page-0002.tif']],
  ['it was written later', (raw) => utimes(raw, new Date(), new Date()), ['page-0002.tif']],
  ['it was written earlier', (raw) => utimes(raw, new Date(), new Date(0)), ['page-0002.tif']],
];

for (const [what, change, anew] of CHANGES) {
  test(`if ${what}, ${anew.length || 'no'} page is recognized again`, async (bench) => {
    const assembles = (): Promise<never> => Promise.reject(FAILS);
    const first = await bench.start({ feed: feedPages(3), assemble: assembles });
    const { facts } = await failure('processing_failed', first.scans.scan(bench.call()));
    const id = String(facts['scan_id']);
    const kept = bench.file(id, 'recognized');
    const names = ['page-0001.pdf', 'page-0002.pdf', 'page-0003.pdf'];
    assert.equal((await readdir(kept)).toSorted(), names);
    await change(bench.file(id, 'page-0002.tif'), path.join(kept, 'page-0002.pdf'));
    const { scans, parts } = await bench.start();
    assert.equal(pagesOf(await scans.resume(id)), [[1, 2, 3]]);
    assert.equal(parts.recognized, anew);
  });
}

const DOCUMENT = 'document-0001.pdf';
const COMBINED = { assembly: { page_grouping: 'combined', remove_blank_pages: 'none' } } as const;

function pages(first: number, last: number): string[] {
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return numbers.map((number) => `page-${String(number).padStart(4, '0')}.pdf`);
}

async function held(bench: ScanBench, id: string): Promise<string[]> {
  const lines = (await readFile(bench.file(id, DOCUMENT), 'utf8')).trim().split('\n');
  return lines.map((line) => (line.split(' ')[0] ?? '').replace('.tif', '.pdf'));
}

/** Feeds `before` pages, waits until `bundles` merges have started, then feeds `after` more. */
function pausedStack(
  [before, bundles, after]: readonly [number, number, number],
  { sides = 1, assemble: make }: { sides?: 1 | 2; assemble?: PartFaults['assemble'] } = {},
): Required<Pick<PartFaults, 'feed' | 'assemble'>> {
  const feedSides = sides === 1 ? feedPages : feedDuplexPages;
  const begun = Promise.withResolvers<void>();
  let count = 0;
  const feed: Feed = async (request, options) => {
    await feedSides(before)(request, options);
    await begun.promise;
    const rest = { first_page: before + 1, first_sheet: before / sides + 1 };
    return feedSides(after)({ ...request, ...rest }, options);
  };
  return {
    feed,
    assemble: async (outFile, signal) => {
      count += 1;
      if (count === bundles) begun.resolve();
      await make?.(outFile, signal);
    },
  };
}

test('pages are merged in groups of twenty during feeding; the document consists of these and the rest', async (bench) => {
  const { scans, parts } = await bench.start(pausedStack([40, 2, 5]));
  const { scan_id: id, documents } = await within(EVENT_MS, scans.scan(bench.call(COMBINED)));
  assert.equal(parts.merged.get('bundle-0001.pdf'), pages(1, 20));
  assert.equal(parts.merged.get('bundle-0021.pdf'), pages(21, 40));
  const made = ['bundle-0001.pdf', 'bundle-0021.pdf', ...pages(41, 45)];
  assert.equal(parts.merged.get(DOCUMENT), made);
  assert.equal(await held(bench, id), pages(1, 45));
  assert.is(documents[0]?.pages.length, 45);
  assert.not.ok((await readdir(path.join(bench.root, id))).includes('recognized'));
});

test('pages are not merged once the last one is recognized, since the document can be made instead', async (bench) => {
  const fed = Promise.withResolvers<void>();
  const recognize = (file: string): Promise<void> =>
    file.endsWith('page-0020.tif') ? fed.promise : Promise.resolve();
  const { scans, parts } = await bench.start(
    { feed: feedPages(20), recognize },
    { listener: (_, { state }) => void (state === 'processing' && fed.resolve()) },
  );
  await scans.scan(bench.call(COMBINED));
  assert.equal([...parts.merged], [[DOCUMENT, pages(1, 20)]]);
});

test('pages are merged without dropped blank ones', async (bench) => {
  const { scans, parts } = await bench.start({
    ...pausedStack([20, 1, 4], { sides: 2 }),
    facts: (number) => (number % 4 === 0 ? { blank: { score: 0.2, mark: null } } : {}),
  });
  const assembly = { ...COMBINED.assembly, remove_blank_pages: 'backs' };
  const { scan_id: id } = await scans.scan(bench.call({ assembly }));
  const kept = pages(1, 24).filter((_, index) => index % 4 !== 3);
  assert.equal(parts.merged.get('bundle-0001.pdf'), kept.slice(0, 15));
  assert.equal(parts.merged.get(DOCUMENT), ['bundle-0001.pdf', ...kept.slice(15)]);
  assert.equal(await held(bench, id), kept);
});

test('a page that is recognized again is used separately, like those merged with it', async (bench) => {
  const telling = { turned: 180, characters: 400, confidence: 90 };
  const sparse = { turned: 0, characters: 2, confidence: 20 };
  const facts: PartFaults['facts'] = (number) => (number === 7 ? sparse : telling);
  const { scans, parts } = await bench.start({ ...pausedStack([40, 2, 1]), facts });
  const call = bench.call({ ...COMBINED, processing: { rotate_pages: true } });
  const { scan_id: id } = await scans.scan(call);
  assert.is(parts.recognized.filter((name) => name === 'page-0007.tif').length, 2);
  assert.ok(parts.merged.get('bundle-0001.pdf')?.includes('page-0007.pdf'));
  const made = [...pages(1, 20), 'bundle-0021.pdf', 'page-0041.pdf'];
  assert.equal(parts.merged.get(DOCUMENT), made);
  assert.equal(await held(bench, id), pages(1, 41));
});

test('if pages cannot be merged, the document is made from single pages, and the log says why', async (bench) => {
  const refuseBundle = (file: string): Promise<void> =>
    file.endsWith(DOCUMENT) ? Promise.resolve() : Promise.reject(FAILS);
  const { scans, parts } = await bench.start(pausedStack([20, 1, 1], { assemble: refuseBundle }));
  const result = await scans.scan(bench.call(COMBINED));
  assert.equal(parts.merged.get(DOCUMENT), pages(1, 21));
  assert.equal(await held(bench, result.scan_id), pages(1, 21));
  assert.equal(result.warnings, []);
  assert.match(bench.logged.text(), /"bundle_failed".*cannot be made/);
});

test('a hanging merge is stopped with the scan, and a resume files the pages', async (bench) => {
  const { times, pass } = heldDeadline();
  let underWay = 0;
  const hang: PartFaults['assemble'] = async (_, signal) => {
    underWay += 1;
    pass();
    await aborted(signal);
    underWay -= 1;
    throw signal.reason;
  };
  const { scans } = await bench.start(pausedStack([20, 1, 1], { assemble: hang }), { times });
  const error = await failure('timeout', scans.scan(bench.call(COMBINED)));
  assert.is(underWay, 0);
  assert.not.match(bench.logged.text(), /bundle_failed/);
  const next = await bench.start();
  const { scan_id: id } = await next.scans.resume(String(error.facts['scan_id']));
  assert.ok((await held(bench, id)).length >= 20);
});

for (const page_grouping of ['per_page', 'per_sheet', 'blank_page'] as const) {
  test(`pages are not merged with ${page_grouping}`, async (bench) => {
    const { scans, parts } = await bench.start({ feed: feedPages(22) });
    await scans.scan(bench.call({ assembly: { page_grouping } }));
    assert.not.match([...parts.merged.keys()].join(), 'bundle');
  });
}

const DOCUMENTS = 20;

const WIND_UP_MS = 300;

for (const failing of [1, 10, DOCUMENTS]) {
  test(`document ${failing} of ${DOCUMENTS} fails: no other starts, all have ended before the answer, and an immediate resume files every page once`, async (bench) => {
    // While its neighbour is being made, the document fails. The neighbour ends WIND_UP_MS later.
    const neighbour = failing === 1 ? 2 : failing - 1;
    const neighbourBegan = Promise.withResolvers<void>();
    const underWay = new Set<number>();
    const late: number[] = [];
    let [most, hasFailed, isCalm] = [0, false, false];
    const make: PartFaults['assemble'] = async (outFile, signal) => {
      if (isCalm) return;
      const number = Number(/\d{4}/.exec(path.basename(outFile))?.[0]);
      if (hasFailed) late.push(number);
      underWay.add(number);
      most = Math.max(most, underWay.size);
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
        throw FAILS;
      } finally {
        underWay.delete(number);
      }
    };
    const { scans } = await bench.start({ feed: feedPages(DOCUMENTS), assemble: make });
    const failed = failure('processing_failed', scans.scan(bench.call(PER_PAGE)));
    const { facts } = await within(EVENT_MS, failed);
    assert.equal([...underWay], []);
    isCalm = true;
    const result = await scans.resume(String(facts['scan_id']));
    assert.equal([late, most], [[], 2]);
    const each = Array.from({ length: DOCUMENTS }, (_, index) => [index + 1]);
    assert.equal(pagesOf(result), each);
    for (const { filename, sha256: recorded } of result.documents)
      assert.is(sha256(await readFile(bench.file(result.scan_id, filename))), recorded);
    const sent = bench.dms.uploads().map(({ filename }) => filename);
    assert.equal([sent.length, new Set(sent).size], [DOCUMENTS, DOCUMENTS]);
  });
}

test('a document is recorded once its file is complete, and delivered once all are recorded', async (bench) => {
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
  const { scans } = await bench.start({
    feed: feedPages(2),
    processor: (played) => ({
      assembleDocument: async (request) => ({
        ...(await played.assembleDocument(request)),
        page_count: 1,
      }),
    }),
  });
  const error = await failure('internal_error', scans.scan(bench.call()));
  assert.match(String(error.cause), /document-0001\.pdf has 1 pages/);
  assert.equal([error.facts['page_count'], bench.dms.uploads()], [2, []]);
});

test('pages without a document are a bug: nothing is assembled', async (bench) => {
  await storeScan(bench.root, jammedScan({ paths: { output_dir: bench.root } }));
  const archive: ServiceChange['archive'] = (real) => ({
    open: async (...asked) => {
      const open = await real.open(...asked);
      const { pages } = open.record();
      return {
        ...open,
        record: () => ({ ...open.record(), pages: [...pages, ...pages.slice(1)] }),
      };
    },
  });
  const { scans, parts } = await bench.start({}, { archive });
  const bug = await failure('internal_error', scans.resume(STORED_ID));
  assert.match(String(bug.cause), /pages 1,2 were planned as 1,2,2/);
  assert.is(parts.merged.size, 0);
});

// A single account: two would race for the serial number, which Paperless-ngx accepts only once.
const permissions = ['add_document', 'view_tag', 'view_documenttype'];
const it = scanTests('pages without a document, or in another one', [
  { token: 'token', permissions },
]);

const redelivery = DEFAULT_REDELIVERY;
const KEEP = { redelivery, keep_blank_pages: true };

const sides =
  (...each: Side[]) =>
  (number: number): Side =>
    each[number - 1] ?? {};

it('a stack of mail: separators and blank backs are omitted, and documents have the metadata on paper', async (bench) => {
  const { scans, parts } = await bench.start({
    feed: feedDuplexPages(10),
    facts: sides(
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
  const barcodes = { metadata: true };
  const to = { kind: 'dms', base_url: bench.dms.url };
  const { profile } = bench.call({
    assembly: { page_grouping: 'separator', remove_blank_pages: 'backs', barcodes },
    title: '{n}: {first_line}',
    destinations: [
      { ...to, tags: [3], title: 'First {asn}' },
      { ...to, token_secret: 'other', document_type: 2 },
    ],
  });
  const metadata = { tags: [7, 9], created: '2026-11-20' };
  const result = await scans.scan({ profile, metadata });
  assert.equal(
    result.documents.map((document) => [document.pages, document.confidence, document.no_text]),
    [
      [[1], 90, []],
      [[5, 6], 67, []],
      [[7, 9], 90, [9]],
    ],
  );
  const dropped = result.dropped_pages.map(({ page, reason }) => `${page} ${reason}`);
  assert.is(dropped.join(', '), '2 blank, 3 separator, 4 separator, 8 blank, 10 blank');
  const [low = '', unknown = '', ...others] = result.warnings;
  const pale = /^low_confidence: the text of these pages of document-0002\.pdf .*: 6 \(60 %\)\./;
  assert.match(low, pale);
  assert.match(unknown, /^document-0002\.pdf: .*There is no tag named "no such tag" in/);
  assert.equal(others, []);
  assert.is(parts.recognized.length, 10);
  const values = (field: string): string[] =>
    bench.dms.uploads().map(({ fields }) =>
      fields
        .filter(([name]) => name === field)
        .map(([, value]) => value)
        .join(),
    );
  const titles = 'First (1/3)|1: Dear Sir,|Contract|Contract|First 123|3:';
  assert.equal(values('title'), titles.split('|'));
  assert.equal(values('tags'), ['3,7,9', '7,9', '3,4,7,9', '4,7,9', '3,7,9', '7,9']);
  assert.equal(values('document_type'), ['', '2', '', '2', '', '2']);
  assert.equal(values('archive_serial_number'), ['', '', '', '', '123', '123']);
  assert.equal(new Set(values('created')), new Set(['2026-11-20']));
});

it('a stack of blank pages becomes a document only if a resume keeps and recognizes them', async (bench) => {
  const blank = sides(BLANK, BLANK);
  const { scans } = await bench.start({ feed: feedPages(2), facts: blank });
  const call = bench.call({ assembly: { remove_blank_pages: 'all' } });
  const { facts, message } = await failure('only_blank_pages', scans.scan(call));
  const id = String(facts['scan_id']);
  const dropped = [1, 2].map((page) => ({ page, reason: 'blank', score: 0.02 }));
  assert.equal(facts['dropped_pages'], dropped);
  const said = /only blank pages, so there is no document\. .*keep_blank_pages.*continue_scan/;
  assert.match(message, said);
  assert.not.match(message, /files what is there/);
  assert.is((await bench.stored(id)).dropped_pages.length, 2);

  const again = await bench.start({ facts: blank });
  await failure('only_blank_pages', again.scans.resume(id));
  assert.equal(again.parts.recognized, []);
  const { documents, dropped_pages } = await again.scans.resume(id, KEEP);
  assert.equal(
    [documents[0]?.pages, documents[0]?.no_text],
    [
      [1, 2],
      [1, 2],
    ],
  );
  assert.equal(dropped_pages, []);
  assert.equal(again.parts.recognized.toSorted(), ['page-0001.tif', 'page-0002.tif']);
  // The same call again, because its answer was lost.
  assert.equal((await again.scans.resume(id, KEEP)).documents.length, 1);
});

it('a stack of separators makes no document: more paper may follow', async (bench) => {
  const { scans } = await bench.start({ feed: feedPages(1), facts: sides(codes('PATCHT'), TEXT) });
  const call = bench.call({ assembly: { page_grouping: 'separator' } });
  const { facts, message } = await failure('only_blank_pages', scans.scan(call));
  assert.match(message, /only separator sheets/);
  const result = await scans.continueScan(String(facts['scan_id']));
  assert.equal(pagesOf(result), [[2]]);
  assert.equal(result.dropped_pages, [{ page: 1, reason: 'separator' }]);
});

it('blank pages cannot be kept after documents were made without them', async (bench) => {
  bench.dms.setFault({ kind: 'answer', status: 400, body: 'no' });
  const { scans } = await bench.start({ feed: feedPages(2), facts: sides(TEXT, BLANK) });
  const call = bench.call({ assembly: { remove_blank_pages: 'all' } });
  const { scan_id: id } = await scans.scan(call);
  const { message } = await failure('scan_not_resumable', scans.resume(id, KEEP));
  assert.match(message, /without its blank pages.*files\/page-0002\.tif/);
});
