import path from 'node:path';
import { createWrongTokens } from '../../../../service/http/wrong-tokens.ts';
import { createOperator } from '../../../../service/operator/operator.ts';
import { createOwnFiles } from '../../../../service/settings/own-files.ts';
import { fakeSteps } from '../../../support/fake-steps.ts';
import type { TestAnswer, TestRequest } from '../../../support/send-to.ts';
import { assert, withFixture } from '../../../support/suite.ts';
import { startTestApp } from '../../../support/test-app.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const PASSWORD = 'a house by the sea';
const CALLER_TOKEN = 'the token of the house';

const test = withFixture('set-up calls', async (directory) => {
  let isNew = true;
  const asked: string[] = [];
  const files = createOwnFiles(path.join(directory, 'settings'));
  const operator = createOperator({ files, brake: createWrongTokens(undefined, 'passwords') });
  const app = await startTestApp({
    token: CALLER_TOKEN,
    operator: {
      operator,
      isNew: async () => isNew,
      isFinished: () => false,
      steps: fakeSteps({
        setDestination: async (address, { kind }) => {
          asked.push(`${kind} ${address}`);
          return { address, stored: kind !== 'none' };
        },
      }),
    },
  });
  return {
    app,
    asked,
    use: () => void (isNew = false),
    post: (url: string, body: unknown, more: Partial<TestRequest> = {}) =>
      app.send({
        method: 'POST',
        path: `/set-up/${url}`,
        headers: JSON_TYPE,
        body: JSON.stringify(body),
        ...more,
      }),
    state: async (headers: Record<string, string> = {}) =>
      (await app.send({ path: '/set-up', headers })).json,
    close: () => app.close(),
  };
});

const cookieOf = ({ headers }: TestAnswer): string => headers['set-cookie']?.[0] ?? '';
const valueOf = (answer: TestAnswer): string => cookieOf(answer).split(';')[0] ?? '';

test('lead from a new appliance to a session, and need no caller token', async (given) => {
  const { app, post, state } = given;
  assert.equal(await state(), { state: 'new', logged_in: false, finished: false });
  const claimed = await post('claim', { password: PASSWORD });
  assert.is(claimed.status, 204);
  const cookie = cookieOf(claimed);
  assert.match(cookie, /^scan_operator=\d+\.[\w-]+; expires=[^;]+; samesite=strict; httponly$/);
  assert.equal(await state({ Cookie: valueOf(claimed) }), {
    state: 'set',
    logged_in: true,
    finished: false,
  });
  assert.equal(await state(), { state: 'set', logged_in: false, finished: false });
  const headers = { Cookie: valueOf(claimed) };
  const out = await app.send({ method: 'DELETE', path: '/set-up/session', headers });
  assert.match(cookieOf(out), /^scan_operator=; expires=Thu, 01 Jan 1970/);
  assert.equal(await state(headers), { state: 'set', logged_in: false, finished: false });
  const replayed = await app.send({ path: '/set-up/answers', headers });
  assert.is(replayed.status, 401);
  const again = await post('session', { password: PASSWORD });
  assert.equal(await state({ Cookie: valueOf(again) }), {
    state: 'set',
    logged_in: true,
    finished: false,
  });
});

test('tell a browser whose session ended that the password was changed', async ({
  app,
  post,
  state,
}) => {
  const claimed = await post('claim', { password: PASSWORD });
  const other = await post('session', { password: PASSWORD });
  const body = JSON.stringify({ password: PASSWORD, new_password: 'a house by the lake' });
  const request = { method: 'PUT', path: '/set-up/password', headers: JSON_TYPE, body };
  assert.is((await app.send(request)).status, 204);
  const ended = { state: 'set', logged_in: false, password_changed: true, finished: false };
  for (const one of [claimed, other]) assert.equal(await state({ Cookie: valueOf(one) }), ended);
  assert.equal(await state(), { state: 'set', logged_in: false, finished: false });
});

test('from a page loaded by TLS get a cookie for TLS only', async ({ post }) => {
  const headers = { ...JSON_TYPE, Host: '127.0.0.1', Origin: 'https://127.0.0.1' };
  assert.match(cookieOf(await post('claim', { password: PASSWORD }, { headers })), /; secure/);
});

test('are not authorized by the caller token, and authorize no other call', async ({
  app,
  post,
  state,
}) => {
  const claimed = await post('claim', { password: PASSWORD });
  const bearer = { Authorization: `Bearer ${CALLER_TOKEN}` };
  assert.equal(await state(bearer), { state: 'set', logged_in: false, finished: false });
  const session = await app.send({
    method: 'POST',
    path: '/session',
    headers: JSON_TYPE,
    body: JSON.stringify({ token: CALLER_TOKEN }),
  });
  assert.equal(await state({ Cookie: valueOf(session) }), {
    state: 'set',
    logged_in: false,
    finished: false,
  });
  const scans = await app.send({ path: '/profiles', headers: { Cookie: valueOf(claimed) } });
  assert.is(scans.status, 401);
  const renamed = valueOf(claimed).replace('scan_operator', 'scan_session');
  assert.is((await app.send({ path: '/profiles', headers: { Cookie: renamed } })).status, 401);
});

/** Requests of a browser that was lured into attacking the appliance, and the status of each. */
const FOREIGN: Readonly<Record<string, readonly [Record<string, string>, number]>> = {
  'another origin': [{ ...JSON_TYPE, Origin: 'http://evil.example' }, 403],
  'the origin of a sandbox': [{ ...JSON_TYPE, Origin: 'null' }, 403],
  'another port of the appliance': [
    { ...JSON_TYPE, Host: '127.0.0.1:8080', Origin: 'http://127.0.0.1:8000' },
    403,
  ],
  'another site': [{ ...JSON_TYPE, 'Sec-Fetch-Site': 'cross-site' }, 403],
  'a name that was rebound': [{ ...JSON_TYPE, Host: 'evil.example' }, 421],
  'a form': [{ 'Content-Type': 'application/x-www-form-urlencoded' }, 415],
  'a form of plain text': [{ 'Content-Type': 'text/plain' }, 415],
};

for (const [what, [headers, status]] of Object.entries(FOREIGN)) {
  test(`from ${what} are refused`, async ({ app, post, state }) => {
    assert.is((await post('claim', { password: PASSWORD }, { headers })).status, status);
    assert.equal(await state(), { state: 'new', logged_in: false, finished: false });
    await post('claim', { password: PASSWORD });
    const body = { password: PASSWORD, new_password: 'mine from now on' };
    assert.is((await post('session', { password: PASSWORD }, { headers })).status, status);
    assert.is((await post('password', body, { method: 'PUT', headers })).status, status);
    if (status !== 415) {
      const out = await app.send({ method: 'DELETE', path: '/set-up/session', headers });
      assert.is(out.status, status);
    }
    assert.is((await post('session', { password: PASSWORD })).status, 204);
  });
}

test('for a second claim, a replay or a claim of a used appliance are refused', async ({
  post,
  state,
  use,
}) => {
  use();
  const closed = await post('claim', { password: PASSWORD });
  assert.is(closed.status, 409);
  assert.is(closed.json?.['error'], 'set_up_closed');
  assert.equal(await state(), { state: 'closed', logged_in: false, finished: false });
  assert.is((await post('session', { password: PASSWORD })).status, 401);
});

test('claim the appliance once, even if five arrive at once', async ({ post }) => {
  const sent = Array.from({ length: 5 }, (_, one) =>
    post('claim', { password: `password of ${one}` }),
  );
  const statuses = (await Promise.all(sent)).map(({ status }) => status);
  assert.equal(
    statuses.toSorted((a, b) => a - b),
    [204, 409, 409, 409, 409],
  );
  const again = await post('claim', { password: 'password of 0' });
  assert.is(again.status, 409);
});

test('claim the appliance once, even if twenty arrive at once from twenty addresses', async ({
  post,
}) => {
  const sent = Array.from({ length: 20 }, (_, one) =>
    post('claim', { password: `password of ${one}` }, { from: `127.0.0.${one + 2}` }),
  );
  const answers = await Promise.all(sent);
  const won = answers.filter(({ status }) => status === 204);
  assert.is(won.length, 1);
  for (const { status, headers } of answers.filter((answer) => answer !== won[0])) {
    assert.ok([409, 503].includes(status), String(status));
    assert.is(headers['set-cookie'], undefined);
  }
});

test('accept passwords of 8 to 200 characters, which no answer or log line repeats', async ({
  app,
  post,
}) => {
  for (const password of ['', '1234567', ' '.repeat(20), 'x'.repeat(201), 5, null, ['12345678']]) {
    const answer = await post('claim', { password });
    assert.is(answer.status, 400, String(password));
    assert.not.match(answer.text, /1234567|xxxx/);
  }
  assert.is((await post('claim', { password: PASSWORD, more: 1 })).status, 400);
  assert.is((await post('claim', { password: PASSWORD })).status, 204);
  const wrong = await post('session', { password: 'wrong and secret' });
  assert.is(wrong.status, 401);
  const body = { password: PASSWORD, new_password: 'new and secret' };
  const changed = await post('password', body, { method: 'PUT' });
  assert.is(changed.status, 204);
  assert.not.match(wrong.text, 'wrong and secret');
  const log = app.logged.text();
  for (const secret of [PASSWORD, 'wrong and secret', 'new and secret', valueOf(changed)])
    assert.not.match(log, secret);
});

test('that guess a hundred times cause only ten comparisons, whatever address they claim to have', async ({
  post,
}) => {
  await post('claim', { password: PASSWORD });
  const statuses: number[] = [];
  for (let one = 0; one < 100; one += 1) {
    const address = `10.0.0.${one}`;
    const headers = {
      ...JSON_TYPE,
      'X-Forwarded-For': address,
      'X-Real-IP': address,
      Forwarded: `for=${address}`,
    };
    const { status } = await post('session', { password: `guess ${one}` }, { headers });
    statuses.push(status);
  }
  assert.is(statuses.filter((status) => status === 401).length, 10);
  assert.is(statuses.filter((status) => status === 503).length, 90);
  assert.is((await post('session', { password: PASSWORD })).status, 503);
  const other = await post('session', { password: PASSWORD }, { from: '127.0.0.2' });
  assert.is(other.status, 204);
});

test('let the owner log in while others guess a hundred times from five addresses', async ({
  post,
}) => {
  await post('claim', { password: PASSWORD });
  const over = new AbortController();
  const guessing = Array.from({ length: 5 }, async (_, one) => {
    for (let guess = 0; guess < 20 && !over.signal.aborted; guess += 1) {
      await post('session', { password: `guess ${guess}` }, { from: `127.0.1.${one + 1}` });
    }
  });
  const owner = await post('session', { password: PASSWORD }, { from: '127.0.0.2' });
  over.abort();
  assert.is(owner.status, 204);
  await Promise.all(guessing);
});

test('for steps need a session; the caller token or another cookie is not enough', async ({
  post,
  asked,
}) => {
  const step = { address: 'http://192.168.1.10:8000', token: 'abc' };
  assert.is((await post('paperless', step)).status, 401);
  const session = valueOf(await post('claim', { password: PASSWORD }));
  const others: Record<string, string>[] = [
    {},
    { Authorization: `Bearer ${CALLER_TOKEN}` },
    { Cookie: session.slice(0, -1) },
    { Cookie: session.replace('scan_operator', 'scan_session') },
  ];
  for (const headers of others) {
    const answer = await post('paperless', step, { headers: { ...JSON_TYPE, ...headers } });
    assert.is(answer.status, 401, JSON.stringify(headers));
  }
  assert.equal(asked, []);
  const headers = { ...JSON_TYPE, Cookie: session };
  const foreign = { ...headers, Origin: 'http://evil.example' };
  assert.is((await post('paperless', step, { headers: foreign })).status, 403);
  const answer = await post('paperless', step, { headers });
  assert.equal(answer.json, { address: step.address, stored: true });
  for (const body of [
    {},
    { ...step, user: 'a', password: 'b' },
    { address: 'a', user: 'a' },
    { address: 'a', password: 'b' },
    { address: 5 },
    { address: 'a', more: 1 },
    { address: 'x'.repeat(501) },
  ]) {
    assert.is((await post('paperless', body, { headers })).status, 400, JSON.stringify(body));
  }
  assert.equal(asked, ['token http://192.168.1.10:8000']);
});

test('do not exist unless they are switched on, which GET /set-up tells', async () => {
  const app = await startTestApp();
  try {
    const { status, json } = await app.send({ path: '/set-up' });
    assert.equal([status, json], [200, { state: 'off', logged_in: false, finished: true }]);
    for (const [method, url] of [
      ['GET', '/set-up/answers'],
      ['POST', '/set-up/claim'],
      ['POST', '/set-up/session'],
      ['DELETE', '/set-up/session'],
      ['PUT', '/set-up/password'],
    ] as const) {
      const body = JSON.stringify({ password: PASSWORD, new_password: PASSWORD });
      const sent = url === '/set-up/password' ? body : JSON.stringify({ password: PASSWORD });
      const request = method === 'POST' || method === 'PUT' ? { body: sent } : {};
      const answer = await app.send({ method, path: url, headers: JSON_TYPE, ...request });
      assert.is(answer.status, 404, `${method} ${url}`);
    }
  } finally {
    await app.close();
  }
});
