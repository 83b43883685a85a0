import { createRouters } from '../../service/http/app.ts';
import type { Operator } from '../../service/operator/operator.ts';
import { fakeSteps } from '../support/fake-steps.ts';
import { STORED_ID } from '../support/stored-scan.ts';
import { startTestApp, testParts, type TestApp } from '../support/test-app.ts';
import { assert, withFixture } from '../support/suite.ts';

/* The calls come from the routers, so that a new one cannot be left out. */

const CALLER_TOKEN = 'the token of the house';
const SESSION = 'the session of the operator';
const JSON_TYPE = { 'Content-Type': 'application/json' };

interface Call {
  readonly method: string;
  readonly path: string;
}

const calls: readonly Call[] = createRouters(testParts())
  .flatMap((router) => router.stack)
  .flatMap(({ methods, path }) => methods.map((method) => ({ method, path: String(path) })))
  .filter(({ method, path }) => method !== 'HEAD' && path.startsWith('/'));

/** Values of the parameters in paths. */
const PARAMETERS: Readonly<Record<string, string>> = { scan_id: STORED_ID, list: 'tags' };

const urlOf = ({ path }: Call): string =>
  path.replaceAll(/:(\w+)/gu, (_, name: string) => PARAMETERS[name] ?? '1');

const keyOf = (call: Call): string => `${call.method} ${call.path}`;

/** Need neither the caller token nor a session. */
const OPEN = [
  'GET /health',
  'GET /ready',
  'GET /version',
  'POST /session',
  'DELETE /session',
  'GET /set-up',
  'POST /set-up/claim',
  'POST /set-up/session',
  'DELETE /set-up/session',
  // Needs the old password.
  'PUT /set-up/password',
];

/** Files that are the same for everybody, and the stubs. */
const PUBLIC = /^\w+ \/(?:$|page\/|docs|openapi|jobs|[\w-]+\.(?:js|css|png|svg|webmanifest))/u;

const guarded = calls.filter((call) => !OPEN.includes(keyOf(call)) && !PUBLIC.test(keyOf(call)));
const steps = guarded.filter(({ path }) => path.startsWith('/set-up'));

const operator = {
  state: async () => 'set',
  isLoggedIn: async (session: string) => session === SESSION,
} as Operator;

const test = withFixture('guards of all calls', async () => {
  const app = await startTestApp({
    token: CALLER_TOKEN,
    operator: { operator, isNew: async () => true, isFinished: () => false, steps: fakeSteps() },
  });
  return { app, close: () => app.close() };
});

async function statusOf(app: TestApp, call: Call, given: Record<string, string>): Promise<number> {
  const { method } = call;
  const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  const headers = { ...(hasBody && JSON_TYPE), ...given };
  const { status } = await app.send({
    method,
    path: urlOf(call),
    headers,
    ...(hasBody && { body: '{}' }),
  });
  return status;
}

const encoded = encodeURIComponent(SESSION);
const BEARER = { Authorization: `Bearer ${CALLER_TOKEN}` };
const OPERATOR = { Cookie: `scan_operator=${SESSION}` };

/** Without a session of the operator. */
const NOT_THE_OPERATOR: Readonly<Record<string, Record<string, string>>> = {
  nothing: {},
  'the caller token': BEARER,
  'the caller token as session': { Cookie: `scan_operator=${CALLER_TOKEN}` },
  'the session under another name': { Cookie: `scan_session=${SESSION}; operator=${SESSION}` },
  'the session as token': { Authorization: `Bearer ${SESSION}` },
  'the session as password': {
    Authorization: `Basic ${Buffer.from(`operator:${SESSION}`).toString('base64')}`,
  },
  'an empty session': { Cookie: 'scan_operator=' },
  'an encoded session': { Cookie: `scan_operator=${encoded}` },
};

test('there are as many as expected', () => {
  assert.ok(steps.length >= 9, steps.map(keyOf).join());
  assert.ok(guarded.length - steps.length >= 18, guarded.map(keyOf).join());
});

for (const call of steps) {
  test(`${keyOf(call)} needs the session of the operator`, async ({ app }) => {
    for (const [what, headers] of Object.entries(NOT_THE_OPERATOR)) {
      assert.is(await statusOf(app, call, headers), 401, what);
    }
    assert.is.not(await statusOf(app, call, OPERATOR), 401);
  });
}

for (const call of guarded.filter((one) => !steps.includes(one))) {
  test(`${keyOf(call)} needs the caller token`, async ({ app }) => {
    for (const [what, headers] of Object.entries({
      nothing: {},
      'the session of the operator': OPERATOR,
      'the session as token': { Authorization: `Bearer ${SESSION}` },
    })) {
      assert.is(await statusOf(app, call, headers), 401, what);
    }
    assert.is.not(await statusOf(app, call, BEARER), 401);
  });
}

/** Requests that a web page or a rebound name causes in somebody's browser, and the status. */
const FOREIGN: Readonly<Record<string, readonly [Record<string, string>, number]>> = {
  'another origin': [{ Origin: 'http://evil.example' }, 403],
  'a sandbox': [{ Origin: 'null' }, 403],
  'another port of the appliance': [
    { Host: '127.0.0.1:8080', Origin: 'http://127.0.0.1:8000' },
    403,
  ],
  'another site': [{ 'Sec-Fetch-Site': 'cross-site' }, 403],
  'a sister site': [{ 'Sec-Fetch-Site': 'same-site' }, 403],
  'a rebound name': [{ Host: 'evil.example' }, 421],
  'a rebound name with its own origin': [
    { Host: 'evil.example', Origin: 'http://evil.example' },
    421,
  ],
  'a name that only begins like an own one': [{ Host: 'scanner.local.evil.example' }, 421],
};

for (const [what, [headers, status]] of Object.entries(FOREIGN)) {
  test(`every call from ${what} is refused, even with all keys`, async ({ app }) => {
    for (const call of calls) {
      assert.is(
        await statusOf(app, call, { ...BEARER, ...OPERATOR, ...headers }),
        status,
        keyOf(call),
      );
    }
  });
}

/** What a form of another site can send without asking first. */
const FORMS = ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data', ''];

test('every call that changes something refuses what a form can send', async ({ app }) => {
  const changing = calls.filter(({ method }) => ['POST', 'PUT', 'PATCH'].includes(method));
  for (const call of changing.filter(({ path }) => !path.startsWith('/jobs'))) {
    for (const type of FORMS) {
      const headers = { ...BEARER, ...OPERATOR, 'Content-Type': type };
      assert.is(await statusOf(app, call, headers), 415, `${keyOf(call)} ${type}`);
    }
  }
});
