import { appendFile, writeFile } from 'node:fs/promises';
import { Failure } from '../../../../helpers/failure.ts';
import { EVENT_FILE } from '../../../../service/archive/event-file.ts';
import { detailsOf } from '../../../../service/archive/scan-details.ts';
import type { ScanResult } from '../../../../service/archive/scan-view.ts';
import { tiffFile } from '../../../support/fake-scanimage/tiff-file.ts';
import {
  type Feed,
  feedDuplexPages,
  feedPages,
  type PartFaults,
} from '../../../support/scan-parts.ts';
import { resumed, timed } from '../../../support/stored-scan.ts';
import { assert, failure, withFixture } from '../../../support/suite.ts';
import { pagesOf } from '../../documents/stack.ts';
import { createScanBench, type BenchService } from './scan-bench.ts';

const GLASS = { source: 'Flatbed', assembly: { page_grouping: 'card' } } as const;
const DUPLEX = { source: 'ADF Duplex', assembly: { page_grouping: 'card' } } as const;
const FEEDER = { source: 'ADF', assembly: { page_grouping: 'card' } } as const;

const test = withFixture('a card', async () => {
  const bench = await createScanBench();
  return {
    ...bench,
    /** Scans with the first feed. Each later feed is for one call. */
    scan: async (
      profile: object,
      feeds: readonly Feed[],
      faults: PartFaults = {},
    ): Promise<BenchService & { readonly first: ScanResult; readonly id: string }> => {
      const left = [...feeds];
      const feed: Feed = (request, options) => (left.shift() ?? feedPages(0))(request, options);
      const service = await bench.start({ feed, ...faults });
      const first = await service.scans.scan(bench.call(profile));
      return { ...service, first, id: first.scan_id };
    },
  };
});

const countsOf = ({ documents }: ScanResult): number[] =>
  documents.map(({ page_count: count }) => count);

test('from the glass waits for its back, and both are filed on one page', async ({ scan, dms }) => {
  const { scans, archive, first, id } = await scan(GLASS, [feedPages(1), feedPages(1)]);
  assert.equal([first.state, first.page_count, first.documents], ['held', 1, []]);
  const { kind, hold } = detailsOf((await archive.find(id)).record, false);
  assert.equal([kind, hold], ['card', true]);
  const filed = await scans.continueScan(id);
  assert.equal([filed.state, pagesOf(filed), countsOf(filed)], ['finished', [[1, 2]], [1]]);
  assert.equal([filed.page_count, filed.warnings, dms.uploads().length], [2, [], 1]);
});

test('that has only a front is filed alone when the scan is resumed', async ({ scan }) => {
  const { scans, id } = await scan(GLASS, [feedPages(1)]);
  const filed = await scans.resume(id);
  assert.equal([filed.state, pagesOf(filed), countsOf(filed)], ['finished', [[1]], [1]]);
});

test('may be followed by others, each filed with its back', async ({ scan }) => {
  const feeds = [1, 1, 1, 1].map((count) => feedPages(count));
  const { scans, id } = await scan(GLASS, feeds);
  await scans.continueScan(id, { hold: true });
  const third = await scans.continueScan(id);
  assert.is(third.state, 'held', 'the front of the second card');
  const filed = await scans.continueScan(id);
  assert.equal(
    [pagesOf(filed), countsOf(filed)],
    [
      [
        [1, 2],
        [3, 4],
      ],
      [1, 1],
    ],
  );
});

test('whose back failed is filed once its back is scanned', async ({ scan }) => {
  const broken = feedPages(0, new Failure('scanner_error', 'Broken.'));
  const { scans, id } = await scan(GLASS, [feedPages(1), broken, feedPages(1)]);
  await failure('scanner_error', scans.continueScan(id));
  const filed = await scans.continueScan(id);
  assert.equal([filed.state, pagesOf(filed), countsOf(filed)], ['finished', [[1, 2]], [1]]);
});

test('whose back was stored by a killed service waits when it is scanned once more', async ({
  scan,
  start,
  file,
}) => {
  const { id } = await scan(GLASS, [feedPages(1)]);
  const [event] = timed([resumed({ stage: 'scan' })], Date.now());
  await appendFile(file(id, EVENT_FILE), `${JSON.stringify(event)}\n`);
  await writeFile(file(id, 'page-0002.tif'), tiffFile());
  const { scans } = await start({ feed: feedPages(1) });
  const waiting = await scans.continueScan(id);
  assert.equal([waiting.state, waiting.page_count], ['held', 3]);
  await scans.editPage(id, 2, { left_out: true });
  assert.equal(pagesOf(await scans.resume(id)), [[1, 3]]);
});

test('that does not wait for its back is filed with its front', async ({ start, call }) => {
  const { scans } = await start({ feed: feedPages(1) });
  const filed = await scans.scan({ ...call(GLASS), hold: false });
  assert.equal([filed.state, countsOf(filed)], ['finished', [1]]);
});

test('may have its front scanned again, or left out, before the back', async ({ scan }) => {
  const feeds = [1, 1, 1].map((count) => feedPages(count));
  const { scans, id } = await scan(GLASS, feeds);
  await scans.scanPageAgain(id, { replaces: 1 });
  const filed = await scans.continueScan(id);
  assert.equal([pagesOf(filed), countsOf(filed)], [[[2, 3]], [1]]);
  const other = await scan(GLASS, feeds);
  await other.scans.editPage(other.id, 1, { left_out: true });
  const waiting = await other.scans.continueScan(other.id);
  assert.is(waiting.state, 'held', 'the front again');
  assert.equal(pagesOf(await other.scans.continueScan(other.id)), [[2, 3]]);
});

test('is a sheet of a stack from a duplex source', async ({ scan }) => {
  const { first } = await scan(DUPLEX, [feedDuplexPages(4)]);
  assert.equal(
    [first.state, pagesOf(first)],
    [
      'finished',
      [
        [1, 2],
        [3, 4],
      ],
    ],
  );
  assert.equal([countsOf(first), first.page_count], [[1, 1], 4]);
});

test('without a second side never gets the front of another sheet', async ({ scan }) => {
  const assembly = { page_grouping: 'card', remove_blank_pages: 'backs' };
  const blank = { mark: null, score: 0.1, coverage: 0 };
  const { first } = await scan({ ...DUPLEX, assembly }, [feedDuplexPages(5)], {
    facts: (number) => (number === 2 ? { blank } : {}),
  });
  assert.equal(pagesOf(first), [[1], [3, 4], [5]]);
});

test('has two consecutive pages of a one-sided feeder, and the last card may lack its back', async ({
  scan,
}) => {
  const { first } = await scan(FEEDER, [feedPages(5)]);
  assert.equal([first.state, pagesOf(first)], ['finished', [[1, 2], [3, 4], [5]]]);
});

test('begins where a person starts a document', async ({ scan }) => {
  const { scans, id } = await scan({ ...GLASS }, [feedPages(3)]);
  await scans.editPage(id, 2, { starts_document: true });
  assert.equal(pagesOf(await scans.resume(id)), [[1], [2, 3]]);
});

test('that does not fit on one page gets two, with a warning', async ({ scan }) => {
  const { scans, id } = await scan(GLASS, [feedPages(1), feedPages(1)], {
    processor: (played) => ({
      assembleDocument: async (request) => ({
        ...(await played.assembleDocument(request)),
        page_count: 2,
      }),
    }),
  });
  const filed = await scans.continueScan(id);
  assert.equal([countsOf(filed), filed.warning_details[0]?.code], [[2], 'card_too_large']);
});

test('is placed on the paper size of the profile, also when it is made again', async ({
  scan,
  start,
  file,
}) => {
  const assembly = { page_grouping: 'card', card_paper: 'letter' };
  const asked: unknown[] = [];
  const watched: PartFaults = {
    processor: (played) => ({
      assembleDocument: (request) => {
        asked.push(request.options.card_paper);
        return played.assembleDocument(request);
      },
    }),
  };
  const { scans, id } = await scan({ ...GLASS, assembly }, [feedPages(1), feedPages(1)], watched);
  await scans.continueScan(id);
  await writeFile(file(id, 'document-0001.pdf'), 'broken');
  const again = await start(watched);
  const resend = { redeliver_failed: true, resend_unknown: true, add_destinations: false };
  const redelivery = { ...resend, resend_submitted: ['document-0001.pdf'] };
  const filed = await again.scans.resume(id, { redelivery });
  const letter = { width_mm: 215.9, height_mm: 279.4 };
  assert.equal([asked, countsOf(filed)], [[letter, letter], [1]]);
});
