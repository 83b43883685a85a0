import { readdir } from 'node:fs/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FailureCode } from '../../../helpers/failure.ts';
import type { ScanRequest } from '../../../helpers/ipc/messages.ts';
import {
  beforePage,
  createVirtualBench,
  type VirtualBench,
} from '../../support/fake-scanimage/scan-bench.ts';
import { shippedPage } from '../../support/pages.ts';
import { failure } from '../../support/rejection.ts';
import type { Fault } from '../../../simulators/virtual-scanner/virtual-scanner.ts';

/** With the real scanimage and sane-airscan, and a virtual network scanner with a stack of four pages. */
const test = suite<{ bench: VirtualBench }>('a network scanner');

const PAGES = ['invoice', 'letter-bank', 'report', 'minutes'].map((name) => shippedPage(name).file);

test.before(async (context) => {
  context.bench = await createVirtualBench({});
});
test.before.each(({ bench }) => {
  bench.scanner.setFault(null);
  bench.scanner.load(PAGES);
  bench.pages.splice(0);
});
test.after(async ({ bench }) => bench.close());

/** How long a scanner that hangs may say nothing: far longer than one that does not takes for a page. */
const SILENT_MS = 6000;

const NEVER = new AbortController().signal;

test('has its stack scanned, by a name with blanks and umlauts', async ({ bench }) => {
  const { page_count, warnings, device } = await bench.scan(await bench.request());
  assert.is(page_count, 4);
  assert.equal(warnings, []);
  assert.is(device, 'airscan:e0:Büro 1');
  assert.is(bench.scanner.state.sheetsFed, 4);
  const { width_px, height_px, dpi } = bench.pages[0] ?? {};
  assert.equal([width_px, height_px, dpi], [827, 1169, 100]);
});

test('is found as the only one, and by a part of its name', async ({ bench }) => {
  for (const device of ['auto', 'büro']) {
    bench.scanner.load(PAGES);
    const summary = await bench.scan(await bench.request({ device }));
    assert.is(summary.device, 'airscan:e0:Büro 1');
  }
});

test('gives two pages a sheet in duplex', async ({ bench }) => {
  const { page_count, warnings } = await bench.scan(await bench.request({ source: 'ADF Duplex' }));
  assert.is(page_count, 4);
  assert.equal(warnings, []);
});

test('gives one page from its glass', async ({ bench }) => {
  const fed = bench.scanner.state.sheetsFed;
  assert.is((await bench.scan(await bench.request({ source: 'Flatbed' }))).page_count, 1);
  assert.is(bench.scanner.state.sheetsFed, fed);
});

test('is described for each source', async ({ bench }) => {
  const { runtime } = bench;
  const feeder = await runtime.describe_device(
    { device: 'auto', source: 'ADF Duplex' },
    { signal: NEVER, onPage: () => {} },
  );
  assert.equal(feeder.sources, ['Flatbed', 'ADF', 'ADF Duplex']);
  assert.equal(feeder.modes, ['Color', 'Gray']);
  assert.equal(feeder.resolutions, [100, 150, 200, 300, 400, 600]);
  assert.equal(feeder.max_page, { width_mm: 215.9, height_mm: 355.6 });
  const glass = await runtime.describe_device(
    { device: 'auto', source: 'Flatbed' },
    { signal: NEVER, onPage: () => {} },
  );
  assert.ok((glass.max_page?.height_mm ?? 0) < 300);
});

test('scans what it has not as near as it can: Lineart in gray, and the largest page', async ({
  bench,
}) => {
  bench.scanner.load([shippedPage('receipt').file]);
  const request = await bench.request({ mode: 'Lineart', page_size: 'auto' });
  assert.equal((await bench.scan(request)).warnings, []);
  assert.is(bench.scanner.state.settings?.mode, 'Gray');
  assert.equal(bench.scanner.state.settings?.region, { x: 0, y: 0, width: 2550, height: 4200 });
  assert.is(bench.pages.at(-1)?.cropped, false);
});

const WRONG: [string, Partial<ScanRequest>, unknown][] = [
  ['source', { source: 'ADF duplex' }, 'ADF Duplex'],
  ['mode', { mode: 'Halftone' }, undefined],
  ['resolution', { resolution: 250 }, 200],
  ['page_size', { page_size: { width_mm: 297, height_mm: 420 } }, undefined],
  ['brightnes', { scanner_options: { brightnes: 3 } }, 'brightness'],
];
for (const [option, changes, nearest] of WRONG) {
  test(`refuses ${JSON.stringify(changes)} before a sheet moves`, async ({ bench }) => {
    const { jobsOpened } = bench.scanner.state;
    const { facts } = await failure(
      'scan_option_rejected',
      bench.scan(await bench.request(changes)),
    );
    assert.is(facts['option'], option);
    assert.is(facts['nearest'], nearest);
    assert.is(facts['page_count'], 0);
    assert.is(bench.scanner.state.jobsOpened, jobsOpened);
  });
}

const FAULTS: [Fault, FailureCode, number][] = [
  [{ kind: 'jam', atPage: 3 }, 'scanner_jammed', 2],
  [{ kind: 'jam' }, 'scanner_jammed', 0],
  [{ kind: 'coverOpen' }, 'cover_open', 0],
  [{ kind: 'coverOpen', atPage: 2 }, 'cover_open', 1],
  [{ kind: 'multipick', atPage: 2 }, 'scanner_error', 1],
  [{ kind: 'empty' }, 'no_documents', 0],
  [{ kind: 'emptyLate' }, 'no_documents', 0],
  [{ kind: 'drop', atPage: 2 }, 'scanner_error', 1],
  [{ kind: 'drop', atPage: 3, midBody: true }, 'scanner_error', 2],
  [{ kind: 'corruptImage', atPage: 2 }, 'scanner_error', 1],
  [{ kind: 'refuse', where: 'post' }, 'scanner_error', 0],
  [{ kind: 'refuse', where: 'all' }, 'no_scanner_detected', 0],
];
for (const [fault, code, pageCount] of FAULTS) {
  test(`with ${JSON.stringify(fault)} is ${code}, and ${pageCount} pages are kept`, async ({
    bench,
  }) => {
    bench.scanner.setFault(fault);
    const request = await bench.request();
    const { facts, message } = await failure(code, bench.scan(request));
    assert.is(facts['page_count'], pageCount);
    assert.is(bench.pages.length, pageCount);
    assert.equal(
      await readdir(request.directory),
      PAGES.slice(0, pageCount).map((_, index) => `page-000${index + 1}.tif`),
    );
    assert.match(message, /: |\./u);
  });
}

test('that fails to pick a sheet looks like an empty feeder: the pages before are the scan', async ({
  bench,
}) => {
  bench.scanner.setFault({ kind: 'mispick', atPage: 3 });
  const { page_count, warnings } = await bench.scan(await bench.request({ source: 'ADF' }));
  assert.is(page_count, 2);
  assert.equal(warnings, []);
  bench.scanner.load(PAGES);
  const duplex = await bench.scan(await bench.request({ source: 'ADF Duplex' }));
  assert.is(duplex.page_count, 2);
  bench.scanner.load(PAGES);
  bench.scanner.setFault({ kind: 'mispick', atPage: 2 });
  const odd = await bench.scan(await bench.request({ source: 'ADF Duplex' }));
  assert.match(odd.warnings[0] ?? '', 'no side is missing');
});

test('that is busy for a moment is waited for', async ({ bench }) => {
  bench.scanner.setFault({ kind: 'busy', times: 1 });
  assert.is((await bench.scan(await bench.request())).page_count, 4);
});

test('that hangs is given up, that stays busy is busy, and both are free again', async () => {
  const options = { pages: PAGES, pageTimeoutMs: SILENT_MS, orphanAfterMs: 2000 };
  const [hanging, dumb, busy] = await Promise.all([
    createVirtualBench(options),
    createVirtualBench(options),
    createVirtualBench({ pages: PAGES }),
  ]);
  hanging.scanner.setFault({ kind: 'hang', where: 'midBody', atPage: 2 });
  dumb.scanner.setFault({ kind: 'hang', where: 'before' });
  busy.scanner.setFault({ kind: 'busy' });
  const [second, first, taken] = await Promise.all([
    failure('scanner_error', hanging.scan(await hanging.request())),
    failure('scanner_error', dumb.scan(await dumb.request())),
    failure('scanner_busy', busy.scan(await busy.request())),
  ]);
  assert.is(second.facts['page_count'], 1);
  assert.match(second.message, 'did not deliver page 2 within 6 s');
  assert.match(first.message, 'did not deliver page 1 within 6 s');
  assert.is(taken.facts['page_count'], 0);
  for (const bench of [hanging, dumb, busy]) {
    bench.scanner.setFault(null);
    bench.scanner.load(PAGES);
    assert.is((await bench.scan(await bench.request())).page_count, 4);
    await bench.close();
  }
});

test('cancelled between two sheets feeds no more of them', async () => {
  const cancel = new AbortController();
  const free = beforePage(2, () => cancel.abort('cancelled'));
  const pages = [...PAGES, ...PAGES];
  const bench = await createVirtualBench({ pages, pagesPerMinute: 200, free });
  const request = await bench.request();
  const { facts } = await failure('timeout', bench.scan(request, cancel.signal));
  const { sheetsFed } = bench.scanner.state;
  assert.is(facts['page_count'], 2);
  assert.is((await readdir(request.directory)).length, 2);
  // sane-airscan asks for a page ahead.
  assert.ok(sheetsFed <= 3, `${sheetsFed} sheets fed`);
  await bench.close();
  assert.is(bench.scanner.state.sheetsFed, sheetsFed);
});

test.run();
