import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import Koa from 'koa';
import { jsonBody } from '../../../service/http/json-body.ts';
import { assert, rejection, suite } from '../../support/suite.ts';
import { startTestApp, type TestApp, type TestAppOptions } from '../../support/test-app.ts';
import { testProfile } from '../../support/test-profile.ts';

const test = suite('the HTTP interface');

const PROFILES = [testProfile({ name: 'default' })];
const JSON_TYPE = { 'Content-Type': 'application/json' };

async function withApp(
  options: TestAppOptions,
  run: (app: TestApp) => Promise<void>,
): Promise<void> {
  const app = await startTestApp(options);
  try {
    await run(app);
  } finally {
    await app.close();
  }
}

test('a path that is not there is answered 404 in the one envelope, and no answer is sniffed, framed or cached', () =>
  withApp({}, async (app) => {
    for (const path of ['/page', '/scans/', '/SCAN', '/profiles/', '/health/', '/health']) {
      const { status, json, headers } = await app.send({ path });
      assert.is(status, path === '/health' ? 200 : 404, path);
      if (status === 404) assert.is(json?.['error'], 'not_found');
      assert.is(headers['x-content-type-options'], 'nosniff');
      assert.is(headers['cache-control'], 'no-store');
      assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/);
    }
  }));

test('every request is one line of the log, health checks at level debug', () =>
  withApp({}, async (app) => {
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
    for (const { ms, client } of lines) assert.equal([typeof ms, client], ['number', '127.0.0.1']);
  }));

test('a bug is answered 500 without a word of it, and logged', () => {
  const scan = (): Promise<never> => Promise.reject(new TypeError('x is not a function'));
  return withApp({ profiles: PROFILES, scan }, async (app) => {
    const request = { method: 'POST', path: '/scan', headers: JSON_TYPE, body: '{}' };
    const { status, json } = await app.send(request);
    assert.is(status, 500);
    const message = 'Internal error. See the service log.';
    assert.equal(json, { error: 'internal_error', message });
    const [line] = app.logged.lines().filter(({ event }) => event === 'internal_error');
    assert.match(JSON.stringify(line), /x is not a function/);
  });
});

test('a method that is not there is answered 405 and names those that are', () =>
  withApp({}, async (app) => {
    for (const [method, path, allowed] of [
      ['GET', '/scan', 'POST'],
      ['DELETE', '/profiles/x', 'HEAD, GET'],
      ['POST', '/health', 'HEAD, GET'],
      ['POST', '/jobs', 'HEAD, GET'],
    ] as const) {
      const { status, json, headers } = await app.send({ method, path });
      assert.is(status, 405, `${method} ${path}`);
      assert.is(json?.['error'], 'method_not_allowed');
      assert.is(headers.allow, allowed);
    }
  }));

test('a wrong caller token is answered 401 without the right one', () =>
  withApp({ token: 'caller-token', profiles: PROFILES }, async (app) => {
    const wrong = ['', 'Bearer wrong', 'caller-token', 'Bearer caller-token2', 'Basic x'];
    for (const Authorization of wrong) {
      for (const path of ['/profiles/default', '/profiles/none']) {
        const { status, text, headers } = await app.send({ path, headers: { Authorization } });
        assert.is(status, 401, `${path} with "${Authorization}"`);
        assert.is(headers['www-authenticate'], 'Bearer');
        assert.not.match(text, /caller-token/);
      }
    }
    const headers = { Authorization: 'Bearer caller-token' };
    assert.is((await app.send({ path: '/profiles/default', headers })).status, 200);
  }));

test('ready gives a hung runtime its time and no more', () => {
  const health = (signal: AbortSignal): Promise<void> =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  return withApp({ profiles: PROFILES, health, runtimeCheck: { checkMs: 50 } }, async (app) => {
    const { status, json } = await app.send({ path: '/ready' });
    assert.is(status, 503);
    assert.is(json?.['reason'], 'scanner_runtime_unreachable');
    assert.is((await app.send({ path: '/health' })).status, 200);
  });
});

test('callers who ask at the same time, or right after, share one question to the runtime', () => {
  let asked = 0;
  const { promise: go, resolve: answer } = Promise.withResolvers<void>();
  const health = (): Promise<void> => ((asked += 1), go);
  return withApp({ profiles: PROFILES, health, runtimeCheck: { reuseMs: 60_000 } }, async (app) => {
    const callers = Array.from({ length: 60 }, () => app.send({ path: '/ready' }));
    await app.send({ path: '/health' });
    answer();
    for (const { status } of await Promise.all(callers)) assert.is(status, 200);
    assert.is((await app.send({ path: '/ready' })).status, 200);
    assert.is(asked, 1);
  });
});

test('a body that the service could not read is not the fault of the caller', async () => {
  const body = new IncomingMessage(new Socket());
  // Koa takes a body for one that is there by its length.
  const headers = { 'content-type': 'application/json', 'content-length': '2' };
  Object.assign(body, { method: 'POST', headers });
  const ctx = new Koa().createContext(body, new ServerResponse(body));
  const reading = rejection(Promise.resolve(jsonBody()(ctx, () => Promise.resolve())));
  const cause = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
  body.emit('error', cause);
  assert.is(await reading, cause);
});
