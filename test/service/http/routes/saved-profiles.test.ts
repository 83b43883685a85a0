import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createSavedProfiles } from '../../../../service/profiles/saved/saved-profiles.ts';
import type { ProfileStore } from '../../../../service/profiles/store.ts';
import { createButtonStore } from '../../../support/button-store.ts';
import type { TestAnswer } from '../../../support/send-to.ts';
import { assert, withFixture } from '../../../support/suite.ts';
import { startTestApp, type TestApp } from '../../../support/test-app.ts';

const JSON_TYPE = { 'Content-Type': 'application/json', Authorization: 'Bearer t' };
const BASE = `name: default\ntitle: 'Post {date}'\nresolution: 200
destinations: [{kind: dms, base_url: "http://a", tags: [1], title: "{time}"}]
trigger: {button: scan}\n`;
const PLAIN = 'name: plain\ndestinations: []\n';
const BUTTON = {
  based_on: 'default',
  label: 'Schule 学校',
  icon: 'school',
  settings: { mode: 'Color', page_size: 'a5' },
  tags: [1, 'School'],
};

interface Bench {
  readonly app: TestApp;
  readonly store: ProfileStore;
  readonly own: string;
  readonly savedDir: string;
  readonly put: (
    name: string,
    body?: unknown,
    match?: string,
    headers?: Record<string, string>,
  ) => Promise<TestAnswer>;
  readonly remove: (name: string, match?: string) => Promise<TestAnswer>;
  readonly entry: (name: string) => Promise<Record<string, unknown> | undefined>;
  readonly get: (path: string) => Promise<TestAnswer>;
  close(): Promise<void>;
}

const test = withFixture<Bench>('saved buttons', async (directory) => {
  const own = path.join(directory, 'own');
  const savedDir = path.join(directory, 'saved');
  await mkdir(own);
  await writeFile(path.join(own, 'default.yaml'), BASE);
  await writeFile(path.join(own, 'plain.yaml'), PLAIN);
  const store = await createButtonStore(own, savedDir);
  const app = await startTestApp({
    store,
    saved: createSavedProfiles(savedDir, store),
    token: 't',
  });
  const matching = (match?: string): Record<string, string> => ({
    ...JSON_TYPE,
    ...(match !== undefined && { 'If-Match': match }),
  });
  const get = (url: string): Promise<TestAnswer> => app.send({ path: url, headers: JSON_TYPE });
  return {
    app,
    store,
    own,
    savedDir,
    get,
    put: (name, body = BUTTON, match, others = {}) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const headers = { ...matching(match), ...others };
      return app.send({ method: 'PUT', path: `/profiles/${name}`, headers, body: text });
    },
    remove: (name, match) =>
      app.send({ method: 'DELETE', path: `/profiles/${name}`, headers: matching(match) }),
    entry: async (name) => {
      const { json } = await get('/profiles');
      const { profiles } = json as { profiles: Record<string, unknown>[] };
      return profiles.find((one) => one['name'] === name);
    },
    close: async () => {
      store.close();
      await app.close();
    },
  };
});

const codeOf = ({ status, json }: TestAnswer): unknown[] => [status, json?.['error'] ?? null];

test('are profiles immediately: their base with changes, without triggers', async ({
  put,
  entry,
  store,
}) => {
  const { status, json, headers } = await put('school-1f3a');
  assert.is(status, 201);
  assert.equal(json, await entry('school-1f3a'));
  assert.is(headers['etag'], `"${String(json?.['revision'])}"`);
  const { based_on, ...own } = BUTTON;
  assert.equal(
    [json?.['saved'], json?.['based_on'], json?.['own'], json?.['label'], json?.['usable']],
    [true, based_on, own, 'Schule 学校', true],
  );
  const profile = store.get('school-1f3a');
  assert.equal(
    [profile?.mode, profile?.resolution, profile?.title, profile?.trigger],
    ['Color', 200, 'Post {date}', undefined],
  );
  const [destination] = profile?.destinations ?? [];
  assert.equal([destination?.tags, destination?.title], [[1, 'School'], '{time}']);
  await put('plain-2', { based_on: 'plain', label: 'Plain', title: 'Note {date}' });
  assert.is(store.get('plain-2')?.title, 'Note {date}');
  await put('plain-3', { based_on: 'plain', label: 'Plain' });
  assert.is(store.get('plain-3')?.title, '{first_line}');
});

test('are complete on disk, private to the service, and survive a restart', async ({
  put,
  savedDir,
  store,
}) => {
  await put('a');
  assert.equal(await readdir(savedDir), ['a.json']);
  const text = await readFile(path.join(savedDir, 'a.json'), 'utf8');
  assert.not.match(text, /http:|token|secret|output_dir/);
  // Left by a service that was killed while writing.
  await writeFile(path.join(savedDir, 'b.json.0123456789ab.tmp'), '{"based_on":');
  await store.reload();
  assert.equal(
    store.buttons().map(({ name }) => name),
    ['a'],
  );
  await put('c');
  assert.equal((await readdir(savedDir)).toSorted(), ['a.json', 'c.json']);
});

const REFUSED: readonly (readonly [
  what: string,
  ask: (bench: Bench, revision: string) => Promise<TestAnswer>,
  status: number,
  code: string | null,
])[] = [
  ['no JSON', ({ put }) => put('b', '{'), 400, 'invalid_body'],
  ['a list', ({ put }) => put('b', []), 400, 'invalid_body'],
  ['no label', ({ put }) => put('b', { based_on: 'default' }), 400, 'invalid_body'],
  ['no base', ({ put }) => put('b', { label: 'B' }), 400, 'invalid_body'],
  ['an address', ({ put }) => put('b', { ...BUTTON, destinations: [] }), 400, 'invalid_body'],
  [
    'a device',
    ({ put }) => put('b', { ...BUTTON, settings: { device: 'x' } }),
    400,
    'invalid_body',
  ],
  ['a path as icon', ({ put }) => put('b', { ...BUTTON, icon: '../x' }), 400, 'invalid_body'],
  ['a wrong title', ({ put }) => put('b', { ...BUTTON, title: '{nonsense}' }), 400, 'invalid_body'],
  [
    'a label of 41 letters',
    ({ put }) => put('b', { ...BUTTON, label: 'x'.repeat(41) }),
    400,
    'invalid_body',
  ],
  ['two lines as label', ({ put }) => put('b', { ...BUTTON, label: 'A\nB' }), 400, 'invalid_body'],
  ['NUL in a label', ({ put }) => put('b', { ...BUTTON, label: 'A\0B' }), 400, 'invalid_body'],
  [
    'a label that cannot be seen',
    ({ put }) => put('b', { ...BUTTON, label: { en: '\u200B' } }),
    400,
    'invalid_body',
  ],
  [
    'half a pair as label',
    ({ put }) => put('b', { ...BUTTON, label: '\uD83D' }),
    400,
    'invalid_body',
  ],
  ['a button as base', ({ put }) => put('b', { ...BUTTON, based_on: 'a' }), 400, 'invalid_body'],
  ['a wrong name', ({ put }) => put('B%2F..', BUTTON), 400, 'invalid_parameter'],
  [
    'another base',
    ({ put }) => put('b', { ...BUTTON, based_on: 'defalt' }),
    404,
    'profile_not_found',
  ],
  [
    'more than a body has',
    ({ put }) => put('b', { ...BUTTON, title: 'x'.repeat(70_000) }),
    413,
    'body_too_large',
  ],
  ['a taken name', ({ put }) => put('a', { ...BUTTON, label: 'Other' }), 409, 'profile_exists'],
  ['the same again', ({ put }) => put('a'), 200, null],
  ['another revision', ({ put }) => put('a', BUTTON, '"0"'), 412, 'profile_changed'],
  ['one that is gone', ({ put }) => put('b', BUTTON, '"0"'), 412, 'profile_changed'],
  ['its revision', ({ put }, now) => put('a', { ...BUTTON, label: 'X' }, `"${now}"`), 200, null],
  ["the operator's name", ({ put }) => put('default'), 409, 'profile_read_only'],
  ["to remove the operator's", ({ remove }) => remove('default'), 409, 'profile_read_only'],
  ['to remove nothing', ({ remove }) => remove('b'), 404, 'profile_not_found'],
  ['to remove a path', ({ remove }) => remove('..%2Fown%2Fdefault'), 404, 'profile_not_found'],
  ['to remove another revision', ({ remove }) => remove('a', '"0"'), 412, 'profile_changed'],
  ['to remove its revision', ({ remove }, now) => remove('a', `"${now}"`), 204, null],
  ['to remove it', ({ remove }) => remove('a'), 204, null],
  [
    'without the token',
    ({ app }) => app.send({ method: 'DELETE', path: '/profiles/a' }),
    401,
    'unauthorized',
  ],
  [
    'from another site',
    ({ app }) =>
      app.send({
        method: 'DELETE',
        path: '/profiles/a',
        headers: { ...JSON_TYPE, Origin: 'http://evil' },
      }),
    403,
    'forbidden_origin',
  ],
  ...Object.entries({
    'to save without the token': [{ Authorization: '' }, 401, 'unauthorized'],
    'to save with a wrong token': [{ Authorization: 'Bearer T' }, 401, 'unauthorized'],
    'to save from another site': [{ Origin: 'http://evil' }, 403, 'forbidden_origin'],
    'no media type': [{ 'Content-Type': '' }, 415, 'unsupported_media_type'],
    text: [{ 'Content-Type': 'text/plain' }, 415, 'unsupported_media_type'],
  } as const).map(
    ([what, [headers, status, code]]) =>
      [what, ({ put }: Bench) => put('b', BUTTON, undefined, headers), status, code] as const,
  ),
];

for (const [what, ask, status, code] of REFUSED) {
  test(`asked for ${what}: ${status}, and the files of the operator are unchanged`, async (bench) => {
    const { json } = await bench.put('a');
    const answer = await ask(bench, String(json?.['revision']));
    assert.equal(codeOf(answer), [status, code], answer.text);
    assert.is(await readFile(path.join(bench.own, 'default.yaml'), 'utf8'), BASE);
    const isRemoved = status === 204;
    assert.is((await bench.entry('a')) === undefined, isRemoved);
  });
}

test('of several phones at once: one saves, the others get a conflict', async ({ put, entry }) => {
  const answers = await Promise.all(
    ['One', 'Two', 'Three'].map((label) => put('a', { ...BUTTON, label })),
  );
  const statuses = answers.map(({ status }) => status);
  assert.equal(
    statuses.toSorted((a, b) => a - b),
    [201, 409, 409],
  );
  const won = answers.find(({ status }) => status === 201);
  assert.equal(await entry('a'), won?.json);
  const revision = `"${String(won?.json?.['revision'])}"`;
  const changes = await Promise.all(
    ['Four', 'Five'].map((label) => put('a', { ...BUTTON, label }, revision)),
  );
  assert.equal(
    changes.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 412],
  );
});

test('removed from several phones at once: one removes, the others find nothing', async ({
  put,
  remove,
  entry,
}) => {
  await put('a');
  const answers = await Promise.all([remove('a'), remove('a'), remove('a')]);
  assert.equal(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [204, 404, 404],
  );
  assert.is(await entry('a'), undefined);
});

test('removed while another phone changes it: the change is refused, or is removed', async ({
  put,
  remove,
  entry,
}) => {
  const { json } = await put('a');
  const revision = `"${String(json?.['revision'])}"`;
  const [removed, changed] = await Promise.all([
    remove('a', revision),
    put('a', { ...BUTTON, label: 'New' }, revision),
  ]);
  const codes = [removed, changed].map(codeOf);
  const isRemoved = (await entry('a')) === undefined;
  assert.equal(
    codes,
    isRemoved
      ? [
          [204, null],
          [412, 'profile_changed'],
        ]
      : [
          [412, 'profile_changed'],
          [200, null],
        ],
  );
});

test('are limited to fifty', async ({ put, get }) => {
  for (let number = 1; number <= 50; number += 1) await put(`button-${number}`);
  const { status, json } = await put('one-more');
  assert.equal([status, json?.['error'], json?.['limit']], [409, 'too_many_profiles', 50]);
  assert.is((await put('button-7')).status, 200);
  const { json: listed } = await get('/profiles');
  assert.equal(listed?.['saving'], { possible: true, reason: null, left: 0 });
});

test('stay listed as broken without their base, and return with it', async ({
  put,
  entry,
  store,
  own,
  app,
  remove,
}) => {
  await put('a');
  await rm(path.join(own, 'default.yaml'));
  await store.reload();
  const lost = await entry('a');
  const reason = 'The button is based on the profile "default", which no longer exists.';
  assert.equal(
    [lost?.['usable'], lost?.['reason'], lost?.['label'], lost?.['kind'], lost?.['settings']],
    [false, reason, 'Schule 学校', null, null],
  );
  const scan = { method: 'POST', path: '/scan', headers: JSON_TYPE, body: '{"profile":"a"}' };
  const refused = await app.send(scan);
  assert.equal(codeOf(refused), [404, 'profile_not_found']);
  assert.match(String(refused.json?.['message']), reason);
  await writeFile(path.join(own, 'default.yaml'), `${BASE}colour: yes\n`);
  await store.reload();
  assert.match(String((await entry('a'))?.['reason']), /has a mistake in its file/);
  await writeFile(path.join(own, 'default.yaml'), BASE);
  await store.reload();
  assert.is((await entry('a'))?.['usable'], true);
  await rm(path.join(own, 'default.yaml'));
  await store.reload();
  assert.is((await remove('a')).status, 204);
});

test('yield to a profile of the operator with the same name', async ({
  put,
  entry,
  store,
  own,
}) => {
  await put('a');
  await writeFile(path.join(own, 'a.yaml'), 'name: a\ndestinations: []\n');
  await store.reload();
  assert.equal([(await entry('a'))?.['saved'], store.problems().length], [false, 1]);
  assert.equal(codeOf(await put('a', BUTTON, '*')), [409, 'profile_read_only']);
});

test('that are damaged are a problem, and do not affect others', async ({
  put,
  store,
  savedDir,
}) => {
  await put('a');
  await writeFile(path.join(savedDir, 'b.json'), '{"based_on":"default","paths":{}}');
  await writeFile(path.join(savedDir, 'c.json'), 'x'.repeat(200_000));
  await mkdir(path.join(savedDir, 'd.json'));
  await store.reload();
  assert.equal(
    store.problems().map(({ file }) => file),
    ['b.json', 'c.json', 'd.json'],
  );
  assert.ok(store.get('a'));
});

test('cannot be saved in a read-only directory, and the list says so', async ({
  put,
  store,
  get,
  savedDir,
}) => {
  await rm(savedDir, { recursive: true, force: true });
  await writeFile(savedDir, 'a file in its place');
  await store.reload();
  assert.is((await put('a')).status, 507);
  const { text } = await get('/profiles');
  assert.match(
    text,
    /"saving":\{"possible":false,"reason":"The service cannot write to .+ \(\w+\)/,
  );
});
