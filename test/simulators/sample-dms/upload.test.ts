import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DmsVersion } from '../../../simulators/sample-dms/options.ts';
import { withFixture } from '../../support/with-fixture.ts';
import { PDF, startDms, TOKEN, type DmsClient } from './dms-client.ts';

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

const FILES: readonly (readonly [string, string, string, string | undefined])[] = [
  ['an empty file', '', 'a.pdf', 'The submitted file is empty.'],
  ['a ZIP called PDF', 'PK\u0003\u0004..', 'a.pdf', 'File type application/zip not supported'],
  ['unknown bytes', '\0\u0001\u0002', 'a.bin', 'File type application/octet-stream not supported'],
  ['HTML', ' <!DOCTYPE html>\n<html>', 'a.pdf', 'File type text/html not supported'],
  ['JSON', '{"a":1}\n', 'a.pdf', 'File type application/json not supported'],
  ['XML', '<?xml version="1.0"?><a/>', 'a.pdf', 'File type text/xml not supported'],
  ['unknown bytes called PDF', '\0\u0001\u0002', 'a.pdf', undefined],
  ['a PDF after a little garbage', `junk\n${PDF}`, 'a.pdf', undefined],
  ['text', '{hello', 'a.txt', undefined],
];

for (const [title, content, filename, error] of FILES) {
  test(`${title} is ${error === undefined ? 'taken' : 'refused'}`, async (client) => {
    const { status, body } = await client.upload([], { content, filename });
    assert.is(status, error === undefined ? 200 : 400);
    if (error === undefined) return;
    assert.equal(body, { document: [error] });
    assert.equal(await readdir(join(client.storeDir, 'incoming')), []);
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

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
const NO_CREDENTIALS = 'Authentication credentials were not provided.';
const WRONG_PASSWORD = 'Invalid username/password.';

const CREDENTIALS: readonly (readonly [string, string | undefined])[] = [
  ['', NO_CREDENTIALS],
  [`Bearer ${TOKEN}`, NO_CREDENTIALS],
  ['Token', 'Invalid token header. No credentials provided.'],
  ['Token a b', 'Invalid token header. Token string should not contain spaces.'],
  ['Token x', 'Invalid token.'],
  ['Token off', 'User inactive or deleted.'],
  [basic('admin:wrong'), WRONG_PASSWORD],
  [basic('nobody:pass:word'), WRONG_PASSWORD],
  [`token  ${TOKEN}`, undefined],
  [basic('admin:pass:word'), undefined],
];

for (const [authorization, detail] of CREDENTIALS) {
  test(`"${authorization}" is ${detail ?? 'good'}`, async () => {
    const tokens = [TOKEN, { token: 'off', username: 'off', active: false }];
    const login = { username: 'admin', password: 'pass:word' };
    const client = await startDms({ tokens, login });
    const { status, headers } = await client.request(UPLOAD, { headers: { authorization } });
    const challenge = authorization.startsWith('Basic') ? 'Basic realm="api"' : 'Token';
    assert.equal(
      [status, headers.get('x-version'), headers.get('www-authenticate')],
      detail === undefined ? [405, '3.0.5', null] : [401, null, challenge],
    );
    await client.close();
  });
}

test('the permission to add documents is asked for since 2.20', async () => {
  for (const version of ['2.18', '2.20', '3.0'] as const) {
    const client = await startDms({ version, tokens: [{ token: 'reader', permissions: [] }] });
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const answer = await client.request(UPLOAD, { method: 'POST', headers, body: PART });
    const body = await answer.text();
    if (version === '2.18') {
      assert.is(answer.status, 200);
    } else {
      assert.equal([answer.status, body], [403, 'Insufficient permissions']);
      assert.match(answer.headers.get('content-type') ?? '', /^text\/html/);
      assert.is(answer.headers.get('x-api-version'), version === '3.0' ? '10' : '9');
    }
    await client.close();
  }
});

test('without the slash at its end the path is another one', async ({ request }) => {
  const response = await request(UPLOAD.slice(0, -1), { method: 'POST', body: 'x' });
  assert.is(response.status, 403);
  assert.match(await response.text(), /CSRF verification failed/);
});

const VERSIONS: readonly (readonly [DmsVersion, string, number])[] = [
  ['2.20', 'application/json; version=9', 405],
  ['2.18', 'application/json; version=9', 405],
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
