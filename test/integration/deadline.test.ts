import { once } from 'node:events';
import { readOpenApi } from '../../service/http/open-api.ts';
import { signalBelow } from '../support/native-programs.ts';
import { withAppliance, type Appliance } from '../support/appliance/appliance.ts';
import { answeredInTime } from '../support/appliance/punctual.ts';
import { describedResponses } from '../support/open-api-schemas.ts';
import { shippedPage } from '../support/pages.ts';
import { programsLeft } from '../support/processes.ts';
import { assert, suite } from '../support/suite.ts';

const test = suite<{ appliance: Appliance }>('the shared deadline');

/** Enough for what comes before the stage that is cut off, also on a busy machine. */
const BUDGET_SECONDS = 10;

withAppliance(test, {
  profiles: [
    { name: 'default', source: 'ADF', resolution: 100, timeout_seconds: BUDGET_SECONDS },
    { name: 'sharp', source: 'ADF', resolution: 300, timeout_seconds: BUDGET_SECONDS },
    {
      name: 'several',
      source: 'ADF',
      resolution: 100,
      timeout_seconds: BUDGET_SECONDS,
      assembly: { page_grouping: 'per_page' },
      processing: { ocr: false },
    },
    { name: 'patient', source: 'ADF', resolution: 100 },
  ],
  processorEnvironment: { WORKERS: '1' },
});

const PAGE = shippedPage('blank-back-plain').file;
const timeoutResponse = describedResponses(await readOpenApi('1')).find(
  ({ path: where, status }) => where === '/scan' && status === 504,
);

async function expectTimeout(
  appliance: Appliance,
  profile: string,
  stage: string,
): Promise<Record<string, unknown>> {
  const ended = appliance.service.nextLine(/"event":"scan_ended".*"state":"failed"/);
  const answer = await answeredInTime(appliance.service, BUDGET_SECONDS * 1000, () =>
    appliance.scan({ profile }),
  );
  assert.is(answer.status, 504, answer.text);
  assert.is(answer.json?.['error'], 'timeout');
  assert.is(answer.json?.['stage'], stage, answer.text);
  assert.is(timeoutResponse?.check(answer.json), undefined);
  await ended;
  return answer.json ?? {};
}

/** Resolves when the appliance takes a scan again: everything of the last one has ended then. */
async function expectNextScan(appliance: Appliance): Promise<void> {
  appliance.scanner.setFault(null);
  appliance.dms.setFault(undefined);
  await appliance.untilScannerFree();
  appliance.scanner.load([PAGE]);
  const answer = await appliance.scan({ profile: 'patient' });
  assert.is(answer.status, 200, answer.text);
  assert.equal(await programsLeft(), []);
}

test('stops the feeder when it passes while scanning', async ({ appliance }) => {
  appliance.scanner.load([PAGE, PAGE, PAGE]);
  appliance.scanner.setFault({ kind: 'hang', where: 'before', atPage: 3 });
  const body = await expectTimeout(appliance, 'default', 'scan');
  assert.is(body['page_count'], 2);
  assert.equal(body['documents'], []);
  const ended = await appliance.record(String(body['scan_id']));
  assert.equal(ended['pages'], ['page-0001.tif', 'page-0002.tif']);
  await expectNextScan(appliance);
});

/** Has the first page never be read: its Tesseract does not go on. */
function hangOcr({ processor }: Appliance): Promise<void> {
  return signalBelow(processor.pid(), ['tesseract'], 'SIGSTOP');
}

test('stops OCR when it passes while processing', async ({ appliance }) => {
  const { file } = shippedPage('letter-bank');
  appliance.scanner.load([file, file, file]);
  const hangs = hangOcr(appliance);
  const body = await expectTimeout(appliance, 'sharp', 'process');
  await hangs;
  assert.is(body['page_count'], 3);
  assert.equal(body['documents'], []);
  const record = await appliance.record(String(body['scan_id']));
  assert.is(record['state'], 'failed');
  assert.is((record['pages'] as string[]).length, 3);
  await expectNextScan(appliance);
});

test('aborts an upload, and names what was delivered by then', async ({ appliance }) => {
  appliance.scanner.load([PAGE, PAGE]);
  appliance.dms.events.once('upload_ended', () =>
    appliance.dms.setFault({ kind: 'hang', when: 'after_body' }),
  );
  const body = await expectTimeout(appliance, 'several', 'deliver');
  const documents = body['documents'] as { destinations: { status: string; error?: string }[] }[];
  assert.is(documents.length, 2);
  assert.is(documents[0]?.destinations[0]?.status, 'submitted');
  assert.match(String(documents[1]?.destinations[0]?.error), /may have been accepted/);
  await expectNextScan(appliance);
});

test('a caller that hangs up does not stop the scan', async ({ appliance }) => {
  appliance.scanner.load([PAGE, PAGE]);
  const finished = appliance.service.nextLine(
    /"event":"scan_ended".*"state":"finished".*"page_count":2/,
  );
  const stop = new AbortController();
  const fed = once(appliance.scanner.events, 'sheet');
  const call = fetch(`http://127.0.0.1:${appliance.service.port()}/scan`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"profile":"patient"}',
    signal: stop.signal,
  }).catch((error: unknown) => error);
  await fed;
  stop.abort();
  await call;
  const line = JSON.parse(await finished) as { scan_id: string; page_count: number };
  assert.is(line.page_count, 2);
  assert.is((await appliance.record(line.scan_id))['state'], 'finished');
});
