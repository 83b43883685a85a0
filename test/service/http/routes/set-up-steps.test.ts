import path from 'node:path';
import { createWrongTokens } from '../../../../service/http/wrong-tokens.ts';
import { createOperator } from '../../../../service/operator/operator.ts';
import { createOwnFiles } from '../../../../service/settings/own-files.ts';
import { ANSWERS, ENTRY, SELF_TEST as ONE_CHECK } from '../../../contract/samples.ts';
import { fakeSteps } from '../../../support/fake-steps.ts';
import type { TestAnswer, TestRequest } from '../../../support/send-to.ts';
import { assert, withFixture } from '../../../support/suite.ts';
import { startTestApp } from '../../../support/test-app.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const PASSWORD = 'a house by the sea';
const CALLER_TOKEN = 'the token of the house';
const [BROKEN] = ONE_CHECK.checks;
assert.ok(BROKEN);
const SELF_TEST = { ...ONE_CHECK, checks: [BROKEN, BROKEN] };
const KEYED = { ...ONE_CHECK, checks: [BROKEN, { ...BROKEN, key: 'late' }] };
const CHOSEN = { device: 'fake:0', name: 'Fake', kinds: ['feeder'] } as const;

const test = withFixture('the steps of the set-up', async (directory) => {
  const calls: unknown[] = [];
  const noting =
    <Value>(value: Value) =>
    async (...given: unknown[]): Promise<Value> => {
      calls.push(...given);
      return value;
    };
  const files = createOwnFiles(path.join(directory, 'settings'));
  const operator = createOperator({ files, brake: createWrongTokens(undefined, 'passwords') });
  const app = await startTestApp({
    selfTest: async () => KEYED,
    token: CALLER_TOKEN,
    operator: {
      operator,
      isNew: async () => true,
      isFinished: () => false,
      steps: fakeSteps({
        answers: async () => ANSWERS,
        selfTest: noting(KEYED),
        scanners: noting({ looked_at: '', scanners: [] }),
        setScanner: noting(CHOSEN),
        setDestination: noting({ address: 'http://a', stored: true }),
        setLanguages: noting({ languages: null, time_zone: null, missing: [], text: null }),
        setButtons: noting(ANSWERS.answers.buttons),
        setHouse: noting(undefined),
        finish: noting('2026-11-27T10:00:00.000Z'),
        profileForms: {
          list: noting({ profiles: [], left: 50 }),
          get: noting(ENTRY),
          put: noting({ isNew: false, entry: ENTRY }),
          remove: noting(undefined),
        },
      }),
    },
  });
  const claimed = await app.send({
    method: 'POST',
    path: '/set-up/claim',
    headers: JSON_TYPE,
    body: JSON.stringify({ password: PASSWORD }),
  });
  const cookie = claimed.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  return {
    app,
    calls,
    cookie,
    send: (call: string, more: Partial<TestRequest> = {}): Promise<TestAnswer> => {
      const [method = '', url = ''] = call.split(' ');
      const body = BODIES[call]?.[0];
      return app.send({
        method,
        path: url,
        headers: { Cookie: cookie, ...(body !== undefined && JSON_TYPE) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...more,
      });
    },
    close: () => app.close(),
  };
});

test('give the self-test in both languages, and GET /self-test as before', async ({
  app,
  send,
}) => {
  const [broken, late] = SELF_TEST.checks;
  const { json } = await send('GET /set-up/self-test');
  const title = { en: 'http://a', de: 'http://a' };
  const de =
    'Paperless-ngx hat das Token abgelehnt. Kopieren Sie es noch einmal aus „Mein Profil“.';
  const text = { en: 'It is wrong. Correct it.', de };
  assert.equal(json?.['checks'], [
    { ...broken, title, text },
    { ...late, title, text: { ...text, de: 'Es kam nicht rechtzeitig eine Antwort.' } },
  ]);
  const headers = { Authorization: `Bearer ${CALLER_TOKEN}` };
  const open = await app.send({ path: '/self-test', headers });
  assert.equal(open.json, SELF_TEST);
});

/** For each call, a valid body, then invalid ones. */
const BODIES: Readonly<Record<string, readonly unknown[]>> = {
  'GET /set-up/answers': [],
  'GET /set-up/self-test': [],
  'GET /set-up/scanners': [],
  'POST /set-up/scanner': [
    { scanner: 'fake:0' },
    {},
    { scanner: '' },
    { scanner: 5 },
    { scanner: ['a'] },
    { scanner: 'x'.repeat(301) },
    { scanner: 'a', more: 1 },
  ],
  'POST /set-up/paperless': [{ address: 'http://a' }, {}, { address: 5 }],
  'PUT /set-up/languages': [
    { languages: ['deu'], time_zone: 'UTC' },
    {},
    { languages: [] },
    { languages: 'deu' },
    { languages: [5] },
    { languages: ['x'.repeat(41)] },
    { languages: Array.from({ length: 9 }, (_, one) => `a${one}`) },
    { time_zone: 5 },
    { time_zone: 'x'.repeat(65) },
    { languages: ['deu'], more: 1 },
  ],
  'PUT /set-up/buttons': [
    { hidden: ['receipts'] },
    {},
    { hidden: 'receipts' },
    { hidden: ['../../etc/passwd'] },
    { hidden: ['__proto__'] },
    { hidden: Array.from({ length: 101 }, (_, one) => `a${one}`) },
    { hidden: [], more: 1 },
  ],
  'PUT /set-up/house': [
    { password: 'eight-88' },
    {},
    { password: '' },
    { password: 'seven-7' },
    { password: 'with a blank' },
    { password: 'line\nbreak-secret' },
    { password: 'umlaut-ä-secret' },
    { password: 'x'.repeat(101) },
    { password: 12345678 },
    { password: null, more: 1 },
  ],
  'POST /set-up/finish': [{}, { more: 1 }, []],
  'GET /set-up/profiles': [],
  'GET /set-up/profiles/school': [],
  'PUT /set-up/profiles/school': [
    { label: 'School', destinations: [{ kind: 'dms', tags: ['School'] }] },
    {},
    [],
    { label: 'School' },
    { label: '', destinations: [] },
    { label: 'x'.repeat(41), destinations: [] },
    ...[
      { device: 'airscan:e0:secret' },
      { paths: { output_dir: '/etc' } },
      { name: 'other' },
      { timeout_seconds: 1 },
      { scanner_options: { 'secret-option': '1' } },
      { based_on: 'default' },
      { resolution: 7 },
      { resolution: '300' },
      { page_size: 'a9' },
      { mode: 5 },
      { sides: 'three' },
      { title: '{unknown}' },
      { processing: { languages: [] } },
      { processing: { ocr: false } },
      { processing: null },
      { assembly: { page_grouping: 'x' } },
      { assembly: { barcodes: {} } },
      { trigger: {} },
      { trigger: { button: 'scan', paper: true } },
      { trigger: { button: '--secret' } },
      { trigger: { button: 'scan', function: 100 } },
      { trigger: null },
    ].map((wrong) => ({ label: 'School', destinations: [], ...wrong })),
    ...[
      { base_url: 'http://secret.example' },
      { public_url: 'http://secret.example' },
      { archive_serial_number: 1 },
      { kind: 'folder' },
      { tags: [' a '] },
    ].map((wrong) => ({ label: 'School', destinations: [{ kind: 'dms', ...wrong }] })),
    { label: 'School', destinations: [{ kind: 'dms' }, { kind: 'dms' }] },
    { label: 'School', destinations: {} },
  ],
  'DELETE /set-up/profiles/school': [],
};

for (const [call, [right, ...wrong]] of Object.entries(BODIES)) {
  const status = call.endsWith('/house') || call.startsWith('DELETE') ? 204 : 200;

  test(`${call} needs the session of the operator`, async ({ send, calls, cookie }) => {
    const type = right === undefined ? {} : JSON_TYPE;
    for (const headers of [
      type,
      { ...type, Authorization: `Bearer ${CALLER_TOKEN}` },
      { ...type, Cookie: cookie.slice(0, -1) },
      { ...type, Cookie: cookie.replace('scan_operator', 'scan_session') },
      { ...type, Cookie: cookie.replace(/=\d/u, '=9') },
    ]) {
      assert.is((await send(call, { headers })).status, 401, JSON.stringify(headers));
    }
    assert.equal(calls, []);
    assert.is((await send(call)).status, status);
  });

  test(`${call} refuses requests of other pages`, async ({ send, calls, cookie }) => {
    const own = { ...(right !== undefined && JSON_TYPE), Cookie: cookie };
    for (const [more, expected] of [
      [{ Origin: 'http://evil.example' }, 403],
      [{ Origin: 'null' }, 403],
      [{ 'Sec-Fetch-Site': 'cross-site' }, 403],
      [{ Host: 'evil.example' }, 421],
      ...(right === undefined ? [] : [[{ 'Content-Type': 'text/plain' }, 415] as const]),
    ] as const) {
      const answer = await send(call, { headers: { ...own, ...more } });
      assert.is(answer.status, expected, JSON.stringify(more));
    }
    assert.equal(calls, []);
  });

  if (right === undefined) continue;

  test(`${call} refuses bodies that are wrong, too large or broken`, async ({ send, calls }) => {
    for (const body of wrong) {
      const text = JSON.stringify(body);
      const answer = await send(call, { body: text });
      assert.is(answer.status, 400, text);
      assert.not.match(answer.text, /secret|xxxx/);
    }
    assert.is((await send(call, { body: '{"' })).status, 400);
    assert.is((await send(call, { body: `"${'x'.repeat(70_000)}"` })).status, 413);
    assert.equal(calls, []);
  });
}

test('each call passes its request to its step, and answers with the result', async ({
  send,
  calls,
}) => {
  assert.equal((await send('GET /set-up/answers')).json, ANSWERS);
  const scanner = await send('POST /set-up/scanner');
  assert.equal(scanner.json, { scanner: CHOSEN, buttons: ANSWERS.answers.buttons });
  await send('GET /set-up/scanners', { path: '/set-up/scanners?refresh=true' });
  await send('PUT /set-up/house');
  await send('PUT /set-up/house', { body: '{"password":null}' });
  const finished = await send('POST /set-up/finish');
  assert.equal(finished.json, { finished_at: '2026-11-27T10:00:00.000Z', to_do: ['house'] });
  assert.equal(calls, ['fake:0', true, 'eight-88', null]);
});

test('a profile cannot name the secret of a destination', async ({ send, calls }) => {
  const destinations = [{ kind: 'dms', token_secret: 'another_token' }];
  const body = JSON.stringify({ label: 'School', destinations });
  const answer = await send('PUT /set-up/profiles/school', { body });
  assert.is(answer.status, 400);
  assert.match(answer.text, /"destinations\.0\.token_secret"/);
  assert.equal(calls, []);
});

test('the name of a profile is checked, and its revision is passed on', async ({
  send,
  calls,
  cookie,
}) => {
  for (const name of ['Upper', '-a', 'x'.repeat(65), '..%2Fa', '__proto__']) {
    const answer = await send('PUT /set-up/profiles/school', { path: `/set-up/profiles/${name}` });
    assert.is(answer.status, 400, name);
    assert.is(answer.json?.['error'], 'invalid_parameter', name);
  }
  assert.equal(calls, []);
  const headers = { ...JSON_TYPE, Cookie: cookie, 'If-Match': '"abc"' };
  const stored = await send('PUT /set-up/profiles/school', { headers });
  assert.is(stored.headers.etag, '"0123456789abcdef"');
  await send('DELETE /set-up/profiles/school', { headers });
  const body = { label: 'School', destinations: [{ kind: 'dms', tags: ['School'] }] };
  assert.equal(calls, ['school', body, 'abc', 'school', 'abc']);
});
