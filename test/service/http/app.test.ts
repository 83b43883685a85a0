import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestApp, testProfile } from '../../support/test-app.ts';

const test = suite('the HTTP interface');

test('a path that is not there is answered 404 in the one envelope', async () => {
  const app = await startTestApp();
  for (const path of ['/page', '/scans/', '/SCAN', '/profiles/', '/health/']) {
    const answer = await app.send({ path });
    assert.is(answer.status, 404, path);
    assert.is(answer.json?.['error'], 'not_found');
    assert.type(answer.json?.['message'], 'string');
  }
  await app.close();
});

test('every request is one line of the log, health checks at level debug', async () => {
  const app = await startTestApp();
  await app.send({ path: '/profiles?x=secret' });
  await app.send({ path: '/health' });
  await app.send({ method: 'POST', path: `/${'x'.repeat(300)}` });
  const lines = app.logged.lines().filter(({ event }) => event === 'request');
  assert.equal(
    lines.map(({ level, method, path, status }) => [level, method, path, status]),
    [
      ['info', 'GET', '/profiles', 200],
      ['debug', 'GET', '/health', 200],
      ['info', 'POST', `/${'x'.repeat(199)}`, 404],
    ],
  );
  for (const { ms, client } of lines) {
    assert.type(ms, 'number');
    assert.is(client, '127.0.0.1');
  }
  await app.close();
});

test('a bug is answered 500 without a word of it, and logged', async () => {
  const app = await startTestApp({
    profiles: [testProfile({ name: 'default' })],
    scan: () => Promise.reject(new TypeError('x is not a function')),
  });
  const headers = { 'Content-Type': 'application/json' };
  const answer = await app.send({ method: 'POST', path: '/scan', headers, body: '{}' });
  assert.is(answer.status, 500);
  assert.equal(answer.json, {
    error: 'internal_error',
    message: 'Internal error. See the service log.',
  });
  const [line] = app.logged.lines().filter(({ event }) => event === 'internal_error');
  assert.match(JSON.stringify(line), /x is not a function/);
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
