import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { attach } from '../appliance.ts';
import { during } from '../during.ts';
import { killContainer } from '../kill-container.ts';
import { leastShare, processorTimes } from '../used.ts';

const test = suite('docker compose up --scale processor=2');
const appliance = await attach();
await appliance.ready();

/**
 * Of what both processors compute for a scan, the share that the less busy one has at least. Each page goes to the one that
 * has the fewest; what is left to chance is which of two pages takes longer.
 */
const LEAST_SHARE = 0.25;
/** There is little on them: where they go is the question here. */
const TWENTY = Array.from({ length: 20 }, () => 'blank-back-dust.jpg');
/** It takes some seconds to read them: time to do something in. */
const TEN = Array.from({ length: 10 }, () => 'letter-bank.jpg');

const scaleTo = async (count: number): Promise<string> =>
  appliance.compose([
    'up',
    '--detach',
    '--no-build',
    '--no-recreate',
    '--wait',
    '--scale',
    `processor=${count}`,
    'processor',
  ]);

await scaleTo(2);
const processors = await appliance.containers('processor');

test('spreads the pages of one scan over both', async () => {
  assert.is(processors.length, 2);
  const before = await processorTimes(appliance, processors);
  await appliance.load('scanner', { pages: TWENTY });
  const result = await appliance.scanned({ profile: 'simplex' });
  assert.is(result.page_count, TWENTY.length);
  const share = await leastShare(appliance, before);
  assert.ok(share >= LEAST_SHARE, `the less busy one did ${(share * 100).toFixed(0)} %`);
});

test('a scan is none the worse for one of them being killed', async () => {
  await appliance.load('scanner', { pages: TEN });
  const scan = during(appliance.scanned({ profile: 'simplex' }));
  await killContainer(appliance, processors[0] ?? '');
  scan.assertRuns();
  const { documents } = await scan.result;
  assert.is(documents[0]?.page_count, TEN.length);
  assert.is(documents[0]?.destinations[0]?.status, 'submitted');
});

test('one of them can be taken away again', async () => {
  await scaleTo(1);
  assert.is((await appliance.containers('processor')).length, 1);
  await appliance.load('scanner', { pages: TWENTY.slice(0, 1) });
  assert.is((await appliance.scanned({ profile: 'simplex' })).page_count, 1);
});

test.run();
