import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createObjects } from '../../../simulators/sample-dms/objects.ts';
import { withFixture } from '../../support/with-fixture.ts';
import { startDms, type DmsClient } from './dms-client.ts';

const test = withFixture(suite('sample DMS, tags and their like'), () => startDms());

interface List {
  readonly count: number;
  readonly next: string | null;
  readonly previous: string | null;
  readonly all?: readonly number[];
  readonly results: readonly { readonly id: number; readonly name: string }[];
}

async function ask(
  { request }: Pick<DmsClient, 'request'>,
  path: string,
  init: { readonly version?: number; readonly post?: string; readonly token?: string } = {},
): Promise<{ readonly status: number; readonly body: unknown }> {
  const { version = 9, post, token } = init;
  const response = await request(path, {
    headers: {
      accept: `application/json; version=${version}`,
      ...(token !== undefined && { authorization: `Token ${token}` }),
      ...(post !== undefined && { 'content-type': 'application/json' }),
    },
    ...(post !== undefined && { method: 'POST', body: post }),
  });
  return { status: response.status, body: await response.json() };
}

const FILTERS: readonly (readonly [string, readonly number[] | Record<string, string[]>])[] = [
  ['name__iexact=INVOICE', [2]],
  ['name__iexact=%20Invoice%20', [2]],
  ['name__iexact=Nothing', []],
  ['name__iexact=', [6, 9, 7, 1, 5, 2, 3, 8, 4]],
  ['name__icontains=an', [6, 5]],
  ['name__istartswith=in', [1, 5, 2]],
  ['name__iendswith=x', [1, 4]],
  ['id__in=3,%202,99', [2, 3]],
  ['id=+3', [3]],
  ['unknown=1', [6, 9, 7, 1, 5, 2, 3, 8, 4]],
  ['id__in=x', { id__in: ['Enter a number.'] }],
  ['name__iexact=a%00b', { name__iexact: ['Null characters are not allowed.'] }],
];

for (const [query, expected] of FILTERS) {
  test(`?${query} is ${JSON.stringify(expected)}`, async (client) => {
    const { status, body } = await ask(client, `/api/tags/?${query}`);
    assert.is(status, Array.isArray(expected) ? 200 : 400);
    if (Array.isArray(expected)) assert.equal((body as List).all, expected);
    else assert.equal(body, expected);
  });
}

test('pages follow each other by links, with all ids up to version 9', async (client) => {
  const first = (await ask(client, '/api/tags/?page_size=4')).body as List;
  const { url } = client.dms;
  assert.equal(
    { ...first, results: first.results.map(({ id }) => id) },
    {
      count: 9,
      next: `${url}/api/tags/?page=2&page_size=4`,
      previous: null,
      all: [6, 9, 7, 1, 5, 2, 3, 8, 4],
      results: [6, 9, 7, 1],
    },
  );
  const last = (await ask(client, '/api/tags/?page=3&page_size=4', { version: 10 })).body as List;
  assert.equal([last.next, last.all, last.results.length], [null, undefined, 1]);
  assert.is(last.previous, `${url}/api/tags/?page=2&page_size=4`);
  for (const page of ['0', '9', 'x']) {
    const { status, body } = await ask(client, `/api/tags/?page=${page}`);
    assert.equal([status, body], [404, { detail: 'Invalid page.' }]);
  }
});

for (const kind of Object.keys(createObjects())) {
  test(`/api/${kind}/ lists, shows and creates`, async (client) => {
    const list = (await ask(client, `/api/${kind}/`)).body as List;
    assert.ok(list.count >= 3);
    const shown = await ask(client, `/api/${kind}/2/`);
    assert.equal(
      shown.body,
      list.results.find(({ id }) => id === 2),
    );
    const created = await ask(client, `/api/${kind}/`, { post: '{"name":" New "}' });
    assert.equal([created.status, Object(created.body).name], [201, 'New']);
    const found = (await ask(client, `/api/${kind}/?name__iexact=new`)).body as List;
    assert.equal(found.results, [{ ...Object(created.body), document_count: 0 }]);
    const missing = await ask(client, `/api/${kind}/99/`);
    assert.is(missing.status, 404);
    assert.match(Object(missing.body).detail, /^No \w+ matches the given query\.$/);
  });
}

const CREATED: readonly (readonly [string, string, unknown])[] = [
  ['tags', '{"name":"Invoice"}', { error: ['Object violates owner / name unique constraint'] }],
  ['custom_fields', '{"name":"Due"}', { error: ['Object violates name unique constraint'] }],
  ['tags', '{}', { name: ['This field is required.'] }],
  ['tags', '{"name":" "}', { name: ['This field may not be blank.'] }],
  ['tags', '{"name":null}', { name: ['This field may not be null.'] }],
  ['tags', '{"name":[]}', { name: ['Not a valid string.'] }],
  [
    'tags',
    `{"name":"${'x'.repeat(129)}"}`,
    { name: ['Ensure this field has no more than 128 characters.'] },
  ],
  ['tags', '[]', { non_field_errors: ['Invalid data. Expected a dictionary, but got list.'] }],
];

for (const [kind, post, expected] of CREATED) {
  test(`creating ${post.slice(0, 30)} in ${kind} is a 400`, async (client) => {
    assert.equal(await ask(client, `/api/${kind}/`, { post }), { status: 400, body: expected });
  });
}

test('a created tag can be used by an upload at once', async (client) => {
  await ask(client, '/api/tags/', { post: '{"name":"New"}' });
  assert.is((await client.upload([['tags', '10']])).status, 200);
});

test('nobody but administrators sees what another user created', async () => {
  const permissions = ['view_tag', 'add_tag'];
  const users = ['maker', 'other'].map((token, id) => ({ token, id: id + 5, permissions }));
  const client = await startDms({ tokens: [...users, 'admin'] });
  const post = '{"name":"New"}';
  const created = await ask(client, '/api/tags/', { post });
  assert.is(Object(created.body).owner, 5);
  for (const [token, count] of [
    ['maker', 1],
    ['other', 0],
    ['admin', 1],
  ] as const) {
    const { body } = await ask(client, '/api/tags/?name__iexact=new', { token });
    assert.is((body as List).count, count, token);
  }
  assert.is((await ask(client, '/api/tags/', { post, token: 'other' })).status, 201);
  assert.is((await ask(client, '/api/tags/', { post, token: 'other' })).status, 400);
  await client.close();
});

test('each kind has its own permissions to view and to add', async () => {
  const tokens = [{ token: 'reader', permissions: ['view_tag'] }];
  const client = await startDms({ tokens });
  const denied = { detail: 'You do not have permission to perform this action.' };
  assert.is((await ask(client, '/api/tags/')).status, 200);
  for (const path of ['/api/correspondents/', '/api/documents/', '/api/ui_settings/']) {
    assert.equal(await ask(client, path), { status: 403, body: denied });
  }
  const post = '{"name":"New"}';
  assert.equal(await ask(client, '/api/tags/', { post }), { status: 403, body: denied });
  await client.close();
});

test('what cannot be done is a 405 that names what can', async ({ request }) => {
  for (const [path, allow] of [
    ['/api/tags/', 'GET, POST, HEAD, OPTIONS'],
    ['/api/tags/1/', 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS'],
    ['/api/statistics/', 'GET, HEAD, OPTIONS'],
    ['/api/token/', 'POST, OPTIONS'],
  ] as const) {
    const response = await request(path, { method: 'PROPFIND' });
    assert.equal([response.status, response.headers.get('allow')], [405, allow]);
  }
});

test.run();
