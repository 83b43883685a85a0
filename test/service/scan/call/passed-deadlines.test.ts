import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../../helpers/failure.ts';
import { failure } from '../../../support/rejection.ts';
import { feedPages } from '../../../support/scan-parts.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { within } from '../../../support/within.ts';
import {
  aborted,
  createScanBench,
  EVENT_MS,
  heldDeadline,
  PASSED,
  PATIENT,
  someTurns,
  stopped,
  type ScanBench,
} from './scan-bench.ts';

const test = withFixture<ScanBench>(suite('a deadline that passes'), createScanBench);

test('that stops the feeder: the sheet under way is a page of the scan, and sheets that may have passed are in the answer', async (bench) => {
  const deadline = heldDeadline();
  const { scans } = await bench.start(
    {
      feed: async (request, options) => {
        await feedPages(2)(request, options);
        deadline.pass();
        await aborted(options.signal);
        await feedPages(1)({ ...request, first_page: 3, first_sheet: 3 }, options);
        throw stopped('scanner_error', { page_count: 3 });
      },
    },
    { times: { ...PATIENT, ...deadline.times } },
  );
  const error = await failure('timeout', scans.scan(bench.call()));
  assert.is(error.facts['stage'], 'scan');
  assert.equal(error.facts['warnings'], [PASSED]);
  assert.is(error.facts['page_count'], 3);
  assert.match(error.message, /3 pages are stored/);
});

test('before the runtime has its last word: the answer says that more may come, and the resumed result has it', async (bench) => {
  const sheet = Promise.withResolvers<void>();
  const deadline = heldDeadline();
  const { scans } = await bench.start(
    {
      feed: async (request, options) => {
        await feedPages(2)(request, options);
        await sheet.promise;
        await feedPages(1)({ ...request, first_page: 3, first_sheet: 3 }, options);
        throw stopped('scanner_error', { page_count: 3 });
      },
    },
    {
      times: deadline.times,
      listener: (_, { pages }) => void (pages.length === 2 && deadline.pass()),
    },
  );
  const error = await failure('timeout', scans.scan(bench.call()));
  assert.is(error.facts['page_count'], 2);
  assert.match(String(error.facts['warnings']), /still stopping.*GET \/scans\//);
  const resumed = scans.resume(String(error.facts['scan_id']));
  await someTurns();
  sheet.resolve();
  const result = await within(EVENT_MS, resumed);
  assert.equal(result.documents[0]?.pages, [1, 2, 3]);
  assert.ok(result.warnings.includes(PASSED));
});

test('while a disk hangs and a scan is taken up again: the answer has its pages', async (bench) => {
  const jam = new Failure('scanner_jammed', 'Stuck.');
  const first = await bench.start({ feed: feedPages(2, jam) });
  const call = bench.call();
  const id = String((await failure('scanner_jammed', first.scans.scan(call))).facts['scan_id']);
  const disk = Promise.withResolvers<never>();
  const deadline = heldDeadline();
  const open = (): Promise<never> => {
    deadline.pass();
    return disk.promise;
  };
  const { scans } = await bench.start(
    {},
    { times: deadline.times, archive: (archive) => ({ ...archive, open }) },
  );
  const error = await failure('timeout', scans.resume(id));
  assert.is(error.facts['page_count'], 2);
  disk.reject(new Error('at last'));
  await scans.drain();
});

test('before a sheet moves: none moves after the answer', async (bench) => {
  const disk = Promise.withResolvers<void>();
  const deadline = heldDeadline();
  const { scans, parts } = await bench.start(
    { feed: feedPages(1) },
    {
      times: deadline.times,
      archive: (archive) => ({
        ...archive,
        begin: async (begun) => {
          deadline.pass();
          await disk.promise;
          return archive.begin(begun);
        },
      }),
    },
  );
  await failure('timeout', scans.scan(bench.call()));
  disk.resolve();
  await scans.drain();
  assert.equal(parts.fed, []);
});

test.run();
