import { createVirtualBench, type VirtualBench } from '../../support/fake-scanimage/scan-bench.ts';
import { shippedPage } from '../../support/pages.ts';
import { assert, failure, suite } from '../../support/suite.ts';

/**
 * With the real scanimage and sane-airscan, and a virtual network scanner with a stack of four pages. What a scanner refuses and what
 * breaks in the middle of a stack: test/integration/scanner-failures.test.ts.
 */
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

test('has its stack scanned, by a name with blanks and umlauts', async ({ bench }) => {
  const { page_count, warnings, device } = await bench.scan(await bench.request());
  assert.is(page_count, 4);
  assert.equal(warnings, []);
  assert.is(device, 'airscan:e0:Büro 1');
  assert.is(bench.scanner.state.sheetsFed, 4);
  const { width_px, height_px, dpi } = bench.pages[0] ?? {};
  assert.equal([width_px, height_px, dpi], [827, 1169, 100]);
});

test('that fails to pick a sheet looks like an empty feeder', async ({ bench }) => {
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

test('that refuses everything is not there', async ({ bench }) => {
  bench.scanner.setFault({ kind: 'refuse', where: 'all' });
  const { facts } = await failure('no_scanner_detected', bench.scan(await bench.request()));
  assert.is(facts['page_count'], 0);
});

test('that is busy for a moment is waited for', async ({ bench }) => {
  bench.scanner.setFault({ kind: 'busy', times: 1 });
  assert.is((await bench.scan(await bench.request())).page_count, 4);
});

test('that stays busy is busy, and is free again', async ({ bench }) => {
  bench.scanner.setFault({ kind: 'busy' });
  const { facts } = await failure('scanner_busy', bench.scan(await bench.request()));
  assert.is(facts['page_count'], 0);
  bench.scanner.setFault(null);
  assert.is((await bench.scan(await bench.request())).page_count, 4);
});
