import path from 'node:path';
import { createWorkerPool } from '../../../../helpers/processor/tools/worker-pool.ts';
import type { ScanListener } from '../../../../service/archive/scan-record.ts';
import type { ScanResult } from '../../../../service/archive/scan-view.ts';
import { feedDuplexPages, feedPages, type PartFaults } from '../../../support/scan-parts.ts';
import { assert, failure, withFixture, within } from '../../../support/suite.ts';
import {
  aborted,
  createScanBench,
  EVENT_MS,
  PASSED,
  PATIENT,
  type ScanBench,
  stopped,
} from '../call/scan-bench.ts';

const test = withFixture<ScanBench>('feeding', () => createScanBench());

const pagesOf = ({ documents }: ScanResult): unknown => documents.map(({ pages }) => pages);

test('asks for what the profile says, beginning with the first page and sheet', async (bench) => {
  const { scans, parts } = await bench.start({ feed: feedPages(1) });
  const settings = { source: 'ADF Duplex', resolution: 150, max_pages: 7, mode: 'Gray' };
  const scan_options = { brightness: 3 };
  const { scan_id } = await scans.scan(
    bench.call({ ...settings, device: 'Fujitsu', scanner_options: scan_options }),
  );
  const { page_size, ...request } = parts.fed[0] ?? {};
  assert.is.not(page_size, undefined);
  assert.equal(request, {
    ...settings,
    device: 'Fujitsu',
    scanner_options: scan_options,
    directory: path.join(bench.root, scan_id),
    first_page: 1,
    first_sheet: 1,
  });
});

test('a scan that is stopped ends after the sheet under way, keeps its pages, and goes on from there', async (bench) => {
  const fed = Promise.withResolvers<string>();
  const { scans } = await bench.start(
    {
      feed: async (request, options) => {
        if (request.first_page > 1) return feedPages(1)(request, options);
        await feedPages(2)(request, options);
        fed.resolve(path.basename(request.directory));
        await aborted(options.signal);
        await feedPages(1)({ ...request, first_page: 3, first_sheet: 3 }, options);
        throw stopped('scanner_error', { page_count: 3 });
      },
    },
    { times: PATIENT },
  );
  const scan = scans.scan(bench.call());
  const id = await fed.promise;
  assert.is(await scans.stop(id), true);
  const error = await failure('scan_stopped', scan);
  assert.match(error.message, /^The feeder was stopped on request.*3 pages are stored: POST/);
  assert.is(await scans.stop(id), false, 'nothing is left to be stopped');
  await failure('scan_not_found', scans.stop('20261121T063000Z-000000'));
  const result = await scans.continueScan(id);
  assert.is(result.page_count, 4);
  assert.equal(result.warnings, [PASSED]);
});

const PER_SHEET = { assembly: { page_grouping: 'per_sheet' } };

test('a sheet is what the runtime calls one, whatever the source is called', async (bench) => {
  const { scans } = await bench.start({ feed: feedDuplexPages(4) });
  const result = await scans.scan(bench.call({ source: 'ADF', ...PER_SHEET }));
  assert.equal(pagesOf(result), [
    [1, 2],
    [3, 4],
  ]);
});

test('a front whose back was never scanned stays alone, whatever is fed after it', async (bench) => {
  const first = await bench.start({ feed: feedDuplexPages(3, stopped('scanner_jammed')) });
  const error = await failure('scanner_jammed', first.scans.scan(bench.call(PER_SHEET)));
  const { scans, parts } = await bench.start({ feed: feedDuplexPages(4) });
  const result = await scans.continueScan(String(error.facts['scan_id']));
  assert.is(parts.fed[0]?.first_page, 4);
  assert.is(parts.fed[0]?.first_sheet, 3);
  assert.equal(pagesOf(result), [[1, 2], [3], [4, 5], [6, 7]]);
});

for (const [duplex, second] of [
  [true, '1 back'],
  [false, '2 front'],
] as const) {
  test(`a page that the runtime could not announce is ${second} where that says duplex: ${duplex}`, async (bench) => {
    const { scans, archive } = await bench.start({
      feed: async (request, { onPage, ...options }) => {
        const announce: typeof onPage = (page) => page.number === 1 && onPage(page);
        await feedPages(2)(request, { ...options, onPage: announce });
        throw stopped('scanner_jammed', { page_count: 1, duplex });
      },
    });
    const { facts } = await failure('scanner_jammed', scans.scan(bench.call()));
    const { record } = await archive.find(String(facts['scan_id']));
    const places = record.pages.map(({ sheet, side }) => `${sheet} ${side}`);
    assert.equal(places, ['1 front', second]);
  });
}

test('while one scan is fed another one is told which, and nothing is made for it', async (bench) => {
  const feeder = Promise.withResolvers<void>();
  const feeding = Promise.withResolvers<string>();
  const { scans } = await bench.start({
    feed: async (request, options) => {
      feeding.resolve(path.basename(request.directory));
      await feeder.promise;
      return feedPages(1)(request, options);
    },
  });
  const first = scans.scan(bench.call({ device: 'auto' }));
  const began = await within(EVENT_MS, feeding.promise);
  for (const device of ['auto', 'played']) {
    const busy = await failure('scanner_busy', scans.scan(bench.call({ device })));
    assert.is(busy.facts['busy_with'], began);
  }
  feeder.resolve();
  assert.is((await first).scan_id, began);
});

for (const stage of ['recognize', 'deliver'] as const) {
  test(`the scanner is free as soon as the feeder has stopped: another scan feeds while the first is in stage ${stage}`, async (bench) => {
    const held = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    let calls = 0;
    const hold = async (): Promise<void> => {
      calls += 1;
      if (calls > 1) return;
      reached.resolve();
      await held.promise;
    };
    const { scans, parts } = await bench.start({
      feed: feedPages(1),
      ...(stage === 'recognize' && { recognize: hold }),
    });
    if (stage === 'deliver') {
      const { names } = parts.dms;
      const holding: typeof names = (signal) => ({
        ...names(signal),
        resolve: (...of) => hold().then(() => names(signal).resolve(...of)),
      });
      Object.assign(parts, { dms: { ...parts.dms, names: holding } });
    }
    const first = scans.scan(bench.call());
    await within(EVENT_MS, reached.promise);
    assert.is((await within(EVENT_MS, scans.scan(bench.call()))).page_count, 1);
    held.resolve();
    assert.is((await first).page_count, 1);
  });
}

test('a page that cannot be recorded stops the feeder', async (bench) => {
  let hasStopped = false;
  const { scans } = await bench.start(
    {
      feed: async (request, options) => {
        await feedPages(1)(request, options);
        await within(EVENT_MS, aborted(options.signal), 'the stop of the feeder');
        hasStopped = true;
        throw options.signal.reason;
      },
    },
    {
      archive: (archive) => ({
        ...archive,
        begin: async (begun) => {
          const open = await archive.begin(begun);
          const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
          return {
            ...open,
            append: (...events) =>
              events.some(({ type }) => type === 'page')
                ? Promise.reject(full)
                : open.append(...events),
          };
        },
      }),
    },
  );
  const error = await failure('insufficient_storage', scans.scan(bench.call()));
  assert.match(error.message, /disk is full/);
  assert.ok(hasStopped);
});

test('two stacks share the processor: a short one is not behind all of a long one', async (bench) => {
  const counts = [40, 4];
  const pool = createWorkerPool(2);
  /** The scan of each page, in the order in which they are recognised. */
  const recognized: string[] = [];
  const { promise: fed, resolve: stopped } = Promise.withResolvers<void>();
  const listener: ScanListener = ({ type }) => (type === 'fed' ? stopped() : undefined);
  const faults: PartFaults = {
    feed: (request, options) => feedPages(counts.shift() ?? 0)(request, options),
    recognize: (pageFile, signal) =>
      pool.run(signal, 0, async () => {
        // The stack of the first scan stays with the processor until the second one has come.
        await fed;
        await new Promise((resolve) => setImmediate(resolve));
        recognized.push(path.basename(path.dirname(pageFile)));
      }),
  };
  const { scans } = await bench.start(faults, { listener });
  const long = scans.scan(bench.call());
  await fed;
  const [{ scan_id: id }, { page_count }] = await Promise.all([scans.scan(bench.call()), long]);
  assert.is(page_count, 40);
  assert.is(recognized.length, 44);
  const last = recognized.lastIndexOf(id);
  assert.ok(last < 20, `the last page of the short stack was the ${last + 1}th`);
});
