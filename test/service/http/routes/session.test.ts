import type { CallerToken, RequiredToken } from '../../../../service/http/caller-token.ts';
import type { TestAnswer } from '../../../support/send-to.ts';
import { startTestApp } from '../../../support/test-app.ts';
import { assert, withFixture } from '../../../support/suite.ts';

const test = withFixture('POST /session', async () => {
  let required: RequiredToken = { state: 'readable', token: 'the token' };
  const callerToken: CallerToken = { required: () => required, close: () => {} };
  const app = await startTestApp({ callerToken });
  const ask = (token: string, headers: Record<string, string> = {}): Promise<TestAnswer> =>
    app.send({
      method: 'POST',
      path: '/session',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ token }),
    });
  return {
    app,
    ask,
    require: (now: RequiredToken): void => void (required = now),
    /** What a browser sends after the answer. */
    cookieOf: ({ headers }: TestAnswer): string =>
      (headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0]).join('; '),
    guarded: async (Cookie: string): Promise<number> =>
      (await app.send({ path: '/profiles', headers: { Cookie } })).status,
    close: () => app.close(),
  };
});

test('the token is exchanged for an API cookie', async ({ ask, cookieOf, guarded }) => {
  const answer = await ask('the token');
  assert.is(answer.status, 204);
  const [cookie = '', ...others] = answer.headers['set-cookie'] ?? [];
  assert.equal(others, []);
  assert.match(
    cookie,
    /^scan_session=[\w-]{43}; path=\/; expires=[^;]+; samesite=strict; httponly$/,
  );
  assert.is(await guarded(cookieOf(answer)), 200);
  assert.is(await guarded(`a=b; ${cookieOf(answer)}; c=d`), 200);
});

test('another cookie opens nothing', async ({ ask, cookieOf, guarded }) => {
  const cookie = cookieOf(await ask('the token'));
  for (const wrong of [
    '',
    'scan_session=',
    'scan_session=the token',
    `${cookie}x`,
    cookie.slice(0, -1),
    cookie.replace('scan_session', 'Scan_Session'),
    cookie.toUpperCase(),
    `scan_session=x; ${cookie}`,
    cookie.replace('=', '=%'),
    cookie.replace('=', '.sig='),
    'scan_session=%00%ff',
    '__proto__=x; constructor=x; ;;=;',
    `scan_session=${'x'.repeat(7000)}`,
    Array.from({ length: 100 }, (_, index) => `scan_session=${index}`).join('; '),
  ]) {
    assert.is(await guarded(wrong), 401, wrong);
  }
});

test('another token is refused', async ({ ask }) => {
  for (const wrong of ['the token ', 'The token', 'x'.repeat(4096)]) {
    const { status, headers, text } = await ask(wrong);
    assert.is(status, 401);
    assert.is(headers['set-cookie'], undefined);
    assert.not.match(text, /the token "|xxx/);
  }
});

test('after ten wrong tokens none is looked at', async ({ app, ask, cookieOf, guarded }) => {
  const cookie = cookieOf(await ask('the token'));
  const guesses = Array.from({ length: 40 }, (_, number) => ask(`guess ${number}`));
  const statuses = (await Promise.all(guesses)).map(({ status }) => status);
  assert.is(statuses.filter((status) => status === 401).length, 10);
  const late = await ask('the token');
  assert.is(late.status, 503);
  assert.match(late.text, /"too_many_requests".*Wait a minute/);
  assert.is(await guarded(cookie), 200);
  const headers = { Authorization: 'Bearer the token' };
  assert.is((await app.send({ path: '/profiles', headers })).status, 200);
});

test('a page that came by TLS gets a cookie that goes by TLS only', async ({ ask }) => {
  const headers = { Host: 'scanner.local', Origin: 'https://scanner.local' };
  const [cookie = ''] = (await ask('the token', headers)).headers['set-cookie'] ?? [];
  assert.match(cookie, /; secure/);
});

test('the cookie ends when the token changes', async ({ ask, cookieOf, guarded, require }) => {
  const cookie = cookieOf(await ask('the token'));
  require({ state: 'unreadable', reason: 'it is empty' });
  assert.is(await guarded(cookie), 401);
  assert.is((await ask('the token')).status, 401);
  require({ state: 'readable', token: 'another token' });
  assert.is(await guarded(cookie), 401);
});

test('another site gets no cookie and uses none', async ({ ask, app, cookieOf }) => {
  const cookie = cookieOf(await ask('the token'));
  for (const foreign of [
    { Origin: 'http://evil.com', Host: 'scanner' },
    { 'Sec-Fetch-Site': 'cross-site', Host: 'scanner' },
    // The same machine, another port: a browser sends the cookie there too.
    { Origin: 'http://scanner:8000', 'Sec-Fetch-Site': 'same-site', Host: 'scanner:8080' },
  ]) {
    assert.is((await ask('the token', foreign)).status, 403);
    const headers = { 'Content-Type': 'application/json', Cookie: cookie, ...foreign };
    const post = { method: 'POST', path: '/scan', headers, body: '{}' };
    assert.is((await app.send(post)).status, 403);
    assert.is((await app.send({ path: '/scans', headers })).status, 403);
  }
});
