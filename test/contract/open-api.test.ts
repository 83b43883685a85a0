import { mkdir } from 'node:fs/promises';
import nodePath from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CATALOGUE, Failure, isFailureCode, type ServiceCode } from '../../helpers/failure.ts';
import { createRouters } from '../../service/http/app.ts';
import { readOpenApi } from '../../service/http/open-api.ts';
import { describedResponses } from '../support/open-api-schemas.ts';
import { STORED_ID, storeScan } from '../support/stored-scan.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.ts';
import { startTestApp, testParts, testProfile, type TestRequest } from '../support/test-app.ts';
import { RESULT } from './sample-result.ts';

const test = suite<{ directory: TemporaryDirectory }>(
  'the description, the routes, the catalogue and the answers',
);

test.before.each(async (context) => {
  context.directory = await temporaryDirectory();
});

test.after.each(({ directory }) => directory.remove());

const openApi = await readOpenApi('1.2.3');
const all = describedResponses(openApi);
/** What an operation answers, and what the server answers whatever was asked. */
const described = all.filter(({ status }) => !Number.isNaN(status));
const refusals = all.filter(({ status }) => Number.isNaN(status));

function codesIn(description: string): ServiceCode[] {
  return [...description.matchAll(/`(\w+)`/g)].map((match) => match[1]).filter(isFailureCode);
}

test('the routes of the code are those of the description', async () => {
  const routes = createRouters(await testParts())
    .flatMap((router) => router.stack)
    .filter((layer) => layer.methods.length > 0)
    .flatMap((layer) => layer.methods.map((method) => `${method} ${layer.path}`))
    .filter((route) => !route.startsWith('HEAD ') && !route.includes('/docs/'))
    .map((route) => route.replaceAll(/:(\w+)/g, '{$1}'));
  const paths = new Set(described.map(({ method, path }) => `${method} ${path}`));
  assert.equal([...new Set(routes)].toSorted(), [...paths].toSorted());
});

test('the error codes of the description are those of the catalogue', () => {
  const document = openApi.document as {
    components: { schemas: { ErrorCode: { enum: string[] } } };
  };
  assert.equal(
    document.components.schemas.ErrorCode.enum.toSorted(),
    Object.keys(CATALOGUE).toSorted(),
  );
});

test('every code is described where it can be answered, under its status', () => {
  const seen = new Set<ServiceCode>(codesIn(refusals[0]?.description ?? ''));
  for (const { status, description, method, path } of described) {
    for (const code of codesIn(description)) {
      assert.is(CATALOGUE[code], status, `${code} at ${method} ${path}`);
      seen.add(code);
    }
  }
  assert.equal([...seen].toSorted(), Object.keys(CATALOGUE).toSorted());
});

test('every operation says what the server itself may answer, each code with its status', () => {
  const operations = new Set(described.map(({ method, path }) => `${method} ${path}`));
  assert.equal(
    refusals.map(({ method, path }) => `${method} ${path}`),
    [...operations],
  );
  for (const { description } of refusals) {
    for (const [, status, code] of description.matchAll(/(\d{3}) `(\w+)`/g)) {
      assert.is(isFailureCode(code) && CATALOGUE[code], Number(status), code);
    }
  }
});

/** Calls that end as scans do. */
const SCAN_CALLS = [
  { path: '/scan', url: '/scan' },
  { path: '/scans/{scan_id}/resume', url: `/scans/${STORED_ID}/resume` },
].map((call) => {
  const responses = described.filter(({ method, path }) => method === 'POST' && path === call.path);
  /** Codes that reach the call as failures of a scan. The others come from the checks before it, in the next test. */
  const codes = responses
    .filter(({ status }) => ![400, 401, 413, 415].includes(status))
    .flatMap(({ description }) => codesIn(description))
    .filter((code) => code !== 'profile_not_found');
  return { ...call, responses, codes };
});

for (const { path, url, responses, codes } of SCAN_CALLS) {
  for (const code of codes) {
    test(`POST ${path} that fails with ${code} is answered as described`, async () => {
      const facts = {
        scan_id: RESULT.scan_id,
        page_count: 1,
        warnings: ['One sheet may be missing.'],
        ...(code === 'timeout' && { stage: 'deliver', documents: RESULT.documents }),
      };
      const fail = (): Promise<never> =>
        Promise.reject(new Failure(code, 'what happened', { facts }));
      const app = await startTestApp({
        profiles: [testProfile({ name: 'default' })],
        scan: fail,
        resume: fail,
      });
      const answer = await app.send({
        method: 'POST',
        path: url,
        headers: { 'Content-Type': 'application/json' },
        body: '{}',
      });
      await app.close();
      const response = responses.find(({ status }) => status === answer.status);
      assert.is(answer.status, CATALOGUE[code]);
      assert.is(answer.json?.['error'], code);
      assert.is(response?.check(answer.json), undefined);
    });
  }
}

const JSON_TYPE = { 'Content-Type': 'application/json', Authorization: 'Bearer t' };
const BEARER = { Authorization: 'Bearer t' };

const DAMAGED_ID = '20261121T063000Z-000000';
const STORED = `/scans/${STORED_ID}`;
const EVENTS = '/scans/{scan_id}/events';
const FILES = '/scans/{scan_id}/files';
const FILE = `${STORED}/files/page-0001.tif`;
const RESUME = '/scans/{scan_id}/resume';

/** One request for every other response that the description names. */
const REQUESTS: [number, string, TestRequest][] = [
  [200, '/scan', { method: 'POST', path: '/scan', headers: JSON_TYPE, body: '{}' }],
  [400, '/scan', { method: 'POST', path: '/scan', headers: JSON_TYPE, body: '{"x":1}' }],
  [401, '/scan', { method: 'POST', path: '/scan' }],
  [404, '/scan', { method: 'POST', path: '/scan', headers: JSON_TYPE, body: '{"profile":"no"}' }],
  [
    413,
    '/scan',
    { method: 'POST', path: '/scan', headers: JSON_TYPE, body: `"${'x'.repeat(70_000)}"` },
  ],
  [415, '/scan', { method: 'POST', path: '/scan', headers: BEARER, body: '{}' }],
  [200, '/scans', { path: '/scans', headers: BEARER }],
  [400, '/scans', { path: '/scans?limit=x', headers: BEARER }],
  [401, '/scans', { path: '/scans' }],
  [200, '/scans/{scan_id}', { path: `/scans/${STORED_ID}`, headers: BEARER }],
  [401, '/scans/{scan_id}', { path: `/scans/${STORED_ID}` }],
  [404, '/scans/{scan_id}', { path: '/scans/x', headers: BEARER }],
  [500, '/scans/{scan_id}', { path: `/scans/${DAMAGED_ID}`, headers: BEARER }],
  [200, EVENTS, { path: `${STORED}/events`, headers: BEARER }],
  [204, EVENTS, { path: `${STORED}/events`, headers: { ...BEARER, 'Last-Event-ID': '999' } }],
  [401, EVENTS, { path: `${STORED}/events` }],
  [404, EVENTS, { path: '/scans/x/events', headers: BEARER }],
  [200, `${FILES}/{name}`, { path: FILE, headers: BEARER }],
  [401, `${FILES}/{name}`, { path: FILE }],
  [404, `${FILES}/{name}`, { path: `${STORED}/files/scan.json`, headers: BEARER }],
  [200, RESUME, { method: 'POST', path: `${STORED}/resume`, headers: JSON_TYPE, body: '{}' }],
  [400, RESUME, { method: 'POST', path: `${STORED}/resume`, headers: JSON_TYPE, body: '[]' }],
  [401, RESUME, { method: 'POST', path: `${STORED}/resume` }],
  [
    413,
    RESUME,
    {
      method: 'POST',
      path: `${STORED}/resume`,
      headers: JSON_TYPE,
      body: `"${'x'.repeat(70_000)}"`,
    },
  ],
  [415, RESUME, { method: 'POST', path: `${STORED}/resume`, headers: BEARER, body: '{}' }],
  [200, '/profiles', { path: '/profiles', headers: BEARER }],
  [401, '/profiles', { path: '/profiles' }],
  [200, '/profiles/{name}', { path: '/profiles/default', headers: BEARER }],
  [401, '/profiles/{name}', { path: '/profiles/default' }],
  [404, '/profiles/{name}', { path: '/profiles/no', headers: BEARER }],
  [200, '/health', { path: '/health' }],
  [200, '/ready', { path: '/ready' }],
  [200, '/version', { path: '/version' }],
  [501, '/jobs', { path: '/jobs' }],
  [501, '/jobs/{id}', { path: '/jobs/1' }],
  [501, '/jobs/{id}/cancel', { method: 'POST', path: '/jobs/1/cancel' }],
  [200, '/openapi.yaml', { path: '/openapi.yaml' }],
  [200, '/openapi.json', { path: '/openapi.json' }],
  [200, '/docs', { path: '/docs' }],
];

for (const [status, path, request] of REQUESTS) {
  const method = request.method ?? 'GET';
  test(`${method} ${path} is answered ${status} as described`, async ({ directory }) => {
    await storeScan(directory.path);
    await mkdir(nodePath.join(directory.path, DAMAGED_ID));
    const app = await startTestApp({
      token: 't',
      profiles: [
        testProfile({
          name: 'default',
          destinations: [{ kind: 'dms', base_url: 'http://a', tags: [1], correspondent: 1 }],
        }),
      ],
      scan: () => Promise.resolve(RESULT),
      resume: () => Promise.resolve(RESULT),
      scanRoots: [directory.path],
    });
    const answer = await app.send(request);
    await app.close();
    assert.is(answer.status, status);
    const response = described.find(
      (one) => one.method === method && one.path === path && one.status === status,
    );
    assert.ok(response, 'not in the description');
    if (answer.json) assert.is(response?.check(answer.json), undefined);
    const code = status < 400 ? undefined : answer.json?.['error'];
    if (isFailureCode(code)) assert.ok(codesIn(response?.description ?? '').includes(code));
  });
}

/** Failures of the disk, at every reading of one scan. */
const DISK_FAILURES = ['scan_record_unreadable', 'insufficient_storage'] as const;

for (const code of DISK_FAILURES) {
  for (const [path, url] of [
    ['/scans/{scan_id}', STORED],
    [EVENTS, `${STORED}/events`],
    [`${FILES}/{name}`, FILE],
  ] as const) {
    test(`GET ${path} that fails with ${code} is answered as described`, async () => {
      const fail = (): Promise<never> => Promise.reject(new Failure(code, 'what happened'));
      const { archive } = await testParts();
      const app = await startTestApp({ archive: { ...archive, find: fail, openFile: fail } });
      const answer = await app.send({ path: url });
      await app.close();
      const response = described.find((one) => one.path === path && one.status === answer.status);
      assert.is(answer.json?.['error'], code);
      assert.is(response?.check(answer.json), undefined);
      assert.ok(codesIn(response?.description ?? '').includes(code));
    });
  }
}

test('GET /ready is answered 503 as described, for both reasons', async () => {
  const response = described.find(({ path, status }) => path === '/ready' && status === 503);
  const reasons: string[] = [];
  for (const profiles of [[], [testProfile({ name: 'a' })]]) {
    const app = await startTestApp({ profiles, health: () => Promise.reject(new Error('down')) });
    const answer = await app.send({ path: '/ready' });
    await app.close();
    assert.is(answer.status, 503);
    assert.is(response?.check(answer.json), undefined);
    reasons.push(String(answer.json?.['reason']));
  }
  assert.equal(reasons.toSorted(), codesIn(response?.description ?? '').toSorted());
});

test('no response is described that no test here asks for', () => {
  const asked = new Set(
    REQUESTS.map(([status, path, { method }]) => `${method ?? 'GET'} ${path} ${status}`),
  );
  const fromScans = new Set(
    SCAN_CALLS.flatMap(({ path, codes }) => codes.map((code) => `POST ${path} ${CATALOGUE[code]}`)),
  );
  const rest = described
    .map(({ method, path, status }) => `${method} ${path} ${status}`)
    .filter((response) => !asked.has(response) && !fromScans.has(response));
  const disk = DISK_FAILURES.flatMap((code) =>
    ['/scans/{scan_id}', EVENTS, `${FILES}/{name}`].map((path) => `GET ${path} ${CATALOGUE[code]}`),
  );
  assert.equal(
    rest.filter((response) => !disk.includes(response)),
    ['GET /ready 503'],
  );
});

test.run();
