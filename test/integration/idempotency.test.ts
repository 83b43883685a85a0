import { suite } from 'uvu';
import * as assert from 'uvu/assert';
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
