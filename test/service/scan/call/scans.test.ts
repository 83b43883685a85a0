import { mkdirSync, renameSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Registry } from '@prometheus-io/client';
import { Failure } from '../../../../helpers/failure.ts';
import { callIdentity } from '../../../../service/archive/recorded-calls.ts';
import { readRecord } from '../../../../service/archive/scan-directory.ts';
import { explained, viewOf } from '../../../../service/archive/scan-view.ts';
import { createScanMetrics } from '../../../../service/metrics/scan-metrics.ts';
import type { CallOutcome } from '../../../../service/scan/call/finish.ts';
import {
  CALL_TIMES,
  createRunningScans,
  type RunningCall,
  type RunningScans,
} from '../../../../service/scan/call/running-scans.ts';
import type { Scans } from '../../../../service/scan/call/scans.ts';
import { logEvents } from '../../../../service/scan/log-events.ts';
import { capturedLog } from '../../../support/captured-log.ts';
import { feedPages, type Feed } from '../../../support/scan-parts.ts';
import { STORED_ID, storeScan } from '../../../support/stored-scan.ts';
import {
  assert,
  EVENT_MS,
  failure,
  rejection,
  withFixture,
  within,
} from '../../../support/suite.ts';
import {
  aborted,
  createScanBench,
  heldDeadline,
  JAM,
  PASSED,
  LONG_TIMES,
  type ScanBench,
  type ServiceChange,
  scanTests,
  letOthersRun,
  stopped,
} from './scan-bench.ts';

const test = scanTests('scans');

const scanIdsIn = async ({ root }: ScanBench): Promise<string[]> =>
  (await readdir(root)).filter((name) => !name.startsWith('.'));

test('scan.json is up to date after each stage', async (bench) => {
  const seen: string[] = [];
  const look = async (scanId: string): Promise<void> => {
    const content = await readFile(bench.file(scanId, 'scan.json'), 'utf8');
    const { state, stage, page_count, documents } = JSON.parse(content);
    seen.push(`${state}, ${stage}: ${page_count} pages, ${documents.length} documents`);
  };
  const { scans } = await bench.start({
    feed: feedPages(2),
    assemble: (outFile) => look(path.basename(path.dirname(outFile))),
    dms: ({ names }) => ({
      names: (signal) => ({
        ...names(signal),
        resolve: async (...of) => {
          await look((await scanIdsIn(bench))[0] ?? '');
          return names(signal).resolve(...of);
        },
      }),
    }),
  });
  const { scan_id } = await scans.scan(bench.call());
  assert.equal(seen, [
    'processing, process: 2 pages, 0 documents',
    'delivering, deliver: 2 pages, 1 documents',
  ]);
  const { record } = await readRecord(path.join(bench.root, scan_id));
  const content = await readFile(bench.file(scan_id, 'scan.json'), 'utf8');
  assert.equal(JSON.parse(content), JSON.parse(JSON.stringify(explained(viewOf(record, true)))));
});

test('an incomplete scan reports the stored pages and both ways to continue, or no pages', async (bench) => {
  const jammed = await bench.start({ feed: feedPages(2, JAM) });
  const { message, facts } = await failure('scanner_jammed', jammed.scans.scan(bench.call()));
  const id = String(facts['scan_id']);
  assert.is(facts['page_count'], 2);
  assert.is(
    message,
    `Stuck. 2 pages are stored: POST /scans/${id}/resume files what is there; POST /scan with ` +
      `{"continue_scan": "${id}"} feeds the rest into the same scan.`,
  );
  const empty = await bench.start({ feed: feedPages(0, JAM) });
  assert.is((await failure('scanner_jammed', empty.scans.scan(bench.call()))).message, 'Stuck.');
});

test('a deadline during delivery is reported with the documents and the effect of a resume', async (bench) => {
  const deadline = heldDeadline();
  const { scans } = await bench.start({ feed: feedPages(1) }, { times: deadline.times });
  bench.dms.setFault({ kind: 'hang', when: 'after_body' });
  bench.dms.events.once('body_received', deadline.pass);
  const { message, facts } = await failure('timeout', scans.scan(bench.call()));
  assert.is(facts['stage'], 'deliver');
  assert.is((facts['documents'] as unknown[]).length, 1);
  assert.match(message, /within 300 s.*"deliver".*timeout_seconds/);
  assert.match(message, /1 page is stored: POST \S+\/resume delivers what has surely not arrived/);
});

test('a scan whose last event cannot be written is a failure with a time', async (bench) => {
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  const archive: ServiceChange['archive'] = (real) => ({
    begin: async (begun) => ({ ...(await real.begin(begun)), end: () => Promise.reject(full) }),
  });
  const { scans } = await bench.start({ feed: feedPages(1) }, { archive });
  await failure('insufficient_storage', scans.scan(bench.call()));
});

test('each event is a log line with the scan id, without titles and settings', async (bench) => {
  const { log, lines, text } = capturedLog();
  const warnings = ['A sheet may be missing.'];
  const warned = new Failure('scanner_jammed', 'Stuck.', { facts: { page_count: 1, warnings } });
  const { scans } = await bench.start({ feed: feedPages(1, warned) }, { listener: logEvents(log) });
  const call = { ...bench.call(), metadata: { title: 'a private matter' } };
  const { facts } = await failure('scanner_jammed', scans.scan(call));
  for (const line of lines()) assert.is(line['scan_id'], facts['scan_id']);
  const fed = lines().find(({ event }) => event === 'scan_fed');
  assert.equal([fed?.['level'], fed?.['warnings']], ['warn', warnings]);
  assert.is(lines().at(-1)?.['code'], 'scanner_jammed');
  assert.not.match(text(), /private matter|base_url|token/);
});

/** A finished scan whose scan.json is stale, because the disk was full at the end. */
async function withStaleRecord(bench: ScanBench): Promise<{ readonly id: string; scans: Scans }> {
  let struck = '';
  const recordOf = (id: string): string => bench.file(id, 'scan.json');
  const listener: ServiceChange['listener'] = ({ type }, { scan_id: id }) => {
    if (type !== 'upload_begun' || struck !== '') return;
    struck = id;
    renameSync(recordOf(id), `${recordOf(id)}.kept`);
    // A file cannot replace a directory, so writing the record fails.
    mkdirSync(path.join(recordOf(id), 'full'), { recursive: true });
  };
  const { scans } = await bench.start({ feed: feedPages(1) }, { listener });
  const { scan_id: id } = await scans.scan(bench.call());
  await rm(recordOf(id), { recursive: true });
  await rename(`${recordOf(id)}.kept`, recordOf(id));
  assert.is((await recordFileOf(bench, id)).state, 'delivering');
  return { id, scans };
}

async function recordFileOf(bench: ScanBench, id: string): Promise<{ readonly state: string }> {
  return JSON.parse(await readFile(bench.file(id, 'scan.json'), 'utf8'));
}

test('a scan.json that did not fit on the disk is written after the next scan', async (bench) => {
  const { id, scans } = await withStaleRecord(bench);
  await scans.scan(bench.call());
  assert.is((await recordFileOf(bench, id)).state, 'finished');
});

test('a scan.json that did not fit on the disk is written on a resume', async (bench) => {
  const { id } = await withStaleRecord(bench);
  const { scans } = await bench.start();
  await scans.resume(id);
  assert.is((await recordFileOf(bench, id)).state, 'finished');
});

test('the log has the cause of a failed delivery, like the result', async (bench) => {
  const { log, lines } = capturedLog();
  const { scans } = await bench.start({ feed: feedPages(1) }, { listener: logEvents(log) });
  bench.dms.setFault({ kind: 'answer', status: 401, body: '{"detail":"Invalid token."}' });
  const { documents } = await scans.scan(bench.call());
  const [entry] = documents[0]?.destinations ?? [];
  const ended = lines().find(({ event }) => event === 'scan_upload_ended');
  assert.match(String(ended?.['error']), /^The API token was refused \(401/);
  assert.equal({ status: ended?.['status'], error: ended?.['error'] }, entry);
});

test('a jam whose end cannot be recorded is still reported, without promising lost pages', async (bench) => {
  const recorded = Promise.withResolvers<void>();
  const feed: Feed = async (request, options) => {
    await feedPages(1)(request, options);
    await recorded.promise;
    await rm(request.directory, { recursive: true });
    throw JAM;
  };
  const listener: ServiceChange['listener'] = ({ type }) =>
    void (type === 'page' && recorded.resolve());
  const { scans } = await bench.start({ feed }, { listener });
  const error = await failure('scanner_jammed', scans.scan(bench.call()));
  assert.is(error.facts['page_count'], 0);
  assert.not.match(error.message, /stored|resume/);
  assert.match(bench.logged.text(), /"event":"end_not_recorded"/);
});

test('a scan whose end cannot be recorded no longer counts as feeding', async (bench) => {
  const registry = new Registry();
  const { listener, closed: onClosed } = createScanMetrics(registry);
  const feeding: string[] = [];
  const look = async (): Promise<void> => {
    feeding.push(/^scan_service_feeding (\d)$/m.exec(await registry.metrics())?.[1] ?? 'none');
  };
  const feed: Feed = async ({ directory }) => {
    await look();
    await rm(directory, { recursive: true });
    throw new Error('The disk is gone.');
  };
  const { scans } = await bench.start({ feed }, { listener, onClosed });
  await rejection(scans.scan(bench.call()));
  await look();
  assert.equal(feeding, ['1', '0']);
});

test('nothing starts while draining', async (bench) => {
  const { scans, parts } = await bench.start({ feed: feedPages(1) });
  await scans.drain();
  await failure('shutting_down', scans.scan(bench.call(), callIdentity('k', {})));
  await failure('shutting_down', scans.continueScan('x'));
  await failure('shutting_down', scans.resume('x'));
  assert.equal([parts.fed, await scanIdsIn(bench)], [[], []]);
});

test('a scan with an unreadable record is neither continued nor filed, and nothing changes', async (bench) => {
  const id = await bench.jammed(2);
  await writeFile(bench.file(id, 'events.jsonl'), '{\n');
  const { scans, parts } = await bench.start({ feed: feedPages(1) });
  await failure('scan_record_unreadable', scans.resume(id));
  await failure('scan_record_unreadable', scans.continueScan(id));
  assert.equal([parts.fed, parts.recognized], [[], []]);
  assert.is(await readFile(bench.file(id, 'events.jsonl'), 'utf8'), '{\n');
});

/**
 * Feeds two pages. At the stop, the third is in the feeder; it is stored once `through` resolves.
 */
function stoppedFeed(through: (signal: AbortSignal) => Promise<void>): Feed {
  return async (request, options) => {
    await feedPages(2)(request, options);
    await through(options.signal);
    await feedPages(1)({ ...request, first_page: 3, first_sheet: 3 }, options);
    throw stopped('scanner_error', { page_count: 3 });
  };
}

test('a deadline stops the feeder: the current sheet becomes a page, and the answer reports sheets that may be lost', async (bench) => {
  const deadline = heldDeadline();
  const feed = stoppedFeed((signal) => {
    deadline.pass();
    return aborted(signal);
  });
  const { scans } = await bench.start({ feed }, { times: { ...LONG_TIMES, ...deadline.times } });
  const { message, facts } = await failure('timeout', scans.scan(bench.call()));
  assert.equal([facts['stage'], facts['warnings'], facts['page_count']], ['scan', [PASSED], 3]);
  assert.match(message, /3 pages are stored/);
});

test('a deadline before the final answer of the runtime: the answer says that more may come, and the resumed result includes it', async (bench) => {
  const sheet = Promise.withResolvers<void>();
  const { times, pass } = heldDeadline();
  const listener: ServiceChange['listener'] = (_, { pages }) => void (pages.length === 2 && pass());
  const { scans } = await bench.start(
    { feed: stoppedFeed(() => sheet.promise) },
    { times, listener },
  );
  const { facts } = await within(EVENT_MS, failure('timeout', scans.scan(bench.call())));
  const { stage, page_count, documents, warnings, scan_id } = facts;
  assert.equal([stage, page_count, documents], ['scan', 2, []]);
  assert.match(String(warnings), /still stopping.*GET \/scans\//);
  const id = String(scan_id);
  assert.ok(scans.isRunning(id));
  const resumed = scans.resume(id);
  await letOthersRun();
  sheet.resolve();
  const result = await within(EVENT_MS, resumed);
  assert.not.ok(scans.isRunning(id));
  assert.equal(result.documents[0]?.pages, [1, 2, 3]);
  assert.ok(result.warnings.includes(PASSED));
});

test('a deadline during a resume on a hung disk: the answer has the pages', async (bench) => {
  const id = await bench.jammed(2);
  const disk = Promise.withResolvers<never>();
  const { times, pass } = heldDeadline();
  const open = (): Promise<never> => {
    pass();
    return disk.promise;
  };
  const { scans } = await bench.start({}, { times, archive: () => ({ open }) });
  const error = await failure('timeout', scans.resume(id));
  assert.is(error.facts['page_count'], 2);
  disk.reject(new Error('at last'));
  await scans.drain();
});

test('a deadline before feeding: no sheet moves after the answer', async (bench) => {
  const disk = Promise.withResolvers<void>();
  const { times, pass } = heldDeadline();
  const archive: ServiceChange['archive'] = (real) => ({
    begin: async (begun) => {
      pass();
      await disk.promise;
      return real.begin(begun);
    },
  });
  const { scans, parts } = await bench.start({ feed: feedPages(1) }, { times, archive });
  await failure('timeout', scans.scan(bench.call()));
  disk.resolve();
  await scans.drain();
  assert.equal(parts.fed, []);
});

type Work = (call: RunningCall) => Promise<CallOutcome>;
type Stages = Parameters<RunningCall['finish']>[1];

const TIMES = { ...CALL_TIMES, answer: 50, nextCall: 600_000 };
const calls = withFixture('concurrent calls', async () => {
  const bench = await createScanBench();
  const { archive } = await bench.start();
  await storeScan(bench.root);
  return {
    running: createRunningScans(bench.logged.log, TIMES),
    work:
      (stages: Stages): Work =>
      async (call) =>
        call.finish(await archive.open(STORED_ID), stages),
    close: () => bench.close(),
  };
});

const claim = (seconds = 600): { id: string; seconds: number; startedAt: number } => ({
  id: STORED_ID,
  seconds,
  startedAt: performance.now(),
});

const done: Stages = () => Promise.resolve();

function heldStages(): PromiseWithResolvers<void> & { readonly stages: Stages } {
  const held = Promise.withResolvers<void>();
  return { ...held, stages: () => held.promise };
}

const answered = (late: Promise<unknown>): Promise<Failure> =>
  within(EVENT_MS, failure('timeout', late), 'the answer');

const timesOut = (running: RunningScans, work: Work): Promise<Failure> =>
  answered(running.run(claim(0.05), work));

calls('a scan never runs twice concurrently', async ({ running, work }) => {
  const { stages, resolve } = heldStages();
  const first = running.run(claim(), work(stages));
  const error = await failure('scan_in_progress', running.run(claim(), work(done)));
  assert.equal(error.facts, { scan_id: STORED_ID });
  resolve();
  await first;
  await running.run(claim(), work(done));
});

calls(
  'of two calls that wait for its end after a 504, only one continues',
  async ({ running, work }) => {
    const [sheet, next] = [heldStages(), heldStages()];
    await timesOut(running, work(sheet.stages));
    const both = [1, 2].map(() => running.run(claim(), work(next.stages)));
    sheet.resolve();
    await failure('scan_in_progress', within(EVENT_MS, Promise.race(both)));
    next.resolve();
    const ended = await Promise.allSettled(both);
    assert.equal(ended.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  },
);

calls('a call that waits for one that never ends is told that it is still running', async () => {
  const hung = Promise.withResolvers<never>();
  const hang = (): Promise<never> => hung.promise;
  const impatient = createRunningScans(capturedLog().log, { ...TIMES, answer: 10, nextCall: 10 });
  await timesOut(impatient, hang);
  await within(EVENT_MS, failure('scan_in_progress', impatient.run(claim(), hang)));
  hung.reject(new Error('at last'));
  await impatient.drain();
});

calls(
  'waiting calls do not start once the service stops, and running ones finish',
  async (bench) => {
    const { running, work } = bench;
    const sheet = heldStages();
    await timesOut(running, work(sheet.stages));
    const waiting = failure('shutting_down', running.run(claim(), work(done)));
    let isDrained = false;
    const drained = running.drain().then(() => (isDrained = true));
    await letOthersRun();
    assert.not.ok(isDrained);
    sheet.resolve();
    await within(EVENT_MS, Promise.all([waiting, drained]));
  },
);

calls('a failed call releases the scan, however early it fails', async ({ running, work }) => {
  const refused: Work = () => Promise.reject(new Failure('insufficient_storage', 'Full.'));
  const broken: Work = () => {
    throw new TypeError('a bug');
  };
  await failure(
    'scanner_jammed',
    running.run(
      claim(),
      work(() => Promise.reject(JAM)),
    ),
  );
  await failure('insufficient_storage', running.run(claim(), refused));
  await failure('internal_error', running.run(claim(), broken));
  await running.run(claim(), work(done));
});

calls('the time limit starts with the call, even if it has to wait', async ({ running }) => {
  const hung = Promise.withResolvers<never>();
  const early = { ...claim(600), startedAt: performance.now() - 599_900 };
  const error = await answered(running.run(early, () => hung.promise));
  assert.equal(error.facts, { stage: 'scan', scan_id: STORED_ID, page_count: 0, documents: [] });
  hung.reject(new Error('at last'));
  await running.drain();
});
