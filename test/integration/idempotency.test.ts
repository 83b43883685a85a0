import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ScanResult } from '../../service/archive/scan-view.ts';
import { startAppliance, type Appliance } from '../support/appliance/appliance.ts';
import { shippedPage } from '../support/pages.ts';
import type { TestAnswer } from '../support/test-app.ts';

const test = suite<{ appliance: Appliance }>('the Idempotency-Key');

test.before(async (context) => {
  context.appliance = await startAppliance({
    profiles: [{ name: 'default', source: 'ADF', resolution: 100 }],
  });
});

test.after(({ appliance }) => appliance.close());

const PAGE = shippedPage('blank-back-plain').file;

const keyed = (appliance: Appliance, key: string, body: object = {}): Promise<TestAnswer> =>
  appliance.scan(body, { 'Idempotency-Key': key });

test('the same key and body again is answered with the first result and feeds nothing', async ({
  appliance,
}) => {
  appliance.scanner.load([PAGE]);
  const first = await keyed(appliance, 'k1', { title: 'Tea', tags: [1] });
  assert.is(first.status, 200, first.text);
  appliance.scanner.load([PAGE]);
  const fed = appliance.scanner.state.sheetsFed;
  const second = await keyed(appliance, 'k1', { tags: [1], title: 'Tea' });
  assert.equal(second.json, first.json);
  await appliance.service.stop('SIGKILL');
  await appliance.service.start();
  const afterRestart = await keyed(appliance, 'k1', { title: 'Tea', tags: [1] });
  assert.equal(afterRestart.json, first.json);
  assert.is(appliance.scanner.state.sheetsFed, fed);
});

test('the same key with another body is refused', async ({ appliance }) => {
  appliance.scanner.load([PAGE]);
  const first = await keyed(appliance, 'k2', { title: 'one' });
  const second = await keyed(appliance, 'k2', { title: 'two' });
  assert.is(second.status, 422, second.text);
  assert.is(second.json?.['error'], 'idempotency_key_reused');
  assert.is(second.json?.['scan_id'], (first.json as unknown as ScanResult).scan_id);
});

test('of two calls at once one scans and the other is told so', async ({ appliance }) => {
  appliance.scanner.load([PAGE, PAGE]);
  const fed = appliance.scanner.state.sheetsFed;
  appliance.scanner.setFault({ kind: 'wait', atPage: 2 });
  const calls = [keyed(appliance, 'k3'), keyed(appliance, 'k3')];
  await Promise.race(calls);
  appliance.scanner.setFault(null);
  const answers = await Promise.all(calls);
  assert.equal(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 409],
  );
  const busy = answers.find(({ status }) => status === 409);
  assert.is(busy?.json?.['error'], 'scan_in_progress');
  assert.is(appliance.scanner.state.sheetsFed - fed, 2);
  const again = await keyed(appliance, 'k3');
  assert.equal(again.json, answers.find(({ status }) => status === 200)?.json);
});

test('a call that fed no paper is not remembered', async ({ appliance }) => {
  appliance.scanner.load([]);
  assert.is((await keyed(appliance, 'k4')).json?.['error'], 'no_documents');
  appliance.scanner.load([PAGE]);
  assert.is((await keyed(appliance, 'k4')).status, 200);
});

test('a failed scan is answered with its failure, and with the result once it was resumed', async ({
  appliance,
}) => {
  appliance.scanner.load([PAGE, PAGE, PAGE]);
  appliance.scanner.setFault({ kind: 'jam', atPage: 3 });
  const jammed = await keyed(appliance, 'k5');
  appliance.scanner.setFault(null);
  const again = await keyed(appliance, 'k5');
  assert.is(again.status, 502);
  assert.is(again.json?.['error'], 'scanner_jammed');
  assert.is(again.json?.['message'], jammed.json?.['message']);
  assert.is(again.json?.['page_count'], 2);
  const id = String(jammed.json?.['scan_id']);
  const resumed = await appliance.post(`/scans/${id}/resume`, {});
  assert.equal((await keyed(appliance, 'k5')).json, resumed.json);
});

test('a scan that was cut off by the end of the service is said to be so', async ({
  appliance,
}) => {
  appliance.scanner.load([PAGE, PAGE]);
  appliance.scanner.setFault({ kind: 'wait', atPage: 2 });
  const scanned = appliance.service.nextLine(/"event":"scan_page".*"page":1,/);
  const lost = keyed(appliance, 'k6').catch(() => undefined);
  await scanned;
  await appliance.service.stop('SIGKILL');
  appliance.scanner.setFault(null);
  await lost;
  await appliance.service.start();
  const answer = await keyed(appliance, 'k6');
  assert.is(answer.status, 409, answer.text);
  assert.is(answer.json?.['error'], 'scan_interrupted');
  assert.match(String(answer.json?.['message']), '/resume');
});

test('a key that no header should carry is refused', async ({ appliance }) => {
  const answer = await keyed(appliance, 'x'.repeat(256));
  assert.is(answer.status, 400);
  assert.is(answer.json?.['error'], 'invalid_parameter');
});

test.run();
