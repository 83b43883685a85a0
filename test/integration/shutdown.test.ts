import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startAppliance, type Appliance } from '../support/appliance/appliance.ts';
import { shippedPage } from '../support/pages.ts';
import { programsLeft } from '../support/processes.ts';

const test = suite<{ appliance: Appliance }>('stopping');

test.before.each(async (context) => {
  context.appliance = await startAppliance({
    profiles: [{ name: 'default', source: 'ADF', resolution: 100 }],
    scanner: { pagesPerMinute: 120 },
  });
});

test.after.each(({ appliance }) => appliance.close());

const PAGE = shippedPage('blank-back-plain').file;

test('the service finishes the scan in flight, takes no new one, and exits with 0', async ({
  appliance,
}) => {
  appliance.scanner.load([PAGE, PAGE, PAGE]);
  const fed = once(appliance.scanner.events, 'sheet');
  const scan = appliance.scan({});
  await fed;
  const stopping = appliance.service.nextLine(/"msg":"stopping/);
  const exit = appliance.service.stop('SIGTERM');
  await stopping;
  const refused = await appliance.scan({});
  assert.is(refused.status, 503);
  assert.is(refused.json?.['error'], 'shutting_down');
  assert.is((await appliance.get('/health')).status, 200);

  const answer = await scan;
  assert.is(answer.status, 200, answer.text);
  assert.is(answer.json?.['page_count'], 3);
  assert.is(await exit, 0);
});

test('the runtime finishes the scan in flight, and exits with 0', async ({ appliance }) => {
  appliance.scanner.load([PAGE, PAGE, PAGE, PAGE]);
  const scanned = appliance.service.nextLine(/"msg":"page scanned"/);
  const scan = appliance.scan({});
  await scanned;
  assert.is(await appliance.runtime.stop('SIGTERM'), 0);
  const answer = await scan;
  assert.is(answer.status, 200, answer.text);
  assert.is(answer.json?.['page_count'], 4);
  assert.equal(await programsLeft(), []);
  await appliance.runtime.start();
});

test('every part exits with 0 and leaves no program behind', async ({ appliance }) => {
  assert.is(await appliance.service.stop(), 0);
  assert.is(await appliance.runtime.stop(), 0);
  assert.is(await appliance.processor.stop(), 0);
  assert.equal(await programsLeft(), []);
});

test.run();
