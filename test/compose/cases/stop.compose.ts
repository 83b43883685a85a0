import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { attach } from '../appliance.ts';

const test = suite('docker compose stop');
const appliance = await attach();
await appliance.ready();

const STACK = ['letter-insurance.jpg', 'letter-bank.jpg', 'invoice.jpg', 'minutes.jpg'];

test('a scan that runs is finished and answered before anything stops', async () => {
  const stack = await appliance.load('slowScanner', { pages: STACK });
  const scan = appliance.scanned({ profile: 'slow' });
  await stack.sent(1);
  const id = await appliance.container('service');
  const stopped = appliance.compose(['stop']);
  const result = await scan;
  assert.is(result.page_count, STACK.length);
  assert.is(result.documents[0]?.destinations[0]?.status, 'submitted');
  await stopped;
  const state = await appliance.docker.run(['inspect', '-f', '{{.State.ExitCode}}', id]);
  assert.is(state.trim(), '0');
});

test('what was stopped is ready again after docker compose up', async () => {
  await appliance.compose(['up', '--detach', '--no-build']);
  await appliance.ready();
  await appliance.load('scanner', { pages: STACK.slice(0, 1) });
  assert.is((await appliance.scanned({ profile: 'simplex' })).page_count, 1);
});

test.run();
