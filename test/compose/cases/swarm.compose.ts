import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { attach } from '../appliance.ts';
import { during } from '../during.ts';
import { killContainer } from '../kill-container.ts';
import { deployToSwarm } from '../swarm.ts';
import { leastShare, processorTimes } from '../used.ts';

const test = suite('deploy/swarm: the processor as a service of a swarm');
const appliance = await attach();
await appliance.ready();

/** As for two processors of Compose: each page goes to the one that has the fewest. */
const LEAST_SHARE = 0.25;
/** There is little on them: where they go is the question here. */
const TWENTY = Array.from({ length: 20 }, () => 'blank-back-dust.jpg');
/** It takes some seconds to read them: time to do something in. */
const TEN = Array.from({ length: 10 }, () => 'letter-bank.jpg');

const swarm = await deployToSwarm(appliance);

test('the appliance works with a processor that is elsewhere', async () => {
  const [id] = await swarm.scale(1);
  await appliance.compose(['rm', '--stop', '--force', 'processor']);
  await swarm.compose(['up', '--detach', '--no-build']);
  await appliance.ready();
  assert.equal(await appliance.containers('processor'), []);
  const before = await processorTimes(appliance, [id ?? '']);
  await appliance.load('scanner', { pages: TWENTY.slice(0, 2) });
  const result = await appliance.scanned({ profile: 'simplex' });
  assert.is(result.page_count, 2);
  assert.is(result.documents[0]?.destinations[0]?.status, 'submitted');
  assert.is(await leastShare(appliance, before), 1);
});

test('a replica is as unprivileged as the processor of Compose', async () => {
  const [id = ''] = await swarm.scale(1);
  const [{ Config, HostConfig }] = JSON.parse(await appliance.docker.run(['inspect', id]));
  assert.is(Config.User, '10001:10001');
  assert.is(HostConfig.ReadonlyRootfs, true);
  assert.equal(HostConfig.CapDrop, ['ALL']);
  assert.is(HostConfig.Init, true);
  assert.is(HostConfig.PidsLimit, 512);
  assert.is(HostConfig.Memory, 3 * 1024 ** 3);
  const mounts = await appliance.docker.run(['exec', id, 'cat', '/proc/mounts']);
  assert.match(mounts, /^tmpfs \/tmp tmpfs rw,nosuid,nodev,noexec/m);
});

test('two replicas share the pages of one scan', async () => {
  const before = await processorTimes(appliance, await swarm.scale(2));
  assert.is(before.size, 2);
  await appliance.load('scanner', { pages: TWENTY });
  assert.is((await appliance.scanned({ profile: 'simplex' })).page_count, TWENTY.length);
  const share = await leastShare(appliance, before);
  assert.ok(share >= LEAST_SHARE, `the less busy one did ${(share * 100).toFixed(0)} %`);
});

test('a scan is none the worse for a replica being killed, and the swarm replaces it', async () => {
  const [killed = ''] = await swarm.scale(2);
  await appliance.load('scanner', { pages: TEN });
  const scan = during(appliance.scanned({ profile: 'simplex' }));
  await killContainer(appliance, killed);
  scan.assertRuns();
  assert.is((await scan.result).documents[0]?.page_count, TEN.length);
  const after = await swarm.scale(2);
  assert.not.ok(after.includes(killed));
});

test('without the swarm, the appliance goes on with a processor of its own', async () => {
  // An engine that leaves a swarm forgets the names of all containers that run.
  await swarm.compose(['down']);
  await swarm.leave();
  await appliance.compose(['up', '--detach', '--no-build']);
  await appliance.ready();
  await appliance.load('scanner', { pages: TWENTY.slice(0, 1) });
  assert.is((await appliance.scanned({ profile: 'simplex' })).page_count, 1);
});

test.run();
