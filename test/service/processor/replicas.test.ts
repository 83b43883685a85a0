import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { createReplicas, type Claim } from '../../../service/processor/replicas.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('the replicas of the processor');

const THREE = ['10.0.0.1', '10.0.0.2', '10.0.0.3'];

const resolveTo = (addresses: readonly string[]) => (): Promise<LookupAddress[]> =>
  Promise.resolve(addresses.map((address) => ({ address, family: isIP(address) })));

/** The address that a request with this claim goes to, or the code of the look-up's error. */
function addressOf(claim: Claim): Promise<unknown> {
  return new Promise((resolve) => {
    claim.lookup('processor', {}, (error, address) => resolve(error?.code ?? address));
  });
}

test('are as many as the name has addresses', async () => {
  assert.is(await createReplicas('processor', resolveTo(THREE)).count(), 3);
  assert.is(await createReplicas('processor', resolveTo(['10.0.0.1', '10.0.0.1'])).count(), 1);
});

test('each get as many requests as the others', async () => {
  const replicas = createReplicas('processor', resolveTo(THREE));
  const used: unknown[] = [];
  for (let request = 0; request < 6; request += 1) used.push(await addressOf(replicas.claim()));
  for (const address of THREE) assert.is(used.filter((one) => one === address).length, 2);
});

test('the one whose request has ended gets the next', async () => {
  const replicas = createReplicas('processor', resolveTo(THREE));
  const claims = THREE.map(() => replicas.claim());
  const used = await Promise.all(claims.map(addressOf));
  claims[1]?.release(false);
  assert.is(await addressOf(replicas.claim()), used[1]);
});

test('the one that lost a request is the last choice', async () => {
  const replicas = createReplicas('processor', resolveTo(THREE));
  const claim = replicas.claim();
  const dead = await addressOf(claim);
  claim.release(true);
  for (let request = 0; request < 6; request += 1) {
    assert.is.not(await addressOf(replicas.claim()), dead);
  }
});

test('a machine with an address of each family is one, by IPv4 first and by IPv6 when that fails', async () => {
  const replicas = createReplicas('processor', resolveTo(['::1', '127.0.0.1']));
  assert.is(await replicas.count(), 1);
  const claim = replicas.claim();
  assert.is(await addressOf(claim), '127.0.0.1');
  claim.release(true);
  assert.is(await addressOf(replicas.claim()), '::1');
});

test('a look-up that fails, or finds nothing, is the error of the request', async () => {
  const failure = Object.assign(new Error('x'), { code: 'EAI_AGAIN' });
  const failing = createReplicas('processor', () => Promise.reject(failure));
  assert.is(await addressOf(failing.claim()), 'EAI_AGAIN');
  assert.is(await addressOf(createReplicas('processor', resolveTo([])).claim()), 'ENOTFOUND');
});
