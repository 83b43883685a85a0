import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readOpenApi } from '../../service/http/open-api.ts';
import { startAppliance, type Appliance } from '../support/appliance/appliance.ts';
import { describedResponses } from '../support/open-api-schemas.ts';
import { cleanPages, shippedPage } from '../support/pages.ts';
import { programsLeft } from '../support/processes.ts';
import { within } from '../support/within.ts';

const test = suite<{ appliance: Appliance }>('the shared deadline');

/** Enough for what comes before the stage that is cut off, also on a busy machine. */
const BUDGET_SECONDS = 10;
/** The answer is promised within 1 s of the deadline. */
const LATEST_ANSWER_MS = BUDGET_SECONDS * 1000 + 1000;

test.before(async (context) => {
  context.appliance = await startAppliance({
    profiles: [
      { name: 'default', source: 'ADF', resolution: 100, timeout_seconds: BUDGET_SECONDS },
      { name: 'sharp', source: 'ADF', resolution: 300, timeout_seconds: BUDGET_SECONDS },
      {
        name: 'several',
        source: 'ADF',
        resolution: 100,
        timeout_seconds: BUDGET_SECONDS,
        assembly: { page_grouping: 'per_page' },
      },
      { name: 'patient', source: 'ADF', resolution: 100 },
    ],
    processorEnvironment: { WORKERS: '1' },
  });
});

test.after(({ appliance }) => appliance.close());

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
  const began = performance.now();
  const answer = await appliance.scan({ profile });
  const took = performance.now() - began;
  assert.is(answer.status, 504, answer.text);
  assert.is(answer.json?.['error'], 'timeout');
  assert.is(answer.json?.['stage'], stage, answer.text);
  assert.is(timeoutResponse?.check(answer.json), undefined);
  assert.ok(took < LATEST_ANSWER_MS, `${took} ms`);
  await ended;
  return answer.json ?? {};
}

/** Resolves when the appliance takes a scan again: everything of the last one has ended then. */
async function expectNextScan(appliance: Appliance): Promise<void> {
  appliance.scanner.setFault(null);
  appliance.dms.setFault(undefined);
  if (appliance.scanner.state.scanning) {
    await within(10_000, once(appliance.scanner.events, 'closed'), 'the end of the old job');
  }
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

test('stops OCR when it passes while processing', async ({ appliance }) => {
  const pages = cleanPages().map(({ file }) => file);
  appliance.scanner.load([...pages, ...pages]);
  const body = await expectTimeout(appliance, 'sharp', 'process');
  assert.is(body['page_count'], 2 * pages.length);
  assert.equal(body['documents'], []);
  const record = await appliance.record(String(body['scan_id']));
  assert.is(record['state'], 'failed');
  assert.is((record['pages'] as string[]).length, 2 * pages.length);
  await expectNextScan(appliance);
});

test('aborts an upload when it passes while delivering, and names what was delivered by then', async ({
  appliance,
}) => {
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

test.run();
