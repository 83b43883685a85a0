import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import Koa from 'koa';
import type { ScanResult } from '../../../service/archive/scan-view.ts';
import { jsonBody } from '../../../service/http/json-body.ts';
import type { ScanCall } from '../../../service/scan/scan.ts';
import { RESULT } from '../../contract/samples.ts';
import { assert, rejection, suite, withFixture } from '../../support/suite.ts';
import type { TestAnswer } from '../../support/send-to.ts';
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

test('an unknown path gets 404 with the error envelope, and no answer may be sniffed, framed or cached', () =>
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

test('every request is one log line, health checks at level debug', () =>
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

test('a bug gets a 500 without details, and is logged', () => {
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

test('an unknown method gets 405 with the valid ones', () =>
  withApp({}, async (app) => {
    for (const [method, path, allowed] of [
      ['GET', '/scan', 'POST'],
      ['DELETE', '/profiles', 'HEAD, GET'],
      ['POST', '/health', 'HEAD, GET'],
      ['POST', '/jobs', 'HEAD, GET'],
    ] as const) {
      const { status, json, headers } = await app.send({ method, path });
      assert.is(status, 405, `${method} ${path}`);
      assert.is(json?.['error'], 'method_not_allowed');
      assert.is(headers.allow, allowed);
    }
  }));

test('a wrong caller token gets 401 without revealing the right one', () =>
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

test('/ready waits for a hung runtime only up to its limit', () => {
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

test('simultaneous and immediately following callers share one request to the runtime', () => {
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

test('a body that the service failed to read is not a client error', async () => {
  const body = new IncomingMessage(new Socket());
  // Koa detects a body by its length header.
  const headers = { 'content-type': 'application/json', 'content-length': '2' };
  Object.assign(body, { method: 'POST', headers });
  const ctx = new Koa().createContext(body, new ServerResponse(body));
  const reading = rejection(Promise.resolve(jsonBody()(ctx, () => Promise.resolve())));
  const cause = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
  body.emit('error', cause);
  assert.is(await reading, cause);
});

const scanning = withFixture('POST /scan', async () => {
  const calls: ScanCall[] = [];
  const bench = { outcome: (): Promise<ScanResult> => Promise.resolve(RESULT) };
  const scan = (call: ScanCall): Promise<ScanResult> => {
    calls.push(call);
    return bench.outcome();
  };
  const profiles = [testProfile({ name: 'invoices' })];
  let app = await startTestApp({ profiles, scan });
  return Object.assign(bench, {
    calls,
    restart: async (options: TestAppOptions) => {
      await app.close();
      app = await startTestApp({ scan, ...options });
    },
    post: (body: string, headers?: Record<string, string>): Promise<TestAnswer> => {
      const type = { 'Content-Type': 'application/json' };
      return app.send({ method: 'POST', path: '/scan', headers: headers ?? type, body });
    },
    close: () => app.close(),
  });
});

scanning('passes on profile and metadata, even with a charset', async ({ post, calls }) => {
  const type = { 'Content-Type': 'application/json; charset=utf-8' };
  assert.is((await post('{"profile":"invoices","tags":[3]}', type)).status, 200);
  assert.is(calls[0]?.profile.name, 'invoices');
  assert.equal(calls[0]?.metadata, { tags: [3] });
});

scanning('invalid JSON and wrong fields are refused', async ({ post, calls }) => {
  const proto = '{"profile":"invoices","__proto__":{"x":1}}';
  for (const body of ['{', '[]', '"invoices"', 'null', 'true', '{"colour":true}', proto]) {
    const { status, json, text } = await post(body);
    assert.equal([status, json?.['error']], [400, 'invalid_body'], `${body}: ${text}`);
  }
  assert.equal(calls, []);
});

scanning('content types that any web page can send are refused', async ({ post, calls }) => {
  for (const type of [
    '',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/csp-report',
    'application/vnd.api+json',
    'application/json-patch+json',
  ]) {
    const { status, json } = await post(
      '{"profile":"invoices"}',
      type ? { 'Content-Type': type } : {},
    );
    assert.equal([status, json?.['error']], [415, 'unsupported_media_type'], type);
  }
  assert.equal(calls, []);
});

scanning('an invalid key is refused', async ({ post, calls }) => {
  for (const key of ['x'.repeat(256), 'two words']) {
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key };
    const { status, json } = await post('{"profile":"invoices"}', headers);
    assert.equal([status, json?.['error']], [400, 'invalid_parameter']);
  }
  assert.equal(calls, []);
});

scanning('an unknown profile gets an error with the known ones', async ({ post }) => {
  const { status, json } = await post('{"profile":"photos"}');
  assert.equal([status, json?.['error']], [404, 'profile_not_found']);
  assert.match(String(json?.['message']), /Use one of: invoices\.$/);
});

scanning('the profile may be omitted if it is unambiguous', async ({ post, calls, restart }) => {
  const refused = await post('{}');
  assert.is(refused.status, 400);
  assert.match(String(refused.json?.['message']), /names no profile.*invoices/);
  await restart({ profiles: [testProfile({ name: 'default' })] });
  for (const body of ['{}', '']) assert.is((await post(body)).status, 200);
  assert.equal(
    calls.map(({ profile }) => profile.name),
    ['default', 'default'],
  );
  const problem = { file: 'default.yaml', field: 'mode', message: '"mode" is wrong.' };
  await restart({ problems: [{ ...problem, profile: 'default' }] });
  const broken = await post('{}');
  assert.is(broken.status, 404);
  assert.equal(broken.json?.['problems'], [problem]);
  await restart({});
  assert.match((await post('{"profile":"a"}')).text, /There is no profile .*No profile is loaded/);
  assert.is((await post('{}')).json?.['error'], 'no_profiles_loaded');
});

const PROBLEM = { file: 'receipts.yaml', field: 'resolution', message: '"resolution" is missing.' };
const FEED = { source: 'ADF' };

const listing = withFixture('GET /profiles', () =>
  startTestApp({
    profiles: [
      testProfile({
        name: 'invoices',
        label: { en: 'Invoices', de: 'Rechnungen' },
        description: 'Duplex',
        source: 'ADF Duplex',
        destinations: [
          {
            kind: 'dms',
            base_url: 'http://paperless:8000/sub',
            public_url: 'https://dms',
            tags: [3],
          },
        ],
      }),
      testProfile({ name: 'photos' }),
      testProfile({ name: 'glass', source: 'Flatbed' }),
      testProfile({ name: 'tills', ...FEED, assembly: { page_grouping: 'per_page' } }),
      testProfile({ name: 'letters', ...FEED }),
    ],
    problems: [{ ...PROBLEM, profile: 'receipts' }],
  }),
);

listing('lists what people need to choose a profile', async (app) => {
  const { json } = await app.send({ path: '/profiles' });
  const { profiles, problems } = json as { profiles: { kind: string }[]; problems: unknown };
  const settings = {
    sides: null,
    mode: 'Gray',
    resolution: 300,
    page_size: 'a4',
    page_grouping: 'combined',
    remove_blank_pages: 'none',
    languages: ['eng'],
  };
  const saved = { saved: false, based_on: null, revision: null, own: null };
  const rest = { icon: null, mode: 'Gray', resolution: 300, usable: true, reason: null, ...saved };
  const label = { en: 'Invoices', de: 'Rechnungen' };
  assert.equal(profiles.slice(0, 2), [
    {
      name: 'invoices',
      label,
      description: 'Duplex',
      kind: 'both_sides',
      settings: { source: 'ADF Duplex', ...settings },
      public_urls: ['https://dms'],
      ...rest,
    },
    {
      name: 'photos',
      label: null,
      description: '',
      kind: 'feeder',
      settings: { source: null, ...settings },
      public_urls: [],
      ...rest,
    },
  ]);
  assert.equal((json as { languages: unknown }).languages, ['deu', 'eng']);
  assert.equal(
    profiles.map(({ kind }) => kind),
    ['both_sides', 'feeder', 'glass', 'receipts', 'feeder'],
  );
  assert.equal(problems, [PROBLEM]);
});

listing('shows a profile with capitalized names at every level', async (app) => {
  const { json, text } = await app.send({ path: '/profiles/invoices' });
  assert.is(json?.['TimeoutSeconds'], 300);
  assert.equal(json?.['Assembly'], {
    PageGrouping: 'combined',
    RemoveBlankPages: 'none',
    BacksOrder: 'reverse',
    CardPaper: 'a4',
    Barcodes: null,
  });
  const [destination] = (json?.['Destinations'] ?? []) as Record<string, unknown>[];
  assert.is(destination?.['BaseURL'], 'http://paperless:8000/sub');
  assert.equal(destination?.['Tags'], [3]);
  assert.is(destination?.['StoragePath'], null);
  const names = [...text.matchAll(/"(\w+)":/g)].map((match) => match[1] ?? '');
  assert.equal(
    names.filter((name) => !/^[A-Z]/.test(name)),
    [],
  );
});

listing(
  'an unknown name gets an error with the known ones, or the error of its file',
  async (app) => {
    const missing = await app.send({ path: '/profiles/Invoices' });
    assert.equal([missing.status, missing.json?.['error']], [404, 'profile_not_found']);
    assert.equal(missing.json?.['profiles'], ['invoices', 'photos', 'glass', 'tills', 'letters']);
    const { status, json } = await app.send({ path: '/profiles/receipts' });
    assert.is(status, 404);
    assert.equal(json?.['problems'], [PROBLEM]);
    assert.is(
      json?.['message'],
      'The profile "receipts" is not loaded. Correct receipts.yaml: "resolution" is missing.',
    );
  },
);
