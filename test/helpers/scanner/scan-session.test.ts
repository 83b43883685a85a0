import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SCANIMAGE_MEMORY_BYTES } from '../../../helpers/scanner/scanimage.ts';
import { createFakeBench, type FakeBench } from '../../support/fake-scanimage/fake-bench.ts';
import type { FakeScanimage } from '../../support/fake-scanimage/fake-scanimage.ts';
import { beforePage, type BenchOptions } from '../../support/fake-scanimage/scan-bench.ts';
import { syncedPaths } from '../../support/fake-scanimage/synced-paths.ts';
import { failure } from '../../support/rejection.ts';

/** With a scanimage that misbehaves as no real one can be made to; pages are 100 x 60 pixels at 100 dpi. */
const test = suite<{ close: (() => Promise<void>)[] }>('one scan');

test.before.each((context) => {
  context.close = [];
});
test.after.each(async ({ close }) => {
  for (const one of close) await one();
});

async function benchOf(
  context: { close: (() => Promise<void>)[] },
  fake: FakeScanimage,
  options: Partial<BenchOptions> = {},
): Promise<FakeBench> {
  const bench = await createFakeBench(fake, options);
  context.close.push(bench.close);
  return bench;
}

const PAGE_BYTES = 6000;
const MEGABYTES_64 = 64 * 1024 * 1024;
const THREE_PAGES = 'for n in 1 2 3; do prompt $n; page $n; done; prompt 4';

test('gives scanimage a limit of memory', async (context) => {
  const scan = 'ulimit -v > "$FAKE_DIRECTORY/limit"; prompt 1; page 1; prompt 2';
  const bench = await benchOf(context, { scan });
  await bench.scan(await bench.request());
  assert.is(Number(await bench.readFile('limit')) * 1024, SCANIMAGE_MEMORY_BYTES);
});

test('removes the half page that an earlier one left', async (context) => {
  const bench = await benchOf(context, { scan: 'prompt 1; page 1' });
  const request = await bench.request();
  await writeFile(path.join(request.directory, 'page-0001.tif.part'), 'half');
  await bench.scan(request);
  assert.equal(await readdir(request.directory), ['page-0001.tif']);
});

test('warns of a page that was began another page and did not finish it, where the scanner reports no fault', async (context) => {
  for (const code of [0, 7]) {
    const bench = await benchOf(context, {
      scan: `prompt 1; page 1; prompt 2; half 2; exit ${code}`,
    });
    const { page_count, warnings } = await bench.scan(await bench.request());
    assert.is(page_count, 1);
    assert.is(warnings.length, 1, `exit code ${code}`);
    assert.match(warnings[0] ?? '', 'began another page and did not finish it');
  }
});

test('warns of an odd number of pages in duplex', async (context) => {
  const bench = await benchOf(context, { scan: THREE_PAGES });
  const { warnings } = await bench.scan(await bench.request({ source: 'ADF Duplex' }));
  assert.is(warnings.length, 1);
  assert.match(warnings[0] ?? '', 'duplex');
});

test('warns of a source that may be a feeder', async (context) => {
  const options = '    --source Auto|Flatbed [Auto]\n    --mode Gray [Gray]\n';
  const bench = await benchOf(context, { options, scan: 'prompt 1; page 1' });
  const { warnings } = await bench.scan(await bench.request({ source: 'Auto' }));
  assert.match(warnings[0] ?? '', '"Auto"');
  assert.equal((await bench.scan(await bench.request({ source: 'Flatbed' }))).warnings, []);
});

test('warns of pages of another size, unless that was asked for', async (context) => {
  const bench = await benchOf(context, { scan: THREE_PAGES, page: { height: 100 } });
  const { page_count, warnings } = await bench.scan(await bench.request());
  assert.is(page_count, 3);
  assert.equal(warnings, [
    'Pages 1, 2, 3 measure 25.4 x 25.4 mm instead of 25.4 x 15.24 mm. Check the page size of the profile.',
  ]);
  for (const swcrop of [true, 'yes']) {
    const cropped = await bench.request({ scanner_options: { swcrop } });
    assert.equal((await bench.scan(cropped)).warnings, []);
  }
  const uncropped = await bench.request({ scanner_options: { swcrop: false } });
  assert.is((await bench.scan(uncropped)).warnings.length, 1);
});

test('stops at a page of another resolution, and keeps it', async (context) => {
  const bench = await benchOf(context, {
    scan: `${THREE_PAGES}; page 4`,
    page: { dpi: 200, width: 200, height: 120 },
  });
  const request = await bench.request();
  const { message, facts } = await failure('scanner_error', bench.scan(request));
  assert.match(message, '200 dpi instead of 100 dpi');
  assert.is(facts['page_count'], 1);
  assert.equal(await readdir(request.directory), ['page-0001.tif']);
  assert.is(bench.pages[0]?.dpi, 200);
});

test('stops at an incomplete page, and sets it aside', async (context) => {
  const broken =
    'prompt 2; half 2; mv page-0002.tif.part page-0002.tif; echo page-0002.tif; prompt 3; page 3';
  const bench = await benchOf(context, { scan: `prompt 1; page 1; ${broken}` });
  const request = await bench.request();
  const { facts } = await failure('scanner_error', bench.scan(request));
  assert.is(facts['page_count'], 1);
  assert.equal((await readdir(request.directory)).toSorted(), [
    'page-0001.tif',
    'page-0002.tif.incomplete',
  ]);
});

test('feeds a page only when the one before is checked', async (context) => {
  const broken = ': > page-0001.tif; echo "Place document no. 2 on the scanner." >&2';
  const scan = `prompt 1; ${broken}; sleep 0.1; echo page-0001.tif; read -r line && touch "$FAKE_DIRECTORY/fed"`;
  const bench = await benchOf(context, { scan });
  await failure('scanner_error', bench.scan(await bench.request()));
  assert.not((await bench.files()).includes('fed'));
});

test('wants room for both sides of a sheet', async (context) => {
  const free = async (): Promise<number> => MEGABYTES_64 + 2.5 * PAGE_BYTES;
  const bench = await benchOf(context, { scan: 'prompt 1; page 1; prompt 2' }, { free });
  assert.is((await bench.scan(await bench.request())).page_count, 1);
  const duplex = await bench.request({ source: 'ADF Duplex' });
  await failure('insufficient_storage', bench.scan(duplex));
});

test('tells a page when it and its name are on disk for good', async (context) => {
  const bench = await benchOf(context, { scan: 'prompt 1; page 1; prompt 2; page 2; prompt 3' });
  const request = await bench.request();
  const synced = await syncedPaths(async () => {
    const page = bench.nextPage();
    const scanned = bench.scan(request);
    await page;
    await scanned;
  });
  assert.equal(synced, [
    path.join(request.directory, 'page-0001.tif'),
    request.directory,
    path.join(request.directory, 'page-0002.tif'),
    request.directory,
  ]);
});

test('feeds nothing where there is no room for a page', async (context) => {
  const free = async (): Promise<number> => MEGABYTES_64 + PAGE_BYTES - 1;
  const bench = await benchOf(
    context,
    { scan: 'touch "$FAKE_DIRECTORY/fed"; prompt 1; page 1' },
    { free },
  );
  const request = await bench.request();
  const { facts, message } = await failure('insufficient_storage', bench.scan(request));
  assert.is(facts['page_count'], 0);
  assert.is(facts['free_bytes'], MEGABYTES_64 + PAGE_BYTES - 1);
  assert.match(message, 'Free some space');
  assert.not((await bench.files()).includes('fed'));
});

test('blames the disk, and not the scanner, for a disk that hangs', async (context) => {
  // Until long after the watchdog's time, so that a scan that waits for the disk ends too.
  const hangs = beforePage(2, () => wait(5000, undefined, { ref: false }));
  const changes = { free: hangs, pageTimeoutMs: 2000 };
  const bench = await benchOf(context, { scan: THREE_PAGES }, changes);
  const { facts, message } = await failure('scanner_error', bench.scan(await bench.request()));
  assert.match(message, /The disk of .* did not answer within 1 s/u);
  assert.is(facts['page_count'], 1);
});

test('fails when its directory disappears', async (context) => {
  const bench = await benchOf(context, {
    scan: 'prompt 1; page 1; rm -r "$PWD"; prompt 2; page 2',
  });
  const { facts } = await failure('scanner_error', bench.scan(await bench.request()));
  assert.ok(Number(facts['page_count']) <= 1);
});

test('fails when a page disappears before it is on disk for good', async (context) => {
  const bench = await benchOf(context, { scan: 'prompt 1; echo page-0001.tif; prompt 2; page 2' });
  const { facts, message } = await failure('scanner_error', bench.scan(await bench.request()));
  assert.is(facts['page_count'], 0);
  assert.match(message, 'Page 1 cannot be written');
});

test('passes over names that are none of its pages', async (context) => {
  const noise = 'echo ../../etc/passwd; echo page-0009.tif; echo';
  const bench = await benchOf(context, { scan: `prompt 1; ${noise}; page 1; prompt 2` });
  assert.is((await bench.scan(await bench.request())).page_count, 1);
});

test('counts a page that scanimage could not name before it was killed', async (context) => {
  const bench = await benchOf(context, { scan: 'prompt 1; page 1 > /dev/null; kill -9 $$' });
  const { facts } = await failure('scanner_error', bench.scan(await bench.request()));
  assert.is(facts['page_count'], 1);
  assert.is(bench.pages.length, 1);
});

test.run();
