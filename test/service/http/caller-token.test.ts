import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  watchCallerToken,
  type CallerToken,
  type RequiredToken,
} from '../../../service/http/caller-token.ts';
import {
  createSecretReader,
  SecretError,
  type SecretReader,
} from '../../../service/paperless/secrets.ts';
import { UnreadableFile } from '../../../helpers/plain-file.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { makePipe } from '../../support/make-pipe.ts';
import type { TestAnswer } from '../../support/send-to.ts';
import { startTestApp } from '../../support/test-app.ts';
import { assert, EVENT_MS, until, withFixture, within } from '../../support/suite.ts';

interface Watched {
  readonly token: CallerToken;
  readonly looks: (count: number) => Promise<void>;
}

interface WatchOptions {
  readonly read?: SecretReader;
  readonly firstMs?: number;
}

const test = withFixture('the caller token', async (directory) => {
  const logged = capturedLog();
  const watched: CallerToken[] = [];
  return {
    directory,
    file: path.join(directory, 'scan_api_token'),
    logged,
    watch: async ({ read, firstMs = EVENT_MS }: WatchOptions = {}): Promise<Watched> => {
      let seen = 0;
      let onLook = (): void => {};
      const readOnDisk = createSecretReader({ directory, environment: {} });
      const token = await watchCallerToken({
        readSecret: async (name) => {
          seen += 1;
          onLook();
          return (read ?? readOnDisk)(name);
        },
        secretsDir: directory,
        log: logged.log,
        lookEveryMs: 5,
        firstMs,
      });
      watched.push(token);
      const looks = (count: number): Promise<void> => {
        // Two more reads: the one in progress may predate the change, and the last one must have
        // ended.
        const enough = seen + count + 2;
        const passed = new Promise<void>((resolve) => {
          onLook = () => void (seen >= enough && resolve());
        });
        return within(EVENT_MS, passed, `${count} looks`);
      };
      return { token, looks };
    },
    close: async () => {
      for (const token of watched) token.close();
    },
  };
});

for (const [what, make, reason] of [
  ['empty', (file: string) => writeFile(file, ' \n'), /scan_api_token is empty$/],
  ['a directory', (file: string) => mkdir(file), /scan_api_token is a directory$/],
  ['a pipe', makePipe, /scan_api_token is a named pipe, not a plain file$/],
] as const) {
  test(`a file that is ${what} at the start admits no caller`, async ({ file, watch }) => {
    await make(file);
    const { token } = await watch();
    const required = token.required();
    assert.match(required.state === 'unreadable' ? required.reason : required.state, reason);
    const app = await startTestApp({ callerToken: token });
    const headers = { Authorization: 'Bearer ' };
    const { status, json } = await app.send({ path: '/profiles', headers });
    assert.equal([status, json?.['error']], [401, 'unauthorized']);
    assert.match(String(json?.['message']), /cannot be read now: .* is .*\. Correct the secret/);
    assert.is((await app.send({ path: '/health' })).status, 200);
    await app.close();
  });
}

for (const [what, damage] of [
  ['is emptied', (file: string) => writeFile(file, '')],
  ['is removed', (file: string) => rm(file)],
] as const) {
  test(`a token whose file ${what} stays required`, async ({ file, logged, watch }) => {
    await writeFile(file, 'old');
    const { token, looks } = await watch();
    await damage(file);
    await looks(5);
    assert.is(token.required().state, 'unreadable');
    const lines = logged.lines().filter(({ event }) => event === 'caller_token_unreadable');
    assert.is(lines.length, 1);
    await writeFile(file, 'new');
    await looks(1);
    assert.equal(token.required(), { state: 'readable', token: 'new' });
    assert.not.match(logged.text(), /"(?:old|new)"/);
  });
}

test('a token that the operator removed is forgotten, once', async ({ file, watch }) => {
  await writeFile(file, 'old');
  const { token, looks } = await watch();
  await rm(file);
  await token.forget();
  assert.equal(token.required(), { state: 'none' });
  await writeFile(file, 'new');
  await token.look();
  assert.equal(token.required(), { state: 'readable', token: 'new' });
  await rm(file);
  await looks(5);
  assert.is(token.required().state, 'unreadable');
});

test('a token is not forgotten while its file is there', async ({ file, watch }) => {
  await writeFile(file, 'old');
  const { token } = await watch();
  await token.forget();
  assert.equal(token.required(), { state: 'readable', token: 'old' });
});

test('an inaccessible directory admits no caller', async ({ directory, watch }) => {
  const { token } = await watch();
  const untilIs = (state: string): Promise<void> =>
    until(() => token.required().state === state, `a token that is ${state}`);
  await rm(directory, { recursive: true });
  await symlink(directory, directory);
  await untilIs('unreadable');
  await rm(directory);
  await mkdir(directory);
  await untilIs('none');
});

test('an unreadable file that then disappears is no token', async ({ watch }) => {
  for (const failed of [new SecretError('the directory cannot be entered'), new Error('EIO')]) {
    const errors = [failed];
    const { token, looks } = await watch({
      read: () => {
        const error = errors.pop();
        return error ? Promise.reject(error) : Promise.resolve(undefined);
      },
    });
    assert.is(token.required().state, 'unreadable');
    await looks(2);
    assert.equal(token.required(), { state: 'none' });
  }
});

test('a token missing in a single look still counts', async ({ file, watch }) => {
  await writeFile(file, 'old');
  const shortage = Object.assign(new Error('EMFILE'), { code: 'EMFILE' });
  const answers = ['old', undefined, 'old', undefined, 'old', shortage, shortage, shortage, 'old'];
  const seen: string[] = [];
  const { token, looks } = await watch({
    read: async () => {
      seen.push(token?.required().state ?? 'none');
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  await looks(10);
  assert.not.ok(seen.slice(1).includes('unreadable'), seen.join());
});

test('a hung disk delays one look, but no answer and no start', async ({ watch }) => {
  let asked = 0;
  const hang = (): Promise<never> => new Promise(() => void (asked += 1));
  const { token } = await watch({ read: hang, firstMs: 100 });
  assert.is(asked, 1);
  assert.is(token.required().state, 'unreadable');
});

test('a disk that hangs later invalidates no token', async ({ watch, logged }) => {
  const silent = new UnreadableFile('ETIMEDOUT', 'did not answer within 10 s');
  const answers: (string | Error)[] = ['token', new SecretError('silent', { cause: silent })];
  const { token, looks } = await watch({
    read: async () => {
      const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? '';
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  await looks(5);
  assert.equal(token.required(), { state: 'readable', token: 'token' });
  assert.not.match(logged.text(), /caller_token_unreadable/);
});

test('rewriting the file admits no caller, 500 times', async ({ file, watch }) => {
  await writeFile(file, 'token-0');
  const { token, looks } = await watch();
  const seen = new Set<string>();
  for (let rotation = 1; rotation <= 500; rotation += 1) {
    await writeFile(file, `token-${rotation}`);
    seen.add(token.required().state);
  }
  assert.not.ok(seen.has('none'));
  await looks(1);
  assert.equal(token.required(), { state: 'readable', token: 'token-500' });
});

const session = withFixture('POST /session', async () => {
  let required: RequiredToken = { state: 'readable', token: 'the token' };
  const now = (): Promise<void> => Promise.resolve();
  const callerToken: CallerToken = {
    required: () => required,
    look: now,
    forget: now,
    close: () => {},
  };
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
    cookieOf: ({ headers }: TestAnswer): string =>
      (headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0]).join('; '),
    guarded: async (Cookie: string, from = '127.0.0.1'): Promise<number> =>
      (await app.send({ path: '/profiles', headers: { Cookie }, from })).status,
    close: () => app.close(),
  };
});

session('the token is exchanged for an API cookie', async ({ ask, cookieOf, guarded }) => {
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

session('a foreign cookie gives no access', async ({ ask, cookieOf, guarded }) => {
  const cookie = cookieOf(await ask('the token'));
  for (const [index, wrong] of [
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
    Array.from({ length: 100 }, (_, number) => `scan_session=${number}`).join('; '),
  ].entries()) {
    assert.is(await guarded(wrong, `127.0.0.${10 + index}`), 401, wrong);
  }
});

session('another token is refused', async ({ ask }) => {
  for (const wrong of ['the token ', 'The token', 'x'.repeat(4096)]) {
    const { status, headers, text } = await ask(wrong);
    assert.is(status, 401);
    assert.is(headers['set-cookie'], undefined);
    assert.not.match(text, /the token "|xxx/);
  }
});

session(
  'wrong tokens are limited per address: no more are compared, and other addresses are not affected',
  async (fixture) => {
    const { app, ask, cookieOf } = fixture;
    const cookie = cookieOf(await ask('the token'));
    const reach = async (headers: Record<string, string>, from?: string): Promise<number> =>
      (await app.send({ path: '/profiles', headers, ...(from && { from }) })).status;
    const guesses = Array.from({ length: 42 }, async (_, number) => {
      if (number % 3 === 0) return reach({ Authorization: `Bearer guess ${number}` });
      if (number % 3 === 1) return reach({ Cookie: `scan_session=guess${number}` });
      return (await ask(`guess ${number}`)).status;
    });
    const statuses = await Promise.all(guesses);
    assert.is(statuses.filter((status) => status === 401).length, 10);
    assert.is(statuses.filter((status) => status === 503).length, 32);
    const right = await ask('the token');
    assert.is(right.status, 503);
    assert.match(right.text, /"too_many_requests".*Wait a minute/);
    assert.is(right.headers['set-cookie'], undefined);
    for (const headers of [{ Authorization: 'Bearer the token' }, { Cookie: cookie }]) {
      assert.is(await reach(headers), 503);
      assert.is(await reach(headers, '127.0.0.2'), 200);
    }
    assert.is(await reach({}), 401, 'without a token there is nothing to guess');
  },
);

session(
  'repeating a wrong token or an old cookie is no new guess',
  async ({ app, ask, guarded }) => {
    for (let request = 0; request < 20; request += 1) {
      assert.is(await guarded('scan_session=of-an-earlier-token'), 401);
      assert.is((await ask('an earlier token')).status, 401);
      const headers = { Authorization: `Basic ${request}` };
      assert.is((await app.send({ path: '/profiles', headers })).status, 401, 'of a proxy');
    }
    assert.is((await ask('the token')).status, 204);
  },
);

session('a page loaded by TLS gets a secure cookie', async ({ ask }) => {
  const headers = { Host: 'scanner.local', Origin: 'https://scanner.local' };
  const [cookie = ''] = (await ask('the token', headers)).headers['set-cookie'] ?? [];
  assert.match(cookie, /; secure/);
});

session(
  'the cookie becomes invalid when the token changes',
  async ({ ask, cookieOf, guarded, require }) => {
    const cookie = cookieOf(await ask('the token'));
    require({ state: 'unreadable', reason: 'it is empty' });
    assert.is(await guarded(cookie), 401);
    assert.is((await ask('the token')).status, 401);
    require({ state: 'readable', token: 'another token' });
    assert.is(await guarded(cookie), 401);
  },
);

session('another site gets no cookie and cannot use one', async ({ ask, app, cookieOf }) => {
  const cookie = cookieOf(await ask('the token'));
  for (const foreign of [
    { Origin: 'http://evil.com', Host: 'scanner' },
    { 'Sec-Fetch-Site': 'cross-site', Host: 'scanner' },
    // Browsers send the cookie to every port of a machine.
    { Origin: 'http://scanner:8000', 'Sec-Fetch-Site': 'same-site', Host: 'scanner:8080' },
  ]) {
    assert.is((await ask('the token', foreign)).status, 403);
    const headers = { 'Content-Type': 'application/json', Cookie: cookie, ...foreign };
    const post = { method: 'POST', path: '/scan', headers, body: '{}' };
    assert.is((await app.send(post)).status, 403);
    assert.is((await app.send({ path: '/scans', headers })).status, 403);
  }
});
