import { once } from 'node:events';
import path from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { within } from '../../support/within.ts';
import { openJob } from './escl-client.ts';
import { type Benches, levelOf, startsBenches } from './scanning.ts';

const test = suite<Benches>('virtual scanner, driven by scanimage');

startsBenches(test);

/** For what a test waits for, on a machine however busy. */
const EVENT_MS = 60_000;

test('it offers the sources, modes, resolutions and areas that it promises', async ({ start }) => {
  const bench = await start({ name: 'Test & Co <1>' });
  const { exitCode, stdout } = await bench.scanimage(['-A', '--source', 'Flatbed']);
  assert.is(exitCode, 0);
  assert.match(stdout, '--source Flatbed|ADF|ADF Duplex [Flatbed]');
  assert.match(stdout, '--mode Color|Gray [');
  assert.match(stdout, '--resolution 100|150|200|300|400|600dpi [');
  assert.match(stdout, '-x 0..215.9mm');
  assert.match(stdout, /-y 0\.\.297\.0\d*mm/);
  const feeder = await bench.scanimage(['-A', '--source', 'ADF']);
  assert.match(feeder.stdout, '-y 0..355.6mm');
});

test('it tells its name', async ({ start }) => {
  const bench = await start({ name: 'Test & Co <1>' });
  const response = await fetch(`${bench.scanner.url}/ScannerCapabilities`);
  assert.match(
    await response.text(),
    '<pwg:MakeAndModel>Test &amp; Co &lt;1&gt;</pwg:MakeAndModel>',
  );
});

test('it takes one file a sheet through the feeder, in order, until it is empty', async ({
  start,
}) => {
  const bench = await start();
  bench.scanner.load(await bench.pages(50, 120, 200));
  const { exitCode, stderr, pages } = await bench.scan('ADF');
  assert.is(exitCode, 0);
  assert.match(stderr, 'Document feeder out of documents');
  assert.equal(await Promise.all(pages.map(levelOf)), [50, 120, 200]);
  const { state } = bench.scanner;
  assert.is(state.sheetsFed, 3);
  assert.is(state.pagesSent, 3);
  assert.is(state.sheetsLeft, 0);
  assert.is(state.adfState, 'ScannerAdfEmpty');
  assert.is(state.scanning, false);
  assert.is(state.jobsOpened, 1);
  assert.is(state.jobsDeleted, 1);
  assert.is(state.requests[0], 'GET /eSCL/ScannerCapabilities');
  assert.is(state.requests.filter((request) => request === 'POST /eSCL/ScanJobs').length, 1);
});

test('a duplex scan takes two files as one sheet, and a white back where the last one is missing', async ({
  start,
}) => {
  const bench = await start();
  bench.scanner.load(await bench.pages(50, 120, 200));
  const { exitCode, pages } = await bench.scan('ADF Duplex');
  assert.is(exitCode, 0);
  assert.equal(await Promise.all(pages.map(levelOf)), [50, 120, 200, 255]);
  assert.is(bench.scanner.state.sheetsFed, 2);
  assert.is(bench.scanner.state.settings?.source, 'ADF Duplex');
});

test('a sheet with two sides shows its back to a duplex scan only', async ({ start }) => {
  const bench = await start();
  const [front = '', back = '', other = ''] = await bench.pages(50, 120, 200);
  const sheets = [{ front, back }, { front: other }];
  bench.scanner.load(sheets);
  const simplex = await bench.scan('ADF');
  assert.equal(await Promise.all(simplex.pages.map(levelOf)), [50, 200]);
  bench.scanner.load(sheets);
  const duplex = await bench.scan('ADF Duplex');
  assert.equal(await Promise.all(duplex.pages.map(levelOf)), [50, 120, 200, 255]);
});

test('the flatbed scans the first page, once a job, and leaves the feeder alone', async ({
  start,
}) => {
  const bench = await start();
  bench.scanner.load(await bench.pages(120, 200));
  for (let time = 0; time < 2; time += 1) {
    const { exitCode, pages } = await bench.scan('Flatbed', ['--batch-count=1']);
    assert.is(exitCode, 0);
    assert.equal(await Promise.all(pages.map(levelOf)), [120]);
  }
  assert.is(bench.scanner.state.sheetsFed, 0);
  assert.is(bench.scanner.state.sheetsLeft, 2);
});

test('an empty glass is white', async ({ start }) => {
  const bench = await start();
  const { pages } = await bench.scan('Flatbed', ['--batch-count=1']);
  assert.equal(await Promise.all(pages.map(levelOf)), [255]);
});

test('an A4 page at 300 dpi in gray comes out in exactly its pixels', async ({ start }) => {
  const bench = await start();
  bench.scanner.load(await bench.pages(120));
  const args = ['--resolution', '300', '-x', '210', '-y', '297'];
  const { pages } = await bench.scan('ADF', args);
  const { width, height, density, channels } = await sharp(pages[0]).metadata();
  assert.equal([width, height, density, channels], [2480, 3508, 300, 1]);
  assert.equal(bench.scanner.state.settings, {
    source: 'ADF',
    mode: 'Gray',
    resolution: 300,
    region: { x: 0, y: 0, width: 2480, height: 3508 },
    format: 'image/png',
  });
});

test('colour comes out as colour', async ({ start }) => {
  const bench = await start();
  bench.scanner.load(await bench.pages(120));
  const { pages } = await bench.scan('ADF', ['--mode', 'Color']);
  assert.is((await sharp(pages[0]).metadata()).channels, 3);
  assert.is(bench.scanner.state.settings?.mode, 'Color');
});

test('a client may stop before the feeder is empty', async ({ start }) => {
  const bench = await start();
  bench.scanner.load(await bench.pages(50, 120, 200));
  const { exitCode, pages } = await bench.scan('ADF', ['--batch-count=1']);
  assert.is(exitCode, 0);
  assert.is(pages.length, 1);
  assert.is(bench.scanner.state.jobsDeleted, 1);
  assert.is(bench.scanner.state.scanning, false);
});

test('it can send JPEG only', async ({ start }) => {
  const bench = await start({ formats: ['image/jpeg'] });
  bench.scanner.load(await bench.pages(120));
  const { exitCode, pages } = await bench.scan('ADF');
  assert.is(exitCode, 0);
  assert.ok(Math.abs((await levelOf(pages[0] ?? '')) - 120) <= 1);
  assert.is(bench.scanner.state.settings?.format, 'image/jpeg');
});

test('with loop the stack is in the feeder again after each scan', async ({ start }) => {
  const source = await start();
  const bench = await start({ pages: await source.pages(50, 120), loop: true });
  for (let time = 0; time < 2; time += 1) {
    assert.is((await bench.scan('ADF')).pages.length, 2);
    assert.is(bench.scanner.state.sheetsLeft, 2);
  }
});

test('a directory can be the stack, by name', async ({ start }) => {
  const source = await start();
  await source.pages(120, 50);
  const bench = await start({ pagesDir: path.dirname(source.file('sane')) });
  const { pages } = await bench.scan('ADF');
  assert.equal(await Promise.all(pages.map(levelOf)), [120, 50]);
});

test('a client that is gone loses its job after a while', async ({ start }) => {
  const bench = await start();
  const quick = await start({ orphanAfterMs: 1000 });
  quick.scanner.load(await bench.pages(50, 120, 200));
  quick.scanner.setFault({ kind: 'hang', where: 'before', atPage: 2 });
  const closed = once(quick.scanner.events, 'closed');
  const client = new AbortController();
  quick.scanner.events.once('fault', () => client.abort());
  const job = await openJob(quick.scanner.url);
  assert.is((await fetch(`${job}/NextDocument`)).status, 200);
  const hanging = fetch(`${job}/NextDocument`, { signal: client.signal });
  assert.is(
    await hanging.then(
      () => 'answered',
      () => 'gone',
    ),
    'gone',
  );
  const [{ by }] = await within(EVENT_MS, closed, 'the end of the job');
  assert.is(by, 'orphan');
  assert.is(quick.scanner.state.jobsOrphaned, 1);
  assert.is(quick.scanner.state.scanning, false);
  quick.scanner.setFault(null);
  // Not with scanimage, which may pause for as long between two pages.
  const next = await openJob(quick.scanner.url);
  for (const status of [200, 200, 404]) {
    assert.is((await fetch(`${next}/NextDocument`)).status, status);
  }
});

test.run();
