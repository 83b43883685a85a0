import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestApp, testProfile } from '../../support/test-app.ts';

const test = suite('the HTTP interface');

test('a path that is not there is answered 404 in the one envelope', async () => {
  const app = await startTestApp();
  for (const path of ['/', '/scans/', '/SCAN', '/profiles/', '/health/']) {
    const answer = await app.send({ path });
    assert.is(answer.status, 404, path);
    assert.is(answer.json?.['error'], 'not_found');
    assert.type(answer.json?.['message'], 'string');
  }
  await app.close();
});

test('a method that is not there is answered 405 and names those that are', async () => {
  const app = await startTestApp();
  const cases: [string, string, string][] = [
    ['GET', '/scan', 'POST'],
    ['DELETE', '/profiles/x', 'HEAD, GET'],
    ['POST', '/health', 'HEAD, GET'],
    ['POST', '/jobs', 'HEAD, GET'],
  ];
  for (const [method, path, allowed] of cases) {
    const answer = await app.send({ method, path });
    assert.is(answer.status, 405, `${method} ${path}`);
    assert.is(answer.json?.['error'], 'method_not_allowed');
    assert.is(answer.headers.allow, allowed);
  }
  await app.close();
});

test('HEAD is answered like GET, without a body', async () => {
  const app = await startTestApp();
  const answer = await app.send({ method: 'HEAD', path: '/health' });
  assert.is(answer.status, 200);
  assert.is(answer.text, '');
  await app.close();
});

test('where a caller token is set, profiles and scans need it and the rest does not', async () => {
  const app = await startTestApp({ token: 'caller-token', profiles: [testProfile({ name: 'a' })] });
  for (const authorization of [
    '',
    'Bearer wrong',
    'caller-token',
    'Bearer caller-token2',
    'Basic x',
  ]) {
    for (const path of ['/profiles', '/profiles/a', '/profiles/none']) {
      const headers: Record<string, string> =
        authorization === '' ? {} : { Authorization: authorization };
      const answer = await app.send({ path, headers });
      assert.is(answer.status, 401, `${path} with "${authorization}"`);
      assert.is(answer.json?.['error'], 'unauthorized');
      assert.is(answer.headers['www-authenticate'], 'Bearer');
      assert.not.match(answer.text, /caller-token/);
    }
  }
  assert.is((await app.send({ method: 'POST', path: '/scan' })).status, 401);
  const headers = { Authorization: 'Bearer caller-token' };
  assert.is((await app.send({ path: '/profiles', headers })).status, 200);
  for (const path of ['/health', '/ready', '/version', '/openapi.json', '/docs']) {
    assert.is((await app.send({ path })).status, 200, path);
  }
  await app.close();
});

test('every answer forbids sniffing, framing and caching', async () => {
  const app = await startTestApp();
  for (const path of ['/health', '/nothing', '/jobs']) {
    const { headers } = await app.send({ path });
    assert.is(headers['x-content-type-options'], 'nosniff');
    assert.is(headers['cache-control'], 'no-store');
    assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/);
  }
  await app.close();
});

test.run();
