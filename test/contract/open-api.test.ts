import { mkdir, writeFile } from 'node:fs/promises';
import nodePath from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CATALOGUE, Failure, isFailureCode, type ServiceCode } from '../../helpers/failure.ts';
import { detailsOf, type ScanDetails } from '../../service/archive/scan-details.ts';
import { createRouters } from '../../service/http/app.ts';
import { readOpenApi } from '../../service/http/open-api.ts';
import {
  DAMAGED_ID,
  EDITS,
  EVENTS,
  FILE,
  FILES,
  JSON_TYPE,
  PREVIEW,
  REQUESTS,
  STOP,
  STORED,
} from './described-requests.ts';
import { describedResponses } from '../support/open-api-schemas.ts';
import { jammedScan, recordOf, STORED_ID, storeScan } from '../support/stored-scan.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.ts';
import { startTestApp, testParts, testProfile, type TestRequest } from '../support/test-app.ts';
import { RESULT } from './sample-result.ts';
import { SCANNERS, SEARCH_FAILURES, SELF_TEST, TAGS } from './sample-set-up.ts';

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
    .filter((route) => !route.startsWith('HEAD ') && !/\/(?:docs|page)\//.test(route))
    .map((route) => route.replaceAll(/:(\w+)/g, '{$1}'));
  const paths = new Set(described.map(({ method, path }) => `${method} ${path}`));
  assert.equal([...new Set(routes)].toSorted(), [...paths].toSorted());
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

function edited(id: string): Promise<ScanDetails> {
  if (id !== STORED_ID) return Promise.reject(new Failure('scan_not_found', 'there is none'));
  return Promise.resolve(detailsOf(recordOf(jammedScan()), false));
}

for (const [status, path, request] of REQUESTS) {
  const method = request.method ?? 'GET';
  test(`${method} ${path} is answered ${status} as described`, async ({ directory }) => {
    const stored = await storeScan(directory.path);
    await writeFile(nodePath.join(stored, 'page-0002.tif'), 'this is no TIFF file');
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
      stop: (id) =>
        id === STORED_ID
          ? Promise.resolve(true)
          : Promise.reject(new Failure('scan_not_found', 'there is none')),
      editPage: edited,
      discard: edited,
      selfTest: () => Promise.resolve(SELF_TEST),
      scannerList: () => Promise.resolve(SCANNERS),
      names: () => ({
        list: async (_, kind) =>
          kind === 'tags' ? { kind: 'objects', objects: TAGS } : { kind: 'forbidden' },
      }),
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

/** Failures of the disk, at every call for one scan that is stored. */
const DISK_CALLS: readonly (Omit<TestRequest, 'path'> & { path: string; url: string })[] = [
  { path: '/scans/{scan_id}', url: STORED },
  { path: EVENTS, url: `${STORED}/events` },
  { path: `${FILES}/{name}`, url: FILE },
  { path: PREVIEW, url: `${STORED}/pages/1/preview` },
  { path: STOP, url: `${STORED}/stop`, method: 'POST', headers: JSON_TYPE, body: '{}' },
];
const DISK_FAILURES = ['scan_record_unreadable', 'insufficient_storage'] as const;

for (const code of DISK_FAILURES) {
  for (const { path, ...request } of DISK_CALLS) {
    const method = request.method ?? 'GET';
    test(`${method} ${path} that fails with ${code} is answered as described`, async () => {
      const fail = (): Promise<never> => Promise.reject(new Failure(code, 'what happened'));
      const { archive } = await testParts();
      const app = await startTestApp({
        archive: { ...archive, find: fail, openFile: fail },
        stop: fail,
      });
      const answer = await app.send({ ...request, path: request.url });
      await app.close();
      const response = described.find(
        (one) => one.method === method && one.path === path && one.status === answer.status,
      );
      assert.is(answer.json?.['error'], code);
      assert.is(response?.check(answer.json), undefined);
      assert.ok(codesIn(response?.description ?? '').includes(code));
    });
  }
}

/** What refuses an edit, beside what is wrong with the request. */
const EDIT_FAILURES = [
  'scan_in_progress',
  'scan_not_editable',
  'scan_discarded',
  'scan_not_resumable',
  'scan_record_unreadable',
  'output_dir_in_use',
  'shutting_down',
  'insufficient_storage',
] as const;

for (const code of EDIT_FAILURES) {
  for (const { path, url, method, body } of EDITS) {
    test(`${method} ${path} that fails with ${code} is answered as described`, async () => {
      const fail = (): Promise<never> => Promise.reject(new Failure(code, 'what happened'));
      const app = await startTestApp({ editPage: fail, discard: fail });
      const request = { method, path: `${STORED}${url}`, headers: JSON_TYPE, body };
      const answer = await app.send(request);
      await app.close();
      const response = described.find(
        (one) => one.method === method && one.path === path && one.status === answer.status,
      );
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
  const searches = SEARCH_FAILURES.map((code) => `GET /scanners ${CATALOGUE[code]}`);
  const disk = DISK_FAILURES.flatMap((code) =>
    DISK_CALLS.map(({ path, method }) => `${method ?? 'GET'} ${path} ${CATALOGUE[code]}`),
  );
  const edits = EDIT_FAILURES.flatMap((code) =>
    EDITS.map(({ path, method }) => `${method} ${path} ${CATALOGUE[code]}`),
  );
  assert.equal(
    rest.filter((response) => ![...disk, ...searches, ...edits].includes(response)),
    ['GET /ready 503'],
  );
});

test.run();
