import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { isFailureCode, CATALOGUE } from '../../helpers/failure.ts';
import { readOpenApi } from '../../service/http/open-api.ts';
import type { Fault } from '../../simulators/virtual-scanner/virtual-scanner.ts';
import { withAppliance, type Appliance } from '../support/appliance/appliance.ts';
import { answeredInTime } from '../support/appliance/punctual.ts';
import { signalBelow } from '../support/native-programs.ts';
import { describedResponses } from '../support/open-api-schemas.ts';
import { shippedPage } from '../support/pages.ts';
import { programsLeft } from '../support/processes.ts';
import { assert, suite, within } from '../support/suite.ts';
import type { TestAnswer } from '../support/send-to.ts';

/** For checks before feeding, see test/service/scan/call/preflight. */
const test = suite<{ appliance: Appliance }>('failures, and stops during a scan');

/** Leaves enough time on a busy machine for the stages before the interrupted one. */
const BUDGET_SECONDS = 10;

/** Enough to start scanimage and scan a small page on a busy machine. */
const HASTY = { PAGE_TIMEOUT_SECONDS: '6' };

const runtimeEnvironment: Record<string, string> = {};

const OWN = { source: 'ADF', resolution: 100, processing: { ocr: false }, timeout_seconds: 60 };
const TIMED = { ...OWN, timeout_seconds: BUDGET_SECONDS };

withAppliance(test, {
  profiles: [
    { name: 'default', ...OWN },
    { name: 'misspelled', ...OWN, source: 'ADF duplex' },
    { name: 'timed', ...TIMED },
    { name: 'read', ...TIMED, resolution: 300, processing: {} },
    { name: 'several', ...TIMED, assembly: { page_grouping: 'per_page' } },
  ],
  runtimeEnvironment,
  processorEnvironment: { WORKERS: '1' },
});

test.before.each(({ appliance }) => {
  appliance.scanner.setFault(null);
  appliance.dms.setFault(undefined);
});

const responses = describedResponses(await readOpenApi('1')).filter(
  ({ path: where, method }) => where === '/scan' && method === 'POST',
);

async function checkFailure(answer: TestAnswer, code: string): Promise<Record<string, unknown>> {
  assert.is(answer.json?.['error'], code, answer.text);
  assert.ok(isFailureCode(code));
  assert.is(answer.status, CATALOGUE[code]);
  const described = responses.find(({ status }) => status === answer.status);
  assert.is(described?.check(answer.json), undefined);
  assert.equal(await programsLeft(), []);
  return answer.json ?? {};
}

const PAGE = shippedPage('blank-back-plain').file;

function stack(appliance: Appliance, count: number): void {
  appliance.scanner.load(Array.from({ length: count }, () => PAGE));
}

/** Waits until the last scan has completely ended, then checks that the next one works. */
async function expectNextScan(appliance: Appliance): Promise<void> {
  appliance.scanner.setFault(null);
  appliance.dms.setFault(undefined);
  stack(appliance, 1);
  // A device drops the job of a vanished client after a while. Until then it reports that it is
  // busy.
  await appliance.untilScannerFree();
  const answer = await appliance.scan({});
  assert.is(answer.status, 200, answer.text);
}

for (const kind of [null, 'empty', 'emptyLate'] as const) {
  test(`an empty feeder is told apart from every other failure: ${kind}`, async ({ appliance }) => {
    stack(appliance, kind ? 2 : 0);
    appliance.scanner.setFault(kind && { kind });
    const body = await checkFailure(await appliance.scan({}), 'no_documents');
    assert.match(String(body['message']), /feeder/);
  });
}

// For other missing capabilities, see helpers/scanner/options.
test('a misspelled source fails with the valid ones, before feeding', async ({ appliance }) => {
  stack(appliance, 1);
  const fed = appliance.scanner.state.sheetsFed;
  const answer = await appliance.scan({ profile: 'misspelled' });
  const body = await checkFailure(answer, 'scan_option_rejected');
  assert.equal(body['valid_values'], ['Flatbed', 'ADF', 'ADF Duplex']);
  assert.is(body['nearest'], 'ADF Duplex');
  assert.match(String(body['message']), /ADF Duplex/);
  assert.is(appliance.scanner.state.sheetsFed, fed);
});

async function scanInto(
  appliance: Appliance,
  fault: Fault,
  code: string,
  pages: number,
): Promise<void> {
  stack(appliance, 3);
  appliance.scanner.setFault(fault);
  const body = await checkFailure(await appliance.scan({}), code);
  assert.is(body['page_count'], pages);
  assert.is((await appliance.record(String(body['scan_id'])))['page_count'], pages);
  await expectNextScan(appliance);
}

const FAULTS: [string, Fault, string, number][] = [
  ['a jam on the first page', { kind: 'jam', atPage: 1 }, 'scanner_jammed', 0],
  ['a jam on page 3', { kind: 'jam', atPage: 3 }, 'scanner_jammed', 2],
  ['the cover open at the start', { kind: 'coverOpen' }, 'cover_open', 0],
  ['the cover opened at page 2', { kind: 'coverOpen', atPage: 2 }, 'cover_open', 1],
  ['two sheets at once', { kind: 'multipick', atPage: 2 }, 'scanner_error', 1],
  ['a connection that drops before page 2', { kind: 'drop', atPage: 2 }, 'scanner_error', 1],
  ['one that drops in it', { kind: 'drop', atPage: 2, midBody: true }, 'scanner_error', 1],
  ['an image that is broken', { kind: 'corruptImage', atPage: 2 }, 'scanner_error', 1],
  ['a scanner that refuses the job', { kind: 'refuse', where: 'post' }, 'scanner_error', 0],
];

for (const [what, fault, code, pages] of FAULTS) {
  test(`${what} is ${code}: ${pages} safe pages, then a scan`, ({ appliance }) =>
    scanInto(appliance, fault, code, pages));
}

test('a scanner that hangs is scanner_error: earlier pages are safe, then a scan', async ({
  appliance,
}) => {
  await appliance.runtime.stop();
  Object.assign(runtimeEnvironment, HASTY);
  await appliance.runtime.start();
  await scanInto(appliance, { kind: 'hang', where: 'before', atPage: 2 }, 'scanner_error', 1);
  await scanInto(appliance, { kind: 'hang', where: 'midBody', atPage: 1 }, 'scanner_error', 0);
  await appliance.runtime.stop();
  for (const name of Object.keys(HASTY)) delete runtimeEnvironment[name];
  await appliance.runtime.start();
});

async function expectTimeout(
  appliance: Appliance,
  profile: string,
  stage: string,
): Promise<{ readonly body: Record<string, unknown>; readonly record: Record<string, unknown> }> {
  const ended = appliance.service.nextLine(/"event":"scan_ended".*"state":"failed"/);
  const answer = await answeredInTime(appliance.service, BUDGET_SECONDS * 1000, () =>
    appliance.scan({ profile }),
  );
  const body = await checkFailure(answer, 'timeout');
  assert.is(body['stage'], stage, answer.text);
  await ended;
  return { body, record: await appliance.record(String(body['scan_id'])) };
}

test('the deadline stops the feeder when it passes while scanning', async ({ appliance }) => {
  stack(appliance, 3);
  appliance.scanner.setFault({ kind: 'hang', where: 'before', atPage: 3 });
  const { body, record } = await expectTimeout(appliance, 'timed', 'scan');
  assert.is(body['page_count'], 2);
  assert.equal(body['documents'], []);
  assert.equal(record['pages'], ['page-0001.tif', 'page-0002.tif']);
  await expectNextScan(appliance);
});

test('the deadline stops OCR when it passes during processing', async ({ appliance }) => {
  const { file } = shippedPage('letter-bank');
  appliance.scanner.load([file, file, file]);
  // Tesseract is suspended, so the first page is never read.
  const hangs = signalBelow(appliance.processor.pid(), ['tesseract'], 'SIGSTOP');
  const { body, record } = await expectTimeout(appliance, 'read', 'process');
  await hangs;
  assert.is(body['page_count'], 3);
  assert.equal(body['documents'], []);
  assert.is(record['state'], 'failed');
  assert.is((record['pages'] as string[]).length, 3);
  await expectNextScan(appliance);
});

test('the deadline aborts an upload, and the answer names earlier deliveries', async ({
  appliance,
}) => {
  stack(appliance, 2);
  appliance.dms.events.once('upload_ended', () =>
    appliance.dms.setFault({ kind: 'hang', when: 'after_body' }),
  );
  const { body } = await expectTimeout(appliance, 'several', 'deliver');
  const documents = body['documents'] as { destinations: { status: string; error?: string }[] }[];
  assert.is(documents.length, 2);
  assert.is(documents[0]?.destinations[0]?.status, 'submitted');
  assert.match(String(documents[1]?.destinations[0]?.error), /may have been accepted/);
  await expectNextScan(appliance);
});

test('a caller that hangs up does not stop the scan', async ({ appliance }) => {
  stack(appliance, 2);
  const finished = appliance.service.nextLine(
    /"event":"scan_ended".*"state":"finished".*"page_count":2/,
  );
  const stop = new AbortController();
  const fed = once(appliance.scanner.events, 'sheet');
  const call = fetch(`http://127.0.0.1:${appliance.service.port()}/scan`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{}',
    signal: stop.signal,
  }).catch((error: unknown) => error);
  await fed;
  stop.abort();
  await call;
  const line = JSON.parse(await finished) as { scan_id: string };
  assert.is((await appliance.record(line.scan_id))['state'], 'finished');
});

async function scanUpToLastSheet(
  appliance: Appliance,
  body: object = {},
): Promise<{ readonly answer: Promise<TestAnswer> }> {
  stack(appliance, 3);
  appliance.scanner.setFault({ kind: 'wait', atPage: 3 });
  const scanned = appliance.service.nextLine(/"event":"scan_page".*"page":2,/);
  const answer = appliance.scan(body);
  await scanned;
  return { answer };
}

async function expectNoRuntime(appliance: Appliance, ready: TestAnswer): Promise<void> {
  assert.is(ready.status, 503);
  assert.is(ready.json?.['reason'], 'scanner_runtime_unreachable');
  await checkFailure(await appliance.scan({}), 'scanner_runtime_unreachable');
  assert.is((await appliance.get('/health')).status, 200);
}

/** By then, /ready no longer reuses an answer of the runtime. */
const REUSED_MS = 300;

test('a stopped runtime: not ready, no scan; recovers automatically', async ({ appliance }) => {
  await appliance.runtime.stop();
  await wait(REUSED_MS);
  await expectNoRuntime(appliance, await appliance.get('/ready'));
  await appliance.runtime.start();
  await expectNextScan(appliance);
});

const READY_MS = 3000;

test('a hanging runtime is detected within 3 seconds', async ({ appliance }) => {
  appliance.runtime.freeze();
  const ready = await answeredInTime(appliance.service, READY_MS, () => appliance.get('/ready'));
  await expectNoRuntime(appliance, ready);
  appliance.runtime.thaw();
  await expectNextScan(appliance);
});

/** The time that Compose takes to pull and restart a processor. Scans once gave up after 1.2 s. */
const RESTART_MS = 5000;

test('a restarting processor is waited for', async ({ appliance }) => {
  const call = await scanUpToLastSheet(appliance);
  await appliance.processor.stop('SIGKILL');
  appliance.scanner.setFault(null);
  await wait(RESTART_MS);
  await appliance.processor.start();
  const answer = await call.answer;
  assert.is(answer.status, 200, answer.text);
  assert.is(answer.json?.['page_count'], 3);
  assert.match(answer.text, '"status":"submitted"');
});

test('a processor that does not return in time loses no page', async ({ appliance }) => {
  const call = await scanUpToLastSheet(appliance, { profile: 'timed' });
  await appliance.processor.stop('SIGKILL');
  appliance.scanner.setFault(null);
  const body = await checkFailure(await call.answer, 'timeout');
  assert.is(body['stage'], 'process');
  assert.is(body['page_count'], 3);
  const record = await appliance.record(String(body['scan_id']));
  assert.is(record['state'], 'failed');
  assert.is((record['pages'] as string[]).length, 3);
  await appliance.processor.start();
  await expectNextScan(appliance);
});

/** Generous for a busy machine. With an idle connection, stopping once took more than 75 s. */
const IDLE_STOP_MS = 20_000;

// For stopping the other parts, see test/helpers/scanner/main and test/helpers/processor/processor.
test('a service that is stopped, even twice, finishes its scan and accepts no new one', async ({
  appliance,
}) => {
  const { service } = appliance;
  const scan = await scanUpToLastSheet(appliance);
  const { scans } = (await appliance.get('/scans')).json as { scans: { scan_id: string }[] };
  const path = `/scans/${scans[0]?.scan_id}/events`;
  const watched = appliance.get(path);
  const unread = connect({ host: '127.0.0.1', port: service.port() })
    .pause()
    .on('error', () => {});
  unread.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const stopping = service.nextLine(/"event":"stopping"/);
    process.kill(service.pid(), signal);
    await stopping;
  }
  const exit = service.stop('SIGTERM');
  await checkRefusal(appliance);
  appliance.scanner.setFault(null);
  const answer = await scan.answer;
  assert.is(answer.status, 200, answer.text);
  assert.is(answer.json?.['page_count'], 3);
  assert.match((await watched).text, /\nevent: result\ndata: {"status":200,.*\n\n$/);
  assert.is(await within(IDLE_STOP_MS, exit, 'the end of the service'), 0);
  unread.destroy();
  await service.start();
});

async function checkRefusal(appliance: Appliance): Promise<void> {
  const refused = await appliance.scan({});
  assert.is(refused.status, 503);
  assert.is(refused.json?.['error'], 'shutting_down');
  assert.is((await appliance.get('/health')).status, 200);
}

const POST_WITHOUT_BODY =
  'POST /scan HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{';

for (const name of ['service', 'processor'] as const) {
  test(`the ${name} does not wait for idle connections`, async ({ appliance }) => {
    const part = appliance[name];
    const sockets = ['', 'GET /health HTTP/1.1\r\nHost: 127', POST_WITHOUT_BODY].map((sent) => {
      const socket = connect({ host: '127.0.0.1', port: part.port() });
      socket.on('error', () => {});
      socket.write(sent);
      return socket;
    });
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    assert.is(await within(IDLE_STOP_MS, part.stop('SIGTERM'), `the end of the ${name}`), 0);
    for (const socket of sockets) socket.destroy();
    await part.start();
  });
}
