import { readdir, rm } from 'node:fs/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createFakeBench, type FakeBench } from '../../support/fake-scanimage/fake-bench.ts';
import type { FakeScanimage } from '../../support/fake-scanimage/fake-scanimage.ts';
import { stillAlive } from '../../support/processes.ts';
import { beforePage, type BenchOptions } from '../../support/fake-scanimage/scan-bench.ts';
import { failure } from '../../support/rejection.ts';
import { within } from '../../support/within.ts';

/** With a scanimage that hangs, and scans that are stopped from outside. */
const test = suite<{ close: (() => Promise<void>)[] }>('the end of a scan');

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

/** How long a scanner may say nothing where a page comes before: a page of the fake one takes some 10 ms. */
const SILENT_MS = 4000;

/** For a page that comes, on a machine however busy. */
const PAGE_MS = 60_000;

/** How long it may take to end where it hangs at its end. */
const CLOSE_MS = 300;

const HANGING_AT_END = 'echo "Batch terminated, 1 page scanned" >&2; trap "" INT; sleep 100';

test('ends a scanner that delivers nothing, with all that it started', async (context) => {
  const scan =
    'prompt 1; page 1; prompt 2; half 2; sleep 100 & echo $! > "$FAKE_DIRECTORY/pid"; trap "" INT TERM; wait; wait; wait';
  const bench = await benchOf(context, { scan }, { pageTimeoutMs: SILENT_MS });
  const request = await bench.request();
  const { message, facts } = await failure('scanner_error', bench.scan(request));
  assert.match(message, 'did not deliver page 2 within 4 s');
  assert.is(facts['page_count'], 1);
  assert.equal(await readdir(request.directory), ['page-0001.tif']);
  assert.equal(await stillAlive([Number(await bench.readFile('pid'))]), []);
});

test('ends a scanner that talks for ever without a page', async (context) => {
  const scan = 'prompt 1; page 1; while :; do echo noise; echo noise >&2; sleep 0.05; done';
  const bench = await benchOf(context, { scan }, { pageTimeoutMs: 500 });
  await failure('scanner_error', bench.scan(await bench.request({ max_pages: 1 })));
});

test('that hangs after its last page is a success', async (context) => {
  const said = 'echo "scanimage: sane_start: Document feeder out of documents" >&2';
  const scan = `prompt 1; page 1; prompt 2; ${said}; ${HANGING_AT_END}`;
  const bench = await benchOf(context, { scan }, { closeMs: CLOSE_MS });
  assert.is((await bench.scan(await bench.request())).page_count, 1);
  const limited = await benchOf(
    context,
    {
      scan: `prompt 1; page 1; printf "Place document no. 2 on the scanner.\\n" >&2; read -r x; ${HANGING_AT_END}`,
    },
    { closeMs: CLOSE_MS },
  );
  const { page_count } = await limited.scan(await limited.request({ max_pages: 1 }));
  assert.is(page_count, 1);
});

test('that hangs after a failure tells the failure', async (context) => {
  const said = 'echo "scanimage: sane_read: Document feeder jammed" >&2';
  const scan = `prompt 1; page 1; prompt 2; ${said}; ${HANGING_AT_END}`;
  const bench = await benchOf(context, { scan }, { closeMs: CLOSE_MS });
  const { facts } = await failure('scanner_jammed', bench.scan(await bench.request()));
  assert.is(facts['page_count'], 1);
});

test('waits for a slow scanner as long as something comes', async (context) => {
  // In all longer than it may say nothing.
  const slow = 'for n in 1 2 3 4; do prompt $n; sleep 1.2; page $n; done; prompt 5';
  const bench = await benchOf(context, { scan: slow }, { pageTimeoutMs: SILENT_MS });
  assert.is((await bench.scan(await bench.request())).page_count, 4);
});

test('is told by what came first', async (context) => {
  const broken = ': > page-0002.tif; echo page-0002.tif; prompt 3';
  const cancel = new AbortController();
  const free = beforePage(2, () => cancel.abort('cancelled'));
  const bench = await benchOf(context, { scan: `prompt 1; page 1; prompt 2; ${broken}` }, { free });
  const { facts } = await failure('timeout', bench.scan(await bench.request(), cancel.signal));
  assert.is(facts['page_count'], 1);
});

test('stopped waits for the sheet on its way no longer than the grace', async (context) => {
  const scan = 'prompt 1; page 1; prompt 2; sleep 100';
  const bench = await benchOf(context, { scan }, { stopGraceMs: 300 });
  const cancel = new AbortController();
  const request = await bench.request();
  const scanned = bench.scan(request, cancel.signal);
  await within(PAGE_MS, bench.nextPage(), 'page 1');
  const started = performance.now();
  cancel.abort('cancelled');
  const { message, facts } = await within(50_000, failure('timeout', scanned), 'the end');
  assert.is(facts['page_count'], 1);
  assert.match(message, 'was stopped before the feeder was empty');
  const took = performance.now() - started;
  assert.ok(took >= 295, `took ${took} ms`);
});

test('stopped in duplex takes the back of the sheet too', async (context) => {
  const stop = new AbortController();
  const free = beforePage(1, () => stop.abort('connection_lost'));
  const scan = 'prompt 1; page 1; prompt 2; page 2; prompt 3; page 3; prompt 4; page 4';
  const bench = await benchOf(context, { scan }, { free });
  const request = await bench.request({ source: 'ADF Duplex' });
  const { facts, message } = await failure(
    'scanner_runtime_unreachable',
    bench.scan(request, stop.signal),
  );
  assert.is(facts['page_count'], 2);
  assert.match(message, 'went away');
});

test('stopped before its first sheet feeds none', async (context) => {
  const bench = await benchOf(context, { scan: 'sleep 0.1; prompt 1; page 1' });
  const stop = new AbortController();
  const request = await bench.request({ source: 'ADF Duplex' });
  const scanned = bench.scan(request, stop.signal);
  await bench.started();
  stop.abort('shutting_down');
  const { facts, message } = await failure('scanner_runtime_unreachable', scanned);
  assert.is(facts['page_count'], 0);
  assert.match(message, 'is shutting down');
});

test('cancelled is told so even when scanimage ends well', async (context) => {
  const scan = 'trap "exit 0" INT; prompt 1; page 1; prompt 2; sleep 100';
  const bench = await benchOf(context, { scan }, { stopGraceMs: 100 });
  const cancel = new AbortController();
  const scanned = bench.scan(await bench.request(), cancel.signal);
  await within(PAGE_MS, bench.nextPage(), 'page 1');
  cancel.abort('cancelled');
  await failure('timeout', scanned);
});

test('cancelled before it began feeds nothing', async (context) => {
  const bench = await benchOf(context, { scan: 'touch "$FAKE_DIRECTORY/fed"; prompt 1; page 1' });
  const { facts } = await failure(
    'timeout',
    bench.scan(await bench.request(), AbortSignal.abort('cancelled')),
  );
  assert.is(facts['page_count'], 0);
  assert.not((await bench.files()).includes('fed'));
});

test('needs a scan directory, before anything is fed', async (context) => {
  const bench = await benchOf(context, { scan: 'touch "$FAKE_DIRECTORY/fed"; prompt 1; page 1' });
  const request = await bench.request();
  await rm(request.directory, { recursive: true });
  const { facts } = await failure('scanner_error', bench.scan(request));
  assert.is(facts['page_count'], 0);
  assert.not((await bench.files()).includes('fed'));
});

test.run();
