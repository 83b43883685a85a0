import { attach } from '../appliance.ts';
import { deployToSwarm } from '../swarm.ts';
import { assertShared, assertSurvivesKill, scanPages } from '../two-processors.ts';
import { leastShare, processorTimes } from '../used.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('deploy/swarm: the processor as a service of a swarm');
const appliance = await attach();

const swarm = await deployToSwarm(appliance);

test('the appliance works with a remote processor', async () => {
  const [id] = await swarm.scale(1);
  await appliance.compose(['rm', '--stop', '--force', 'processor']);
  await swarm.compose(['up', '--detach', '--no-build']);
  await appliance.ready();
  assert.equal(await appliance.containers('processor'), []);
  const before = await processorTimes(appliance, [id ?? '']);
  await scanPages(appliance, 2);
  assert.is(await leastShare(appliance, before), 1);
});

test('a replica has as few privileges as the processor in Compose', async () => {
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
  await assertShared(appliance, await swarm.scale(2));
});

test('a scan survives the death of a replica, which the swarm replaces', async () => {
  const [killed = ''] = await swarm.scale(2);
  await assertSurvivesKill(appliance, killed);
  assert.not.ok((await swarm.scale(2)).includes(killed));
});

test('without the swarm, the appliance continues with its own processor', async () => {
  // An engine that leaves a swarm no longer resolves the names of running containers.
  await swarm.compose(['down']);
  await swarm.leave();
  await appliance.compose(['up', '--detach', '--no-build']);
  await appliance.ready();
  await scanPages(appliance, 1);
});
