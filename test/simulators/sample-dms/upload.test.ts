import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withFixture } from '../../support/with-fixture.ts';
import { startDms, TOKEN, type DmsClient } from './dms-client.ts';

const test = withFixture(suite('sample DMS, upload'), () => startDms());

const UPLOAD = '/api/documents/post_document/';

test('an upload is answered with a bare task id, and stored afterwards', async ({
  upload,
  dms,
}) => {
  const { status, body } = await upload([['tags', '3']]);
  assert.is(status, 200);
  assert.match(String(body), /^[0-9a-f-]{36}$/);
  await dms.idle();
  assert.is(dms.documents()[0]?.title, 'a');
  assert.is(dms.tasks()[0]?.task_id, body);
  assert.is(dms.uploads()[0]?.task_id, body);
});

test('the versions of the system are told with every answer to a known user', async ({
  request,
}) => {
  const good = await request(UPLOAD);
  assert.is(good.headers.get('x-version'), '3.0.5');
  assert.is(good.headers.get('x-api-version'), '10');
  const unknown = await request(UPLOAD, { headers: { authorization: 'Token x' } });
  assert.is(unknown.headers.get('x-version'), null);
});

const FIELDS: readonly (readonly [string, string, string])[] = [
  ['tags', '99', 'Invalid pk "99" - object does not exist.'],
  ['tags', '1,2', 'Incorrect type. Expected pk value, received str.'],
  ['tags', '', 'Incorrect type. Expected pk value, received str.'],
  ['correspondent', 'Acme', 'Incorrect type. Expected pk value, received str.'],
  ['document_type', '99', 'Invalid pk "99" - object does not exist.'],
  ['storage_path', '99', 'Invalid pk "99" - object does not exist.'],
  ['archive_serial_number', 'x', 'A valid integer is required.'],
  ['archive_serial_number', '-1', 'Ensure this value is greater than or equal to 0.'],
  ['archive_serial_number', '4294967296', 'Ensure this value is less than or equal to 4294967295.'],
  ['custom_fields', '{', 'Value must be valid JSON.'],
  ['custom_fields', '{"99":"x"}', 'Custom field with id 99 does not exist'],
  ['custom_fields', '[1,1]', "Some custom fields don't exist or were specified twice."],
  ...['21.11.2026', '2026-02-30', '2026-11-21 10:00', '2026-13-01'].map(
    (created) =>
      [
        'created',
        created,
        'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].',
      ] as const,
  ),
];

for (const [field, value, message] of FIELDS) {
  test(`${field} "${value}" is a 400`, async ({ upload, dms, storeDir }) => {
    assert.equal(await upload([[field, value]]), { status: 400, body: { [field]: [message] } });
    assert.equal(dms.tasks(), []);
    assert.equal(await readdir(join(storeDir, 'incoming')), []);
  });
}

test('every wrong field is named', async ({ upload }) => {
  const { body } = await upload([
    ['tags', '99'],
    ['created', 'x'],
  ]);
  assert.equal(Object.keys(Object(body)).toSorted(), ['created', 'tags']);
});

test('empty fields count as absent, unknown ones are ignored', async ({ upload, dms }) => {
  const names = ['title', 'created', 'correspondent', 'archive_serial_number', 'custom_fields'];
  const { status } = await upload([...names.map((name) => [name, ''] as const), ['owner', '1']]);
  assert.is(status, 200);
  await dms.idle();
  assert.is(dms.documents()[0]?.title, 'a');
  assert.match(dms.documents()[0]?.created ?? '', /^\d{4}-\d{2}-\d{2}$/);
});

test('custom fields are a list of ids or values by id', async ({ upload, dms }) => {
  await upload([['custom_fields', '[1,2]']]);
  await upload([['custom_fields', '{"1":"R-1"}']]);
  await dms.idle();
  assert.equal(
    dms.documents().map((one) => one.custom_fields),
    [[1, 2], { 1: 'R-1' }],
  );
});

test('a date with a time is a date', async ({ upload, dms }) => {
  await upload([['created', '2026-11-21T06:30:00+01:00']]);
  await dms.idle();
  assert.is(dms.documents()[0]?.created, '2026-11-21');
});

const FILES: readonly (readonly [string, string, string, string | undefined])[] = [
  ['an empty file', '', 'a.pdf', 'The submitted file is empty.'],
  ['a ZIP called PDF', 'PK\u0003\u0004..', 'a.pdf', 'File type application/zip not supported'],
  ['unknown bytes', '\0\u0001\u0002', 'a.bin', 'File type application/octet-stream not supported'],
  ['unknown bytes called PDF', '\0\u0001\u0002', 'a.pdf', undefined],
  ['text', 'hello', 'a.txt', undefined],
];

for (const [title, content, filename, error] of FILES) {
  test(`${title} is ${error === undefined ? 'taken' : 'refused'}`, async ({ upload }) => {
    const { status, body } = await upload([], { content, filename });
    assert.is(status, error === undefined ? 200 : 400);
    if (error !== undefined) assert.equal(body, { document: [error] });
  });
}

/** Status and JSON of a POST to the upload path. */
async function post(
  { request }: DmsClient,
  body: string | ReadableStream,
  type: string,
): Promise<unknown[]> {
  const headers = { 'content-type': type };
  const response = await request(UPLOAD, { method: 'POST', headers, body, duplex: 'half' });
  return [response.status, await response.json()];
}

const PART =
  '--x\r\nContent-Disposition: form-data; name="document"; filename="a.pdf"\r\n\r\n%PDF-\r\n--x--\r\n';

test('a body without a length is an empty form', async (client) => {
  const body = new Blob([PART]).stream();
  assert.equal(await post(client, body, 'multipart/form-data; boundary=x'), [
    400,
    { document: ['No file was submitted.'] },
  ]);
  assert.is((await post(client, PART, 'multipart/form-data; boundary=x'))[0], 200);
});

const MALFORMED: readonly (readonly [string, string, string, readonly unknown[]])[] = [
  [
    'JSON',
    '{}',
    'application/json',
    [415, { detail: 'Unsupported media type "application/json" in request.' }],
  ],
  [
    'a form without a boundary',
    '',
    'multipart/form-data',
    [400, { detail: 'Multipart form parse error - Invalid boundary in multipart: None' }],
  ],
  [
    'a form without a file',
    '--x\r\nContent-Disposition: form-data; name="title"\r\n\r\nhello\r\n--x--\r\n',
    'multipart/form-data; boundary=x',
    [400, { document: ['No file was submitted.'] }],
  ],
  [
    'a document without a file name',
    '--x\r\nContent-Disposition: form-data; name="document"\r\n\r\nhello\r\n--x--\r\n',
    'multipart/form-data; boundary=x',
    [
      400,
      {
        document: ['The submitted data was not a file. Check the encoding type on the form.'],
      },
    ],
  ],
];

for (const [title, body, type, expected] of MALFORMED) {
  test(`${title} is refused`, async (client) => {
    assert.equal(await post(client, body, type), expected);
  });
}

test('a body that is no form at all is refused', async (client) => {
  const [status] = await post(client, 'hello', 'multipart/form-data; boundary=x');
  assert.is(status, 400);
});

const USERS: readonly (readonly [string, Record<string, string>, string])[] = [
  ['no credentials', { authorization: '' }, 'Authentication credentials were not provided.'],
  [
    'another scheme',
    { authorization: `Bearer ${TOKEN}` },
    'Authentication credentials were not provided.',
  ],
  ['an unknown token', { authorization: 'Token x' }, 'Invalid token.'],
];

for (const [title, headers, detail] of USERS) {
  test(`${title} is a 401 that asks for a token`, async ({ request }) => {
    const response = await request(UPLOAD, { method: 'POST', headers, body: 'x' });
    assert.is(response.status, 401);
    assert.is(response.headers.get('www-authenticate'), 'Token');
    assert.equal(await response.json(), { detail });
  });
}

test('a user who is disabled, and one without the permission, are refused', async () => {
  const client = await startDms({
    tokens: [
      { token: 'off', active: false },
      { token: 'reader', may_add_documents: false, may_view_tasks: false },
    ],
  });
  const off = await client.request(UPLOAD, { method: 'POST' });
  assert.equal([off.status, await off.json()], [401, { detail: 'User inactive or deleted.' }]);
  const headers = { authorization: 'Token reader' };
  const reader = await client.request(UPLOAD, { method: 'POST', headers });
  assert.equal([reader.status, await reader.text()], [403, 'Insufficient permissions']);
  assert.match(reader.headers.get('content-type') ?? '', /^text\/html/);
  assert.is((await client.request('/api/tasks/', { headers })).status, 403);
  await client.close();
});

test('without the slash at its end the path is another one', async ({ request }) => {
  const response = await request(UPLOAD.slice(0, -1), { method: 'POST', body: 'x' });
  assert.is(response.status, 403);
  assert.match(await response.text(), /CSRF verification failed/);
});

const VERSIONS: readonly (readonly ['2.20' | '3.0', string, number])[] = [
  ['2.20', 'application/json; version=9', 405],
  ['2.20', 'application/json; version=1', 405],
  ['2.20', 'application/json; version=10', 406],
  ['3.0', 'application/json; version=9', 405],
  ['3.0', 'application/json; version=10', 405],
  ['3.0', 'application/json; version=8', 406],
  ['3.0', 'application/json; version=x', 406],
  ['3.0', 'application/json', 405],
  ['3.0', '*/*', 405],
  ['3.0', 'text/plain, application/json', 405],
  ['3.0', 'text/plain', 406],
];

for (const [version, accept, status] of VERSIONS) {
  test(`${version} answers ${accept} with ${status}, before it looks at the token`, async () => {
    const client = await startDms({ version });
    assert.is((await client.request(UPLOAD, { headers: { accept } })).status, status);
    const strangers = { accept, authorization: 'Token x' };
    const stranger = await client.request(UPLOAD, { headers: strangers });
    assert.is(stranger.status, status === 406 ? 406 : 401);
    await client.close();
  });
}

test.run();
