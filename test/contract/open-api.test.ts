import { mkdir, writeFile } from 'node:fs/promises';
import nodePath from 'node:path';
import { CATALOGUE, Failure, isFailureCode, type ServiceCode } from '../../helpers/failure.ts';
import { detailsOf, type ScanDetails } from '../../service/archive/scan-details.ts';
import { createRouters } from '../../service/http/app.ts';
import { SHOWN_FIELDS } from '../../service/http/events/event-message.ts';
import { VIEW_FIELDS, VIEW_LISTS, VIEW_SETTINGS } from '../../service/http/events/view-changes.ts';
import { scannersBody } from '../../service/http/routes/set-up.ts';
import type { StepParts } from '../../service/http/routes/set-up-steps.ts';
import { readOpenApi } from '../../service/http/open-api.ts';
import { settingsOf } from '../../service/profiles/scan-settings.ts';
import type { Operator } from '../../service/operator/operator.ts';
import { METADATA_RULES } from '../../service/paperless/metadata-schema.ts';
import { ENGLISH } from '../../service/set-up/texts/english.ts';
import { describedResponses, type DescribedResponse } from '../support/open-api-schemas.ts';
import { jammedScan, recordOf, STORED_ID, storeScan } from '../support/stored-scan.ts';
import type { TestAnswer, TestRequest } from '../support/send-to.ts';
import { startTestApp, testParts } from '../support/test-app.ts';
import { testProfile } from '../support/test-profile.ts';
import { assert, inDirectory } from '../support/suite.ts';
import { ANSWERS, ENTRY, PROFILE_ENTRIES, RESULT, SCANNERS, SELF_TEST, TAGS } from './samples.ts';

const test = inDirectory('the description, the routes, the catalogue and the answers');

const openApi = await readOpenApi('1.2.3');
const all = describedResponses(openApi);
/** Responses of single operations, and responses that any request may get. */
const described = all.filter(({ status }) => !Number.isNaN(status));
const refusals = all.filter(({ status }) => Number.isNaN(status));
const { schemas } = (
  openApi.document as {
    components: { schemas: Record<string, { properties: object; description: string }> };
  }
).components;

const keyOf = ({ method, path }: Pick<DescribedResponse, 'method' | 'path'>): string =>
  `${method} ${path}`;

function codesIn(description = ''): ServiceCode[] {
  return [...description.matchAll(/`(\w+)`/g)].map((match) => match[1]).filter(isFailureCode);
}

test('code and description have the same routes', async () => {
  const routes = createRouters(testParts())
    .flatMap((router) => router.stack)
    .filter((layer) => layer.methods.length > 0)
    .flatMap((layer) => layer.methods.map((method) => `${method} ${layer.path}`))
    .filter((route) => !route.startsWith('HEAD ') && !/\/(?:docs|page)\//.test(route))
    .map((route) => route.replaceAll(/:(\w+)/g, '{$1}'));
  assert.equal([...new Set(routes)].toSorted(), [...new Set(described.map(keyOf))].toSorted());
});

test('every code is described for each operation that can return it', () => {
  const seen = new Set<ServiceCode>(codesIn(refusals[0]?.description));
  for (const { status, description, ...operation } of described) {
    for (const code of codesIn(description)) {
      assert.is(CATALOGUE[code], status, `${code} at ${keyOf(operation)}`);
      seen.add(code);
    }
  }
  assert.equal([...seen].toSorted(), Object.keys(CATALOGUE).toSorted());
});

/** What the set-ups say of a Paperless-ngx that can be used. */
const GOOD_NEWS = ['paperless.answers', 'paperless.token_good', 'paperless.no_views'];

test('every problem of a Paperless-ngx is described where it is set up', () => {
  const texts = Object.keys(ENGLISH).filter((key) => key.startsWith('paperless.'));
  const failed = described.find(
    ({ path, status }) => path === '/set-up/paperless' && status === 503,
  );
  const keys = (failed?.description ?? '').match(/(?<=`)paperless\.\w+/g) ?? [];
  assert.equal(keys.toSorted(), texts.filter((key) => !GOOD_NEWS.includes(key)).toSorted());
});

test('every operation describes the responses of the server itself', () => {
  assert.equal(refusals.map(keyOf), [...new Set(described.map(keyOf))]);
  for (const { description } of refusals) {
    for (const [, status, code] of description.matchAll(/(\d{3}) `(\w+)`/g)) {
      assert.is(isFailureCode(code) && CATALOGUE[code], Number(status), code);
    }
  }
});

test('the description lists exactly the fields that requests may have', () => {
  const fieldsOf = (name: string): string[] => Object.keys(schemas[name]?.properties ?? {});
  const metadata = Object.keys(METADATA_RULES);
  const scan = ['profile', 'settings', 'continue_scan', 'hold', 'side', 'replaces'];
  const resend = ['redeliver_failed', 'resend_unknown', 'resend_submitted', 'add_destinations'];
  assert.equal(fieldsOf('ScanRequest'), [...scan, ...metadata]);
  assert.equal(fieldsOf('ResumeRequest'), [...resend, 'keep_blank_pages', 'profile', ...metadata]);
  const settings = Object.keys(settingsOf(testProfile({ name: 'a' })));
  assert.equal(fieldsOf('ScanSettings'), settings);
  assert.equal(fieldsOf('ShownSettings'), settings);
  assert.equal(fieldsOf('PageEdit'), [
    'left_out',
    'turn',
    'before',
    'starts_document',
    'crop',
    'restored',
  ]);
});

test('every event of a scan is described with all fields it sends, including its view', () => {
  const { description = '' } = schemas['EventStream'] ?? {};
  // The names in backticks per table row: the event, then its fields.
  const rows = description.split('\n').filter((line) => line.startsWith('| `'));
  const names = rows.map((row) => [...row.matchAll(/`(\w+)`/g)].map((match) => match[1] ?? ''));
  const events = new Map(names.map(([name = '', ...fields]) => [name, fields]));
  assert.equal([...events.keys()], ['snapshot', ...Object.keys(SHOWN_FIELDS), 'result']);
  for (const [name, fields] of Object.entries(SHOWN_FIELDS)) {
    const isMissing = (field: string): boolean => events.get(name)?.includes(field) !== true;
    assert.equal(
      fields.filter((field) => field !== 'at' && isMissing(field)),
      [],
      name,
    );
  }
  const [, text = ''] = description.split('`view`');
  assert.equal(
    [...VIEW_FIELDS, ...VIEW_SETTINGS, ...VIEW_LISTS].filter(
      (name) => !text.includes(`\`${name}\``),
    ),
    [],
  );
});

const BEARER = { Authorization: 'Bearer t' };
/** The caller token, and the session of the operator. */
const KEYS = { ...BEARER, Cookie: 'scan_operator=session' };
const JSON_TYPE = { 'Content-Type': 'application/json', ...KEYS };
const DAMAGED_ID = '20261121T063000Z-000000';
const STORED = `/scans/${STORED_ID}`;
const EVENTS = '/scans/{scan_id}/events';
const FILE = '/scans/{scan_id}/files/{name}';
const RESUME = '/scans/{scan_id}/resume';
const STOP = '/scans/{scan_id}/stop';
const EDIT = '/scans/{scan_id}/pages/{page}';
const DISCARD = '/scans/{scan_id}/discard';
const PREVIEW = '/scans/{scan_id}/pages/{page}/preview';
const FORM = '/set-up/profiles/{name}';
const LARGE = `"${'x'.repeat(70_000)}"`;

/** A successful call per operation that needs more than its path. */
const CALLS: Readonly<Record<string, readonly [url: string, body?: string]>> = {
  'POST /scan': ['/scan', '{}'],
  'GET /scans/{scan_id}': [STORED],
  [`GET ${EVENTS}`]: [`${STORED}/events`],
  [`GET ${FILE}`]: [`${STORED}/files/page-0001.tif`],
  [`POST ${RESUME}`]: [`${STORED}/resume`, '{}'],
  [`POST ${STOP}`]: [`${STORED}/stop`, '{}'],
  [`PATCH ${EDIT}`]: [`${STORED}/pages/1`, '{"turn":90}'],
  [`POST ${DISCARD}`]: [`${STORED}/discard`, '{}'],
  [`GET ${PREVIEW}`]: [`${STORED}/pages/1/preview`],
  'POST /session': ['/session', '{"token":"t"}'],
  'POST /set-up/claim': ['/set-up/claim', '{"password":"password-1"}'],
  'POST /set-up/session': ['/set-up/session', '{"password":"password-1"}'],
  'PUT /set-up/password': [
    '/set-up/password',
    '{"password":"password-1","new_password":"password-2"}',
  ],
  'POST /set-up/scanner': ['/set-up/scanner', '{"scanner":"192.168.1.50"}'],
  'POST /set-up/paperless': ['/set-up/paperless', '{"address":"http://a"}'],
  'PUT /set-up/languages': ['/set-up/languages', '{"languages":["deu"]}'],
  'PUT /set-up/buttons': ['/set-up/buttons', '{"hidden":[]}'],
  'PUT /set-up/house': ['/set-up/house', '{"password":null}'],
  'POST /set-up/finish': ['/set-up/finish', '{}'],
  [`GET ${FORM}`]: ['/set-up/profiles/default'],
  [`PUT ${FORM}`]: ['/set-up/profiles/default', '{"label":"School","destinations":[]}'],
  [`DELETE ${FORM}`]: ['/set-up/profiles/default'],
  'GET /profiles/{name}': ['/profiles/default'],
  'PUT /profiles/{name}': ['/profiles/default', '{"based_on":"default","label":"School"}'],
  'DELETE /profiles/{name}': ['/profiles/school'],
  'GET /metadata/{list}': ['/metadata/tags'],
  'GET /jobs/{id}': ['/jobs/1'],
  'POST /jobs/{id}/cancel': ['/jobs/1/cancel'],
};

const OTHERS: Readonly<Record<string, Partial<TestRequest>>> = {
  'POST /scan 404': { body: '{"profile":"no"}' },
  'GET /scans 400': { path: '/scans?limit=x' },
  'GET /scans/{scan_id}/pages/{page}/preview 400': {
    path: '/scans/20261121T063000Z-8f3a1c/pages/1/preview?size=null',
  },
  'GET /scans/{scan_id} 500': { path: `/scans/${DAMAGED_ID}` },
  [`GET ${EVENTS} 204`]: { headers: { ...BEARER, 'Last-Event-ID': '999-result' } },
  [`GET ${FILE} 404`]: { path: `${STORED}/files/scan.json` },
  [`GET ${PREVIEW} 304`]: { headers: { ...BEARER, 'If-None-Match': '*' } },
  [`GET ${PREVIEW} 404`]: { path: `${STORED}/pages/9/preview` },
  [`GET ${PREVIEW} 422`]: { path: `${STORED}/pages/2/preview` },
  'POST /session 401': { body: '{"token":"x"}' },
  'GET /set-up/self-test 400': { path: '/set-up/self-test?refresh=maybe' },
  'GET /set-up/scanners 400': { path: '/set-up/scanners?refresh=maybe' },
  'POST /set-up/session 401': { body: '{"password":"x"}' },
  'PUT /set-up/password 401': { body: '{"password":"x","new_password":"password-2"}' },
  [`PUT ${FORM} 201`]: { path: '/set-up/profiles/new' },
  'GET /profiles/{name} 404': { path: '/profiles/no' },
  'PUT /profiles/{name} 201': { path: '/profiles/new' },
  'PUT /profiles/{name} 404': { body: '{"based_on":"no","label":"School"}' },
  'GET /self-test 400': { path: '/self-test?refresh=maybe' },
  'GET /scanners 400': { path: '/scanners?refresh=maybe' },
  'GET /metadata/{list} 400': { path: '/metadata/tags?x=1' },
  'GET /metadata/{list} 404': { path: '/metadata/tags?profile=no' },
  'GET /metadata/{list} 503': { path: '/metadata/correspondents' },
};

/** Answers that only a failing part causes, although the status often has another cause. */
const BY_FAILURE = ['POST /set-up/claim 401'];

function callOf({ method, path }: Pick<DescribedResponse, 'method' | 'path'>): TestRequest {
  const [url, body] = CALLS[keyOf({ method, path })] ?? [path];
  if (body === undefined) return { method, path: url, headers: KEYS };
  return { method, path: url, headers: JSON_TYPE, body };
}

/** A request that causes this response; undefined if only a failing part can cause it. */
function requestFor(response: DescribedResponse): TestRequest | undefined {
  const { status, path } = response;
  const call = callOf(response);
  const other = OTHERS[`${keyOf(response)} ${status}`];
  if (other) return { ...call, ...other };
  if (BY_FAILURE.includes(`${keyOf(response)} ${status}`)) return undefined;
  if (status === 401) return { ...call, headers: {} };
  if (status === 413) return { ...call, body: LARGE };
  if (status === 415) return { ...call, headers: KEYS };
  if (status === 400 && call.body !== undefined) return { ...call, body: '{"x":1}' };
  if (status === 404 && path.startsWith('/scans/'))
    return { ...call, path: call.path.replace(STORED_ID, 'x') };
  return status < 400 || status === 501 ? call : undefined;
}

function problemsOf(
  answer: TestAnswer,
  operation: { method: string; path: string },
  status: number,
): string[] {
  const key = `${keyOf(operation)} ${answer.status}`;
  const response = described.find((one) => `${keyOf(one)} ${one.status}` === key);
  const code = answer.status < 400 ? undefined : answer.json?.['error'];
  const problems = [
    answer.status === status ? undefined : `it should be ${status}: ${answer.text}`,
    response ? undefined : `is not in the description: ${answer.text}`,
    answer.json && response?.check(answer.json),
    isFailureCode(code) && !codesIn(response?.description).includes(code)
      ? `${code} is not described`
      : undefined,
  ];
  return problems.flatMap((problem) => (problem === undefined ? [] : `${key}: ${problem}`));
}

const known = <T>(id: string, value: T): Promise<T> =>
  id === STORED_ID
    ? Promise.resolve(value)
    : Promise.reject(new Failure('scan_not_found', 'there is none'));
const edited = (id: string): Promise<ScanDetails> =>
  known(id, detailsOf(recordOf(jammedScan()), false));

const STEPS: StepParts = {
  answers: async () => ANSWERS,
  selfTest: async () => SELF_TEST,
  scanners: async () => scannersBody(SCANNERS, [], 'http://a'),
  setScanner: async (device) => ({ device, name: 'ACME Feeder', kinds: ['feeder'] }),
  setDestination: async (address) => ({ address, stored: false }),
  setLanguages: async () => ({
    languages: ['deu'],
    time_zone: null,
    missing: ['deu'],
    text: { en: 'It is missing.', de: 'Es fehlt.' },
  }),
  setButtons: async () => ANSWERS.answers.buttons,
  setHouse: async () => {},
  finish: async () => '2026-11-22T10:00:00.000Z',
  profileForms: {
    list: async () => ({ profiles: PROFILE_ENTRIES, left: 49 }),
    get: async () => ENTRY,
    put: async (name) => ({ isNew: name === 'new', entry: ENTRY }),
    remove: async () => {},
  },
};

test('every operation is answered as described', async ({ directory }) => {
  const stored = await storeScan(directory);
  await writeFile(nodePath.join(stored, 'page-0002.tif'), 'this is no TIFF file');
  await mkdir(nodePath.join(directory, DAMAGED_ID));
  const destination = { kind: 'dms', base_url: 'http://a', tags: [1], correspondent: 1 };
  const app = await startTestApp({
    token: 't',
    profiles: [
      testProfile({ name: 'default', destinations: [destination] }),
      testProfile({ name: 'new' }),
    ],
    scan: () => Promise.resolve(RESULT),
    resume: (id) => known(id, RESULT),
    stop: (id) => known(id, true),
    saved: {
      put: (name) => Promise.resolve({ isNew: name === 'new' }),
      remove: () => Promise.resolve(),
    },
    editPage: edited,
    discard: edited,
    operator: {
      operator: OPERATOR,
      isNew: async () => false,
      isFinished: () => true,
      steps: STEPS,
    },
    selfTest: () => Promise.resolve(SELF_TEST),
    scannerList: () => Promise.resolve(SCANNERS),
    names: () => ({
      list: async (_, kind) =>
        kind === 'tags' ? { kind: 'objects', objects: TAGS } : { kind: 'forbidden' },
    }),
    scanRoots: [directory],
  });
  const wrong: string[] = [];
  for (const response of described) {
    const request = requestFor(response);
    if (request) wrong.push(...problemsOf(await app.send(request), response, response.status));
  }
  await app.close();
  assert.equal(wrong, []);
});

/** Codes of failed scans. All other codes come from the checks before the scan. */
function scanFailures(key: string): ServiceCode[] {
  return described
    .filter((one) => keyOf(one) === key && ![400, 401, 413, 415].includes(one.status))
    .flatMap(({ description }) => codesIn(description))
    .filter((code) => code !== 'profile_not_found');
}

const DISK: readonly ServiceCode[] = ['scan_record_unreadable', 'insufficient_storage'];
const EDITING: readonly ServiceCode[] = [
  'scan_in_progress',
  'scan_not_editable',
  'scan_discarded',
  'scan_not_resumable',
  'scan_record_unreadable',
  'output_dir_in_use',
  'shutting_down',
  'insufficient_storage',
];

const UNAUTHORIZED = new Failure('unauthorized', 'This is not the operator password.');

const logsIn = (password: string): Promise<string> =>
  password === 'password-1' ? Promise.resolve('session') : Promise.reject(UNAUTHORIZED);

const OPERATOR: Operator = {
  state: async () => 'set',
  claim: async () => 'session',
  logIn: logsIn,
  change: logsIn,
  isLoggedIn: async (session) => session === 'session',
  isReplaced: () => false,
  logOut: async () => {},
};

const SAVING: readonly ServiceCode[] = [
  'profile_read_only',
  'profile_changed',
  'insufficient_storage',
];

const STORING: readonly ServiceCode[] = [
  'set_up_closed',
  'profile_changed',
  'insufficient_storage',
];

const LISTING: readonly ServiceCode[] = [
  'scanner_busy',
  'scanner_error',
  'scanner_runtime_unreachable',
  'timeout',
];

const FAILURES: Readonly<Record<string, readonly ServiceCode[]>> = {
  'POST /scan': scanFailures('POST /scan'),
  [`POST ${RESUME}`]: scanFailures(`POST ${RESUME}`),
  'GET /scans/{scan_id}': DISK,
  [`GET ${EVENTS}`]: DISK,
  [`GET ${FILE}`]: DISK,
  [`GET ${PREVIEW}`]: DISK,
  [`POST ${STOP}`]: DISK,
  [`PATCH ${EDIT}`]: EDITING,
  [`POST ${DISCARD}`]: EDITING,
  'PUT /profiles/{name}': [...SAVING, 'profile_exists', 'too_many_profiles'],
  'DELETE /profiles/{name}': [...SAVING, 'profile_not_found'],
  'POST /set-up/claim': ['unauthorized', 'set_up_closed', 'insufficient_storage'],
  'PUT /set-up/password': ['insufficient_storage'],
  'GET /set-up/scanners': LISTING,
  'POST /set-up/scanner': [...LISTING, 'no_scanner_detected', 'insufficient_storage'],
  'POST /set-up/paperless': ['set_up_closed', 'destination_unavailable', 'insufficient_storage'],
  'PUT /set-up/languages': ['set_up_closed', 'insufficient_storage'],
  'PUT /set-up/buttons': ['insufficient_storage'],
  'PUT /set-up/house': ['set_up_closed', 'insufficient_storage'],
  'POST /set-up/finish': ['insufficient_storage'],
  [`GET ${FORM}`]: ['profile_not_found'],
  [`PUT ${FORM}`]: [...STORING, 'profile_exists', 'too_many_profiles'],
  [`DELETE ${FORM}`]: [...STORING, 'profile_read_only', 'profile_not_found'],
  'GET /scanners': LISTING,
};

test('every failure of a part is answered as described', async () => {
  let failure: Failure;
  const fail = (): Promise<never> => Promise.reject(failure);
  const { archive } = testParts();
  const app = await startTestApp({
    profiles: [testProfile({ name: 'default' })],
    archive: { ...archive, find: fail, openFile: fail },
    scan: fail,
    resume: fail,
    stop: fail,
    editPage: fail,
    discard: fail,
    scannerList: fail,
    saved: { put: fail, remove: fail },
    operator: {
      operator: { ...OPERATOR, claim: fail, change: fail },
      isNew: async () => true,
      isFinished: () => false,
      steps: {
        answers: async () => ANSWERS,
        selfTest: async () => SELF_TEST,
        scanners: fail,
        setScanner: fail,
        setDestination: fail,
        setLanguages: fail,
        setButtons: fail,
        setHouse: fail,
        finish: fail,
        profileForms: { list: fail, get: fail, put: fail, remove: fail },
      },
    },
  });
  const wrong: string[] = [];
  for (const [key, codes] of Object.entries(FAILURES)) {
    const [method = '', path = ''] = key.split(' ');
    const isScan = key === 'POST /scan' || path === RESUME;
    for (const code of codes) {
      const facts = {
        scan_id: RESULT.scan_id,
        page_count: 1,
        warnings: ['One sheet may be missing.'],
        ...(code === 'timeout' && { stage: 'deliver', documents: RESULT.documents }),
      };
      failure = new Failure(code, 'what happened', isScan ? { facts } : {});
      const answer = await app.send(callOf({ method, path }));
      wrong.push(...problemsOf(answer, { method, path }, CATALOGUE[code]));
      if (answer.json?.['error'] !== code) wrong.push(`${key} is not ${code}: ${answer.text}`);
    }
  }
  await app.close();
  assert.equal(wrong, []);
});

test('every body is required with its media type, as described', async () => {
  const { paths } = openApi.document as {
    paths: Record<string, Record<string, { requestBody?: { required: boolean } }>>;
  };
  const app = await startTestApp({ profiles: [] });
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { requestBody }] of Object.entries(operations)) {
      if (requestBody === undefined) continue;
      const call = callOf({ method: method.toUpperCase(), path });
      const answer = await app.send({ ...call, headers: {}, body: '' });
      assert.is(answer.status, 415, `${method} ${path}`);
      assert.ok(requestBody.required, `${method} ${path}`);
    }
  }
  await app.close();
});

interface Schema {
  readonly $ref?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly oneOf?: readonly Schema[];
}

/** Each text of a body with a limit, by the keys that lead to it. */
function limitedTexts(schema: Schema, keys: readonly string[] = []): [string[], Schema][] {
  const { $ref } = schema;
  if ($ref !== undefined) return limitedTexts(schemaOf($ref), keys);
  const own = schema.maxLength === undefined ? [] : [[[...keys], schema] as [string[], Schema]];
  const inner = Object.entries(schema.properties ?? {});
  return [
    ...own,
    ...(schema.oneOf ?? []).flatMap((one) => limitedTexts(one, keys)),
    ...inner.flatMap(([key, one]) => limitedTexts(one, [...keys, key])),
  ];
}

function schemaOf(reference: string): Schema {
  return schemas[reference.replace('#/components/schemas/', '')] as Schema;
}

/** The body with one text replaced. */
function withText(body: object, [key = '', ...keys]: readonly string[], text: string): object {
  const inner = keys.length === 0 ? text : withText(Object(Object(body)[key]), keys, text);
  return { ...body, [key]: inner };
}

test('texts in bodies have the length that is described', async () => {
  const { paths } = openApi.document as unknown as {
    paths: Record<string, Record<string, { requestBody?: { content: Content } }>>;
  };
  const app = await startTestApp({
    profiles: [testProfile({ name: 'default' })],
    scan: () => Promise.resolve(RESULT),
    resume: () => Promise.resolve(RESULT),
    saved: { put: async () => ({ isNew: false }), remove: async () => {} },
    operator: {
      operator: OPERATOR,
      isNew: async () => true,
      isFinished: () => true,
      steps: STEPS,
    },
  });
  let count = 0;
  const wrong: string[] = [];
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { requestBody }] of Object.entries(operations)) {
      if (!requestBody) continue;
      const call = callOf({ method: method.toUpperCase(), path });
      const { schema } = requestBody.content['application/json'];
      for (const [keys, { minLength = 0, maxLength = 0 }] of limitedTexts(schema)) {
        count += 1;
        const isRefused = async (length: number): Promise<boolean> => {
          const body = withText(Object(JSON.parse(call.body ?? '{}')), keys, 'a'.repeat(length));
          const { json } = await app.send({ ...call, body: JSON.stringify(body) });
          const fields = json?.['fields'] as { field: string }[] | undefined;
          return fields?.some(({ field }) => field === keys.join('.')) === true;
        };
        const at = `${method} ${path} ${keys.join('.')}`;
        if (await isRefused(maxLength)) wrong.push(`${at}: ${maxLength} characters are refused`);
        if (!(await isRefused(maxLength + 1))) wrong.push(`${at}: more than ${maxLength} are not`);
        if (await isRefused(minLength)) wrong.push(`${at}: ${minLength} characters are refused`);
        const isShorterRefused = minLength === 0 || (await isRefused(minLength - 1));
        if (!isShorterRefused) wrong.push(`${at}: less than ${minLength} are not`);
      }
    }
  }
  await app.close();
  assert.equal(wrong, []);
  assert.ok(count > 20, String(count));
});

interface Content {
  readonly 'application/json': { readonly schema: Schema };
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
  assert.equal(reasons, ['no_profiles_loaded', 'scanner_runtime_unreachable']);
  assert.equal(reasons, codesIn(response?.description).toSorted());
});

test('every described response is tested here, and no request is superfluous', () => {
  const statuses = described.map((one) => `${keyOf(one)} ${one.status}`);
  const failing = Object.entries(FAILURES).flatMap(([key, codes]) =>
    codes.map((code) => `${key} ${CATALOGUE[code]}`),
  );
  const rest = described
    .filter((one) => !requestFor(one))
    .map((one) => `${keyOf(one)} ${one.status}`);
  assert.equal(
    rest.filter((response) => !failing.includes(response)),
    ['GET /ready 503'],
  );
  assert.equal(
    [...Object.keys(OTHERS), ...failing].filter((response) => !statuses.includes(response)),
    [],
  );
});
