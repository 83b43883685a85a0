import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../../../../helpers/failure.ts';
import { callIdentity } from '../../../../service/archive/recorded-calls.ts';
import { readRecord } from '../../../../service/archive/scan-directory.ts';
import { explained, viewOf } from '../../../../service/archive/scan-view.ts';
import { logEvents } from '../../../../service/scan/log-events.ts';
import { capturedLog } from '../../../support/captured-log.ts';
import { feedPages } from '../../../support/scan-parts.ts';
import { assert, failure, withFixture, within } from '../../../support/suite.ts';
import {
  aborted,
  createScanBench,
  EVENT_MS,
  heldDeadline,
  PASSED,
  PATIENT,
  type ScanBench,
  someTurns,
  stopped,
} from './scan-bench.ts';

const test = withFixture<ScanBench>('scans', () => createScanBench());

const IDENTITY = callIdentity('k', {});
const JAM = new Failure('scanner_jammed', 'Stuck.');

const scanIdsIn = async ({ root }: ScanBench): Promise<string[]> =>
  (await readdir(root)).filter((name) => !name.startsWith('.'));

test('a scan gets a directory of its own, and its record says all of it', async (bench) => {
  const { scans } = await bench.start({ feed: feedPages(2) });
  const first = await scans.scan(bench.call());
  const second = await scans.scan(bench.call());
  assert.is.not(first.scan_id, second.scan_id);
  const record = await bench.stored(first.scan_id);
  assert.is(record.state, 'finished');
  assert.equal(record.pages, first.pages);
  assert.equal(record.timings_ms, first.timings_ms);
  assert.is(record.duration_ms, first.duration_ms);
});

test('scan.json says what is known after each stage', async (bench) => {
  const seen: object[] = [];
  const look = async (scanId: string): Promise<void> => {
    const content = await readFile(bench.file(scanId, 'scan.json'), 'utf8');
    const { state, stage, page_count, documents } = JSON.parse(content);
    seen.push({ state, stage, page_count, documents: documents.length });
  };
  const { scans, parts } = await bench.start({
    feed: feedPages(2),
    assemble: (outFile) => look(path.basename(path.dirname(outFile))),
  });
  const { names } = parts.dms;
  const looking: typeof names = (signal) => ({
    ...names(signal),
    resolve: async (...of) => {
      await look((await scanIdsIn(bench))[0] ?? '');
      return names(signal).resolve(...of);
    },
  });
  Object.assign(parts, { dms: { ...parts.dms, names: looking } });
  const { scan_id } = await scans.scan(bench.call());
  assert.equal(seen, [
    { state: 'processing', stage: 'process', page_count: 2, documents: 0 },
    { state: 'delivering', stage: 'deliver', page_count: 2, documents: 1 },
  ]);
  const { record } = await readRecord(path.join(bench.root, scan_id));
  const content = await readFile(bench.file(scan_id, 'scan.json'), 'utf8');
  assert.equal(JSON.parse(content), JSON.parse(JSON.stringify(explained(viewOf(record, true)))));
});

test('a scan that ends early says what is stored and both ways on; of no page it promises nothing', async (bench) => {
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

test('a deadline in the delivery says so, with the documents, and what a resume does', async (bench) => {
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

test('a scan whose last event cannot be written is a failure, and has its time', async (bench) => {
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  const { scans } = await bench.start(
    { feed: feedPages(1) },
    {
      archive: (archive) => ({
        ...archive,
        begin: async (begun) => ({
          ...(await archive.begin(begun)),
          end: () => Promise.reject(full),
        }),
      }),
    },
  );
  await failure('insufficient_storage', scans.scan(bench.call()));
});

test('each event is a line of the log with the id of the scan, and none has a title or a setting', async (bench) => {
  const { log, lines, text } = capturedLog();
  const warned = new Failure('scanner_jammed', 'Stuck.', {
    facts: { page_count: 1, warnings: ['A sheet may be missing.'] },
  });
  const { scans } = await bench.start({ feed: feedPages(1, warned) }, { listener: logEvents(log) });
  const call = { ...bench.call(), metadata: { title: 'a private matter' } };
  const { facts } = await failure('scanner_jammed', scans.scan(call));
  for (const line of lines()) assert.is(line['scan_id'], facts['scan_id']);
  const fed = lines().find(({ event }) => event === 'scan_fed');
  assert.equal([fed?.['level'], fed?.['warnings']], ['warn', ['A sheet may be missing.']]);
  assert.is(lines().at(-1)?.['code'], 'scanner_jammed');
  assert.not.match(text(), /private matter|base_url|token/);
});

test('a jam whose end cannot be recorded is still the jam, and promises no page that is gone', async (bench) => {
  const recorded = Promise.withResolvers<void>();
  const { scans } = await bench.start(
    {
      feed: async (request, options) => {
        await feedPages(1)(request, options);
        await recorded.promise;
        await rm(request.directory, { recursive: true });
        throw JAM;
      },
    },
    { listener: ({ type }) => void (type === 'page' && recorded.resolve()) },
  );
  const error = await failure('scanner_jammed', scans.scan(bench.call()));
  assert.is(error.facts['page_count'], 0);
  assert.not.match(error.message, /stored|resume/);
  assert.match(bench.logged.text(), /"event":"end_not_recorded"/);
});

test('a scan that is not there can neither be resumed nor continued', async (bench) => {
  const { scans } = await bench.start();
  for (const id of ['20261121T063000Z-8f3a1c', '../x', '__proto__', '']) {
    await failure('scan_not_found', scans.resume(id));
    await failure('scan_not_found', scans.continueScan(id));
  }
});

test('once it drains, nothing begins any more', async (bench) => {
  const { scans, parts } = await bench.start({ feed: feedPages(1) });
  await scans.drain();
  await failure('shutting_down', scans.scan(bench.call(), IDENTITY));
  await failure('shutting_down', scans.continueScan('x'));
  await failure('shutting_down', scans.resume('x'));
  assert.equal(parts.fed, []);
  assert.equal(await scanIdsIn(bench), []);
});

test('a record that became unreadable is neither fed into nor filed, and nothing is touched', async (bench) => {
  const first = await bench.start({ feed: feedPages(2, JAM) });
  const id = String(
    (await failure('scanner_jammed', first.scans.scan(bench.call()))).facts['scan_id'],
  );
  await writeFile(bench.file(id, 'events.jsonl'), '{\n');
  const { scans, parts } = await bench.start({ feed: feedPages(1) });
  await failure('scan_record_unreadable', scans.resume(id));
  await failure('scan_record_unreadable', scans.continueScan(id));
  assert.equal([parts.fed, parts.recognized], [[], []]);
  assert.is(await readFile(bench.file(id, 'events.jsonl'), 'utf8'), '{\n');
});

test('a deadline that passes that stops the feeder: the sheet under way is a page of the scan, and sheets that may have passed are in the answer', async (bench) => {
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

test('a deadline that passes before the runtime has its last word: the answer says that more may come, and the resumed result has it', async (bench) => {
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

test('a deadline that passes while a disk hangs and a scan is taken up again: the answer has its pages', async (bench) => {
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

test('a deadline that passes before a sheet moves: none moves after the answer', async (bench) => {
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
