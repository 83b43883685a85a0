import type { DocumentMetadata } from '../../../../service/paperless/destination.ts';
import type { Fault } from '../../../../simulators/sample-dms/faults.ts';
import type { SampleDmsOptions } from '../../../../simulators/sample-dms/options.ts';
import { assert, withFixture } from '../../../support/suite.ts';
import { createBench, errorOf, leaksOf, SENTINEL } from './delivery-bench.ts';

const test = withFixture('refused uploads', () => createBench());

const USERS: readonly (readonly [string, SampleDmsOptions['tokens'], string])[] = [
  [
    'an unknown token',
    ['another'],
    'The API token was refused (401 Invalid token). Check the secret dms_api_token.',
  ],
  [
    'the token of a disabled user',
    [{ token: SENTINEL, active: false }],
    'The API token was refused (401 User inactive or deleted). Check the secret dms_api_token.',
  ],
  [
    'a user who may not add documents',
    [{ token: SENTINEL, permissions: [] }],
    'The user of the token may not add documents (403 Insufficient permissions). Grant that user the permission to add documents.',
  ],
];

for (const [title, tokens, expected] of USERS) {
  test(`${title} is refused with what to do`, async () => {
    const bench = await createBench({ tokens });
    const delivery = await bench.deliver();
    assert.is(errorOf(delivery), expected);
    assert.is(delivery.outcome, 'refused');
    assert.is(bench.dms.documents().length, 0);
    await bench.close();
  });
}

const FIELDS: readonly (readonly [string, DocumentMetadata, string])[] = [
  ['an unknown tag', { tags: [3, 99] }, 'tags: Invalid pk "99" - object does not exist'],
  [
    'several unknown things',
    { correspondent: 77, document_type: 78 },
    'correspondent: Invalid pk "77" - object does not exist; document_type: Invalid pk "78" - object does not exist',
  ],
];

for (const [title, metadata, expected] of FIELDS) {
  test(`${title} is named with its field`, async ({ deliver }) => {
    const delivery = await deliver({ metadata });
    const advice = 'Correct the destination in the profile, or the metadata of the request.';
    assert.is(errorOf(delivery), `Paperless-ngx refused the metadata (400 ${expected}). ${advice}`);
    assert.is(delivery.outcome, 'refused');
  });
}

type AnswerFault = Omit<Fault & { kind: 'answer' }, 'kind'>;

const HTML = 'text/html; charset=utf-8';

const REFUSALS: readonly (readonly [string, AnswerFault, string])[] = [
  [
    'a wrong host name, answered by Django in HTML',
    { status: 400, content_type: HTML, body: '<h1>Bad Request (400)</h1>' },
    'The request was refused before it reached the API of Paperless-ngx (400 Bad Request). Check base_url, and that its host is in PAPERLESS_ALLOWED_HOSTS.',
  ],
  [
    'a log-in that a reverse proxy demands',
    { status: 401, content_type: HTML, body: '<title>401 Authorization Required</title>' },
    'The API token was refused (401 Unauthorized). Check the secret dms_api_token.',
  ],
  [
    'a log-in that a reverse proxy demands, and says so',
    {
      status: 401,
      content_type: HTML,
      headers: { 'www-authenticate': 'Basic realm="Family"' },
      body: '<title>401 Authorization Required</title>',
    },
    'asks for a log-in of its own (401 Unauthorized). Let it pass requests to /api/ on without one.',
  ],
  [
    'a bad token, where Paperless-ngx takes a password too',
    {
      status: 401,
      headers: { 'www-authenticate': 'Basic realm="api"' },
      body: '{"detail":"Invalid token."}',
    },
    'The API token was refused (401 Invalid token). Check the secret dms_api_token.',
  ],
  [
    'a bad token where remote users are switched on',
    { status: 403, body: '{"detail":"Invalid token."}' },
    'The API token was refused (403 Invalid token). Check the secret dms_api_token.',
  ],
  [
    'a page against forged forms',
    { status: 403, content_type: HTML, body: '<title>403 Forbidden</title><p>CSRF' },
    'is not the API of Paperless-ngx (403 Forbidden). Check base_url, and that no reverse proxy refuses /api/.',
  ],
  [
    'a server that logs in everybody',
    { status: 403, body: '{"detail":"CSRF Failed: CSRF cookie not set."}' },
    'is not the API of Paperless-ngx (403 CSRF Failed: CSRF cookie not set). Check base_url, and that no reverse proxy refuses /api/.',
  ],
  [
    'another web server',
    { status: 404, content_type: HTML, body: '<title>404</title>' },
    ' (404 Not Found). Check base_url.',
  ],
  [
    'a page that takes no uploads',
    { status: 405, body: '{"detail":"Method \\"POST\\" not allowed."}' },
    ' (405 Method "POST" not allowed). Check base_url.',
  ],
  [
    'a document too large for nginx',
    { status: 413, content_type: HTML, body: '<title>413 Request Entity Too Large</title>' },
    'The document has 0.0 MB, which is too large for the reverse proxy (413 Payload Too Large). Raise its body limit.',
  ],
  [
    'too many requests',
    {
      status: 429,
      body: '{"detail":"Request was throttled."}',
      headers: { 'retry-after': '59' },
    },
    'Paperless-ngx gets too many requests (429 Request was throttled). Try again after 59 s.',
  ],
  [
    'too many requests, without a time to wait',
    { status: 429, headers: { 'retry-after': 'tomorrow' } },
    'Paperless-ngx gets too many requests (429 Too Many Requests). Try again later.',
  ],
  [
    'any other refusal',
    { status: 418 },
    "refused the upload (418 I'm a Teapot). Check base_url and the reverse proxy.",
  ],
  [
    'a status nobody knows',
    { status: 499, body: 'client closed' },
    'refused the upload (499 client closed). Check base_url and the reverse proxy.',
  ],
  ['a redirect without a target', { status: 302 }, 'to nowhere (302). Check base_url.'],
  [
    'a redirect to a script',
    { status: 302, headers: { location: 'javascript:alert(1)' } },
    'to nowhere (302). Check base_url.',
  ],
  [
    'values of custom fields before Paperless-ngx 2.19',
    {
      status: 400,
      body: '{"custom_fields":["Incorrect type. Expected pk value, received str."]}',
    },
    'takes no values for custom fields (400 custom_fields: Incorrect type. Expected pk value, received str). Update it to 2.19 or newer.',
  ],
  [
    'a TLS port of nginx',
    {
      status: 400,
      content_type: HTML,
      body: '<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head>',
    },
    'expects TLS (400 The plain HTTP request was sent to HTTPS port). Begin base_url with https://.',
  ],
  [
    'a TLS port of a program in Go',
    {
      status: 400,
      content_type: 'text/plain',
      body: 'Client sent an HTTP request to an HTTPS server.',
    },
    'Begin base_url with https://.',
  ],
];

for (const [title, fault, expected] of REFUSALS) {
  test(`${title} is a refusal: ${expected.slice(0, 30)}…`, async ({ dms, deliver }) => {
    dms.setFault({ kind: 'answer', ...fault });
    const delivery = await deliver();
    assert.ok(errorOf(delivery).endsWith(expected), errorOf(delivery));
    assert.is(delivery.outcome, 'refused');
    assert.is(dms.uploads().length, 1);
  });
}

test('a redirect is not followed: its target is the base_url', async ({ dms, deliver }) => {
  const location = 'https://paperless.example/p/api/documents/post_document/';
  dms.setFault({ kind: 'answer', status: 301, headers: { location } });
  const delivery = await deliver();
  assert.is(
    errorOf(delivery),
    `${dms.url} redirects uploads to https://paperless.example/p (301). Set base_url to the final address of Paperless-ngx.`,
  );
  assert.is(delivery.outcome, 'refused');
  assert.is(dms.uploads().length, 1);
});

test('a redirect to itself is not followed', async ({ dms, deliver }) => {
  dms.setFault({ kind: 'redirect_to_self' });
  assert.match(errorOf(await deliver()), / to itself \(302\)\. Check the reverse proxy\.$/);
  assert.is(dms.uploads().length, 1);
});

/** The token with each character written as its code. */
function escaped(prefix: string): string {
  return Array.from(SENTINEL, (character) => prefix + Buffer.from(character).toString('hex')).join(
    '',
  );
}

const ECHOES: readonly AnswerFault[] = [
  { status: 400, body: JSON.stringify({ detail: `bad header Token ${SENTINEL}` }) },
  { status: 500, content_type: HTML, body: `<title>Authorization: Token ${SENTINEL}</title>` },
  { status: 200, content_type: 'text/plain', body: `Authorization: Token ${SENTINEL}` },
  { status: 418, content_type: 'text/plain', body: `${'x'.repeat(180)}${SENTINEL}` },
  { status: 302, headers: { location: `/x/${SENTINEL}/` } },
  { status: 302, headers: { location: `/x/${escaped('%')}/` } },
  { status: 400, body: `{"detail":"bad header Token ${escaped('\\u00')}"}` },
  { status: 400, body: `{"detail":"bad header Token ${SENTINEL.replace('/', '\\/')}"}` },
  { status: 400, body: `{"detail":"${'x'.repeat(30_000)}" "Token ${escaped('\\u00')}"` },
  { status: 418, content_type: 'text/plain', body: `"Token ${escaped('\\u00')}` },
  { status: 200, body: JSON.stringify({ echo: `{"token":"${escaped('\\u00')}"}` }) },
];

/** A text whose codes of characters are read. */
function decoded(text: string): string {
  return text.replace(/(?:\\u00|%)([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

for (const fault of ECHOES) {
  test(`a token sent back in a ${fault.status} is not passed on`, async ({ dms, deliver }) => {
    dms.setFault({ kind: 'answer', ...fault });
    const error = errorOf(await deliver());
    assert.equal(leaksOf([error, error.replaceAll('\\', ''), decoded(error)]), []);
    assert.match(error, new RegExp(String(fault.status)));
  });
}
