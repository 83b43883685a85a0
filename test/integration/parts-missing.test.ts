import { setTimeout as wait } from 'node:timers/promises';
import { withAppliance, type Appliance } from '../support/appliance/appliance.ts';
import { answeredInTime } from '../support/appliance/punctual.ts';
import { shippedPage } from '../support/pages.ts';
import type { TestAnswer } from '../support/send-to.ts';
import { assert, suite } from '../support/suite.ts';

/** What is found out before paper moves: test/service/scan/call/preflight. */
const test = suite<{ appliance: Appliance }>('when a part is missing or hangs');

withAppliance(test, {
  profiles: [
    { name: 'default', source: 'ADF', resolution: 100, timeout_seconds: 30 },
    { name: 'hasty', source: 'ADF', resolution: 100, timeout_seconds: 8 },
  ],
});

/** A processor that is pulled and started again by Compose; without patience the scan ended after 1.2 s. */
const RESTART_MS = 5000;

/** How long GET /ready waits for the runtime. */
const READY_MS = 3000;

/** So long, and some more, one answer of the runtime is good for all who ask /ready. */
const REUSED_MS = 300;

const PAGE = shippedPage('blank-back-plain').file;

/** Begins a scan of four sheets, the last of which is not fed until the scanner is told to go on. */
async function scanUpToLastSheet(
  appliance: Appliance,
  body: object,
): Promise<{ readonly answer: Promise<TestAnswer> }> {
  appliance.scanner.load([PAGE, PAGE, PAGE, PAGE]);
  appliance.scanner.setFault({ kind: 'wait', atPage: 4 });
  const scanned = appliance.service.nextLine(/"event":"scan_page".*"page":3,/);
  const answer = appliance.scan(body);
  await scanned;
  return { answer };
}

test('a stopped runtime: not ready, no scan; back by itself', async ({ appliance }) => {
  await appliance.runtime.stop();
  await wait(REUSED_MS);
  const ready = await appliance.get('/ready');
  assert.is(ready.status, 503);
  assert.is(ready.json?.['reason'], 'scanner_runtime_unreachable');
  const scan = await appliance.scan({});
  assert.is(scan.status, 503);
  assert.is(scan.json?.['error'], 'scanner_runtime_unreachable');
  assert.is((await appliance.get('/health')).status, 200);
  await appliance.runtime.start();
  appliance.scanner.load([PAGE]);
  assert.is((await appliance.scan({})).status, 200);
});

test('a runtime that hangs is found out within 3 seconds', async ({ appliance }) => {
  appliance.runtime.freeze();
  const ready = await answeredInTime(appliance.service, READY_MS, () => appliance.get('/ready'));
  assert.is(ready.status, 503);
  assert.is(ready.json?.['reason'], 'scanner_runtime_unreachable');
  const scan = await appliance.scan({});
  assert.is(scan.status, 503);
  assert.is(scan.json?.['error'], 'scanner_runtime_unreachable');
  appliance.runtime.thaw();
  appliance.scanner.load([PAGE]);
  assert.is((await appliance.scan({})).status, 200);
});

test('a processor that restarts meanwhile is waited for', async ({ appliance }) => {
  const call = await scanUpToLastSheet(appliance, {});
  await appliance.processor.stop('SIGKILL');
  appliance.scanner.setFault(null);
  await wait(RESTART_MS);
  await appliance.processor.start();
  const answer = await call.answer;
  assert.is(answer.status, 200, answer.text);
  assert.is(answer.json?.['page_count'], 4);
  assert.match(answer.text, '"status":"submitted"');
});

test('a processor that does not come back in time costs no page', async ({ appliance }) => {
  const call = await scanUpToLastSheet(appliance, { profile: 'hasty' });
  await appliance.processor.stop('SIGKILL');
  appliance.scanner.setFault(null);
  const answer = await call.answer;
  assert.is(answer.status, 504, answer.text);
  assert.is(answer.json?.['stage'], 'process');
  assert.is(answer.json?.['page_count'], 4);
  const record = await appliance.record(String(answer.json?.['scan_id']));
  assert.is(record['state'], 'failed');
  assert.is((record['pages'] as string[]).length, 4);
  await appliance.processor.start();
  appliance.scanner.load([PAGE]);
  assert.is((await appliance.scan({})).status, 200);
});
