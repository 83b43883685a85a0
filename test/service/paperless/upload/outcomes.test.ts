import { once } from 'node:events';
import { truncate } from 'node:fs/promises';
import type { NoResponse } from '../../../../service/http-client/tracked-request.ts';
import { askDms } from '../../../../service/paperless/ask-dms.ts';
import { entryOf, type DocumentMetadata } from '../../../../service/paperless/destination.ts';
import { createDms } from '../../../../service/paperless/dms.ts';
import { dryRun } from '../../../../service/paperless/dry-run.ts';
import { explainNetworkError } from '../../../../service/paperless/explain-network-error.ts';
import type { DocumentDelivery } from '../../../../service/paperless/upload/deliver-document.ts';
import { UPLOAD_TIMEOUTS_MS } from '../../../../service/paperless/upload/upload.ts';
import type { Fault } from '../../../../simulators/sample-dms/faults.ts';
import { serve } from '../../../support/serve.ts';
import { assert, suite, withFixture, within } from '../../../support/suite.ts';
import {
  assertEnds,
  createBench,
  deadline,
  errorOf,
  leaksOf,
  LONG_TIMEOUTS_MS,
  SENTINEL,
  SHORT_TIMEOUTS_MS,
} from './delivery-bench.ts';

const test = withFixture('uploads that are not accepted', () => createBench());

const UNKNOWN = ' The document may have been accepted: search for it before sending it again.';

type Answered = Partial<Fault & { kind: 'answer' }>;
const answer = (status: number, body?: string, more: Answered = {}): Fault => ({
  kind: 'answer',
  status,
  ...(body !== undefined && { body }),
  ...more,
});
const page = (status: number, body: string, more: Answered = {}): Fault =>
  answer(status, body, { content_type: 'text/html; charset=utf-8', ...more });
const plain = (status: number, body: string): Fault =>
  answer(status, body, { content_type: 'text/plain' });
const asking = (realm: string): Answered => ({
  headers: { 'www-authenticate': `Basic realm="${realm}"` },
});

/**
 * Faults that one upload meets. Titles state the outcome and message (see `matchesPattern`). After
 * an unknown outcome, the message must warn against sending the document again.
 */
const ANSWERS: Readonly<Record<string, Fault>> = {
  'a wrong host name, answered by Django in HTML → refused: The request was refused before it reached the API of Paperless-ngx (400 Bad Request). Check base_url, and that its host is in PAPERLESS_ALLOWED_HOSTS.':
    page(400, '<h1>Bad Request (400)</h1>'),
  'a log-in that a reverse proxy demands → refused: The API token was refused (401 Unauthorized). Check the secret dms_api_token.':
    page(401, '<title>401 Authorization Required</title>'),
  'a log-in that a reverse proxy demands, and says so → refused: …asks for a log-in of its own (401 Unauthorized). Exempt /api/ from that log-in.':
    page(401, '<title>401 Authorization Required</title>', asking('Family')),
  'a bad token, where Paperless-ngx takes a password too → refused: The API token was refused (401 Invalid token). Check the secret dms_api_token.':
    answer(401, '{"detail":"Invalid token."}', asking('api')),
  'a bad token where remote users are switched on → refused: The API token was refused (403 Invalid token). Check the secret dms_api_token.':
    answer(403, '{"detail":"Invalid token."}'),
  'a page against forged forms → refused: …is not the API of Paperless-ngx (403 Forbidden). Check base_url, and that no reverse proxy refuses /api/.':
    page(403, '<title>403 Forbidden</title><p>CSRF'),
  'a server that logs in everybody → refused: …is not the API of Paperless-ngx (403 CSRF Failed: CSRF cookie not set). Check base_url, and that no reverse proxy refuses /api/.':
    answer(403, '{"detail":"CSRF Failed: CSRF cookie not set."}'),
  'another web server → refused: … (404 Not Found). Check base_url.': page(
    404,
    '<title>404</title>',
  ),
  'a page that takes no uploads → refused: … (405 Method "POST" not allowed). Check base_url.':
    answer(405, '{"detail":"Method \\"POST\\" not allowed."}'),
  'too many requests → refused: Paperless-ngx gets too many requests (429 Request was throttled). Try again after 59 s.':
    answer(429, '{"detail":"Request was throttled."}', { headers: { 'retry-after': '59' } }),
  'too many requests, without a time to wait → refused: Paperless-ngx gets too many requests (429 Too Many Requests). Try again later.':
    answer(429, undefined, { headers: { 'retry-after': 'tomorrow' } }),
  "any other refusal → refused: …refused the upload (418 I'm a Teapot). Check base_url and the reverse proxy.":
    answer(418),
  'a status nobody knows → refused: …refused the upload (499 client closed). Check base_url and the reverse proxy.':
    answer(499, 'client closed'),
  'a redirect without a target → refused: …to nowhere (302). Check base_url.': answer(302),
  'a redirect to a script → refused: …to nowhere (302). Check base_url.': answer(302, undefined, {
    headers: { location: 'javascript:alert(1)' },
  }),
  'a redirect to another address → refused: …redirects uploads to https://paperless.example/p (301). Set base_url to the final address of Paperless-ngx.':
    answer(301, undefined, {
      headers: { location: 'https://paperless.example/p/api/documents/post_document/' },
    }),
  'a redirect to itself → refused: … to itself (302). Check the reverse proxy.': {
    kind: 'redirect_to_self',
  },
  'values of custom fields before Paperless-ngx 2.19 → refused: …takes no values for custom fields (400 custom_fields: Incorrect type. Expected pk value, received str). Update it to 2.19 or newer.':
    answer(400, '{"custom_fields":["Incorrect type. Expected pk value, received str."]}'),
  'a TLS port of nginx → refused: …expects TLS (400 The plain HTTP request was sent to HTTPS port). Begin base_url with https://.':
    page(400, '<title>400 The plain HTTP request was sent to HTTPS port</title>'),
  'a TLS port of a program in Go → refused: …Begin base_url with https://.': plain(
    400,
    'Client sent an HTTP request to an HTTPS server.',
  ),

  'a 200 with a page → unknown: …answered 200 without a task id (an HTML page: Sign in). Check base_url.…':
    page(200, '<title>Sign in</title>'),
  'a 200 with nothing → unknown: …answered 200 without a task id (nothing). Check base_url.…':
    answer(200),
  'the answer of Paperless-ngx before 1.11.3 → unknown: …answered 200 without a task id (OK). Check base_url.…':
    answer(200, '"OK"'),
  'a 200 with other JSON → unknown: …answered 200 without a task id (task_id: 00000000-0000-4000-8000-000000000000).…':
    answer(200, '{"task_id":"00000000-0000-4000-8000-000000000000"}'),
  'a broker that is down → unknown: Paperless-ngx failed (500 Internal Server Error). Check its log, its disk, and whether its broker (Redis) is running.…':
    page(500, '<h1>Server Error (500)</h1>'),
  'a 500 that is not worded by Django → unknown: Paperless-ngx failed (500 database is locked). Check its log.…':
    answer(500, '{"detail":"database is locked"}'),
  'a 303, which may follow a request that was carried out → unknown: …did not answer as Paperless-ngx does (303 See Other). Check base_url and the reverse proxy.…':
    answer(303, undefined, { headers: { location: '/dashboard' } }),
  'a 300 → unknown: …did not answer as Paperless-ngx does (300…': answer(300),
  'a 600 → unknown: Paperless-ngx failed (600 unknown status).…': answer(600),
  'a proxy without its server → unknown: The reverse proxy got no answer from Paperless-ngx (502 Bad Gateway). Check that Paperless-ngx is running.…':
    page(502, '<title>502</title>'),
  'a proxy that gave up waiting, after the document was stored → unknown: The reverse proxy got no answer from Paperless-ngx (504 Gateway Timeout). Check that Paperless-ngx is running.…':
    page(504, '', { store: true }),
  'any other 5xx → unknown: Paperless-ngx failed (507 Insufficient Storage). Check its log.…':
    answer(507),
  'an answer cut off half-way → unknown: …answered 200 without a task id ("…': {
    kind: 'reset',
    when: 'mid_answer',
    store: true,
  },
  'a connection lost between document and answer → unknown: …closed the connection without an answer (ECONNRESET).…':
    { kind: 'reset', when: 'after_body', store: true },
  'a system that never answers → unknown: …received the document and did not answer within 0.5 s.…':
    { kind: 'hang', when: 'after_body', store: true },
};

for (const [title, fault] of Object.entries(ANSWERS)) {
  test(title, async ({ dms, deliver }) => {
    const [, outcome = '', said = ''] = / → (refused|unknown): (.*)$/u.exec(title) ?? [];
    const isUnknown = outcome === 'unknown';
    dms.setFault(fault);
    const timeouts = fault.kind === 'hang' ? SHORT_TIMEOUTS_MS : LONG_TIMEOUTS_MS;
    assertEnds(await deliver({ timeouts }), `${outcome}: ${said}${isUnknown ? UNKNOWN : ''}`);
    assert.is(dms.uploads().length, 1);
    await dms.idle();
    assert.is(dms.documents().length, 'store' in fault && fault.store ? 1 : 0);
  });
}

const REFUSED: Readonly<Record<string, { user?: object; metadata?: DocumentMetadata }>> = {
  'The user of the token may not add documents (403 Insufficient permissions). Grant that user the permission to add documents.':
    { user: { permissions: [] } },
  'Paperless-ngx refused the metadata (400 tags: Invalid pk "99" - object does not exist). Correct the destination in the profile, or the metadata of the request.':
    { metadata: { tags: [3, 99] } },
  'Paperless-ngx refused the metadata (400 correspondent: Invalid pk "77" - object does not exist; document_type: Invalid pk "78" - object does not exist). Correct the destination in the profile, or the metadata of the request.':
    { metadata: { correspondent: 77, document_type: 78 } },
};
for (const [said, { user, metadata = {} }] of Object.entries(REFUSED)) {
  test(said, async ({ dms, deliver }) => {
    if (user) dms.setUser({ token: SENTINEL, ...user });
    assertEnds(await deliver({ metadata }), `refused: ${said}`);
    assert.is(dms.documents().length, 0);
  });
}

function escaped(prefix: string): string {
  const codes = Array.from(SENTINEL, (character) => Buffer.from(character).toString('hex'));
  return codes.map((code) => prefix + code).join('');
}

const ECHOES: readonly Fault[] = [
  answer(400, JSON.stringify({ detail: `bad header Token ${SENTINEL}` })),
  page(500, `<title>Authorization: Token ${SENTINEL}</title>`),
  plain(200, `Authorization: Token ${SENTINEL}`),
  plain(418, `${'x'.repeat(180)}${SENTINEL}`),
  answer(302, undefined, { headers: { location: `/x/${SENTINEL}/` } }),
  answer(302, undefined, { headers: { location: `/x/${escaped('%')}/` } }),
  answer(400, `{"detail":"bad header Token ${escaped('\\u00')}"}`),
  answer(400, `{"detail":"bad header Token ${SENTINEL.replace('/', '\\/')}"}`),
  answer(400, `{"detail":"${'x'.repeat(30_000)}" "Token ${escaped('\\u00')}"`),
  plain(418, `"Token ${escaped('\\u00')}`),
  answer(200, JSON.stringify({ echo: `{"token":"${escaped('\\u00')}"}` })),
];

function decoded(text: string): string {
  return text.replace(/(?:\\u00|%)([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

for (const [index, fault] of ECHOES.entries()) {
  test(`a token echoed by the server is not passed on (${index})`, async ({ dms, deliver }) => {
    dms.setFault(fault);
    const error = errorOf(await deliver());
    assert.equal(leaksOf([error, error.replaceAll('\\', ''), decoded(error)]), []);
    if ('status' in fault) assert.match(error, new RegExp(String(fault.status)));
  });
}

/** Exceeds the socket buffers of both ends, so that an upload can be interrupted half-way. */
const LARGE_BYTES = 30_000_000;

test('a connection reset in the middle of a document', async ({ dms, deliver, document }) => {
  dms.setFault({ kind: 'reset', when: 'mid_body' });
  assertEnds(
    await deliver({ document: await document('large.pdf', LARGE_BYTES) }),
    'unknown: … closed the connection during the upload (…). Check the body limit of the reverse proxy. If nothing was ever delivered there, check whether base_url …',
  );
  assert.is(dms.documents().length, 0);
});

test('a system that stops reading half-way', async ({ dms, deliver, document }) => {
  dms.setFault({ kind: 'hang', when: 'before_body' });
  const delivery = await deliver({
    document: await document('large.pdf', LARGE_BYTES),
    timeouts: { ...LONG_TIMEOUTS_MS, socket: 500 },
  });
  assertEnds(delivery, 'unknown: The upload to … did not move for 0.5 s.…');
});

test('an early refusal is read, and the rest is not sent', async ({ dms, deliver, document }) => {
  dms.setFault(page(413, '', { early: true }));
  const delivery = await deliver({ document: await document('large.pdf', LARGE_BYTES) });
  assertEnds(
    delivery,
    'refused: The document has 30.0 MB, which is too large for the reverse proxy (413 Payload Too Large). Raise its body limit.',
  );
});

test('a document changed during the upload is detected', async ({ dms, deliver, document }) => {
  const file = await document('large.pdf', LARGE_BYTES);
  dms.events.once('upload_started', () => void truncate(file.path, 1000));
  const said = 'The document could not be read while it was uploaded.…';
  assertEnds(await deliver({ document: file }), `unknown: ${said}`);
  await dms.idle();
  assert.is(dms.documents().length, 0);
});

test('a deadline that has already passed prevents the upload', async ({ dms, deliver }) => {
  const delivery = await deliver({ signal: AbortSignal.abort() });
  assertEnds(delivery, 'refused: The deadline passed before the upload began.');
  assert.is(dms.uploads().length, 0);
});

for (const when of ['before_body', 'after_body'] as const) {
  test(`a deadline that passes while the system hangs ${when} ends the upload immediately`, async ({
    dms,
    deliver,
    document,
  }) => {
    dms.setFault({ kind: 'hang', when });
    const { signal, pass } = deadline();
    const reached = when === 'before_body' ? 'upload_started' : 'body_received';
    dms.events.once(reached, pass);
    const ended = once(dms.events, 'upload_ended', { signal: AbortSignal.timeout(50_000) });
    const large = await document('large.pdf', LARGE_BYTES);
    const delivered = deliver({ document: large, signal });
    const delivery = await within(50_000, delivered);
    // If it hangs before the body, the system does not read and cannot notice that the connection
    // closes.
    if (when === 'after_body') await ended;
    else ended.catch(() => {});
    assertEnds(delivery, `unknown: The deadline passed during the upload.${UNKNOWN}`);
  });
}

test('a deadline that passes while a page is read for the task id', async ({ dms, deliver }) => {
  const { signal, pass } = deadline();
  // The whole answer would take half a minute.
  dms.setFault({ kind: 'slow_answer', byte_ms: 1000 });
  dms.events.once('body_received', () => void setTimeout(pass, 200));
  assertEnds(
    await deliver({ signal }),
    `unknown: The deadline passed during the upload.${UNKNOWN}`,
  );
});

const tokens = withFixture('the token of a destination', () => createBench());

tokens('each destination uses the token that it names', async ({ dms, deliver, destination }) => {
  const asked: string[] = [];
  const delivery = await deliver({
    destination: destination({ token_secret: 'second_token' }),
    readSecret: async (name) => {
      asked.push(name);
      return 'wrong';
    },
  });
  assert.equal(asked, ['second_token']);
  assert.match(
    errorOf(delivery),
    'was refused (401 Invalid token). Check the secret second_token.',
  );
  assert.is(dms.uploads()[0]?.headers.authorization, 'Token wrong');
});

tokens('may be written as in the API examples', async ({ dms, deliver, captured }) => {
  const delivery = await deliver({ readSecret: async () => `Authorization: Token ${SENTINEL}` });
  assert.is(dms.uploads()[0]?.headers.authorization, `Token ${SENTINEL}`);
  assert.equal(leaksOf([JSON.stringify(delivery), captured.text()], SENTINEL), []);
});

const IN_PROFILE = '0123456789abcdef0123456789abcdef01234567';
const unreadable: DocumentDelivery['readSecret'] = async (name) => {
  throw new Error(`/run/secrets/${name} is a directory`);
};
const WRONG: readonly (readonly [
  token: string,
  readSecret: DocumentDelivery['readSecret'],
  said: string,
])[] = [
  ...['two words', 'line\nbreak', 'Größe', `Bearer ${SENTINEL}`, '\u0000'].map(
    (token) =>
      [
        token,
        async () => token,
        'The secret dms_api_token holds more than a token. Store only the token in it.',
      ] as const,
  ),
  [IN_PROFILE, unreadable, 'The token_secret of this destination is not the name of a secret…'],
  [
    'dms_api_token is not there',
    unreadable,
    'The token cannot be read. Correct its file. (/run/secrets/dms_api_token is a directory)',
  ],
];
for (const [token, readSecret, said] of WRONG) {
  tokens(`${JSON.stringify(token.slice(0, 9))} is not a valid token`, async (bench) => {
    const { dms, deliver, destination, captured } = bench;
    const token_secret = token === IN_PROFILE ? token : 'dms_api_token';
    const delivery = await deliver({ destination: destination({ token_secret }), readSecret });
    assertEnds(delivery, `refused: ${said}`);
    assert.is(dms.uploads().length, 0);
    assert.equal(leaksOf([errorOf(delivery), captured.text()], token), []);
  });
}

const network = suite('network errors');

const NAME = 'https://paperless';
const LOOK_UP = 'Check the network and its DNS, or give the address in digits in base_url.';
const CANNOT_LOOK_UP = `https://paperless cannot be looked up. ${LOOK_UP}`;
const NO_FIREWALL = 'Check that the host is up and that no firewall blocks it.';
/** Failures before the connection exists, by error code and timed-out phase. */
const UNSENT: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Connection refused at https://paperless. Check that Paperless-ngx is running.',
  ENOTFOUND: 'The host name of https://paperless was not found (DNS). Check base_url.',
  EAI_AGAIN: `The name server does not answer: ${CANNOT_LOOK_UP}`,
  EHOSTUNREACH: 'There is no route to https://paperless. Check that the host is up.',
  ENETUNREACH: 'There is no route to https://paperless. Check that the network is up.',
  ETIMEDOUT: `No connection to https://paperless could be made. ${NO_FIREWALL}`,
  ERR_ABORTED: `No connection to https://paperless could be made. ${NO_FIREWALL}`,
  'ETIMEDOUT lookup': `The name server did not answer within 5 s: ${CANNOT_LOOK_UP}`,
  'ETIMEDOUT connect': `No connection to https://paperless could be made within 5 s. ${NO_FIREWALL}`,
  'ETIMEDOUT secureConnect':
    'https://paperless set up no TLS connection within 10 s. Check base_url.',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'The TLS certificate of https://paperless is self-signed. Give it to the service with NODE_EXTRA_CA_CERTS (see deploy/paperless).',
  CERT_HAS_EXPIRED: 'The TLS certificate of https://paperless has expired. Renew it.',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'The TLS certificate of https://paperless is for another host name. Check base_url.',
  ERR_SSL_WRONG_VERSION_NUMBER:
    'https://paperless does not speak TLS (ERR_SSL_WRONG_VERSION_NUMBER). Begin base_url with http:// if that is intended.',
  ERR_UPLOAD:
    'The document could not be read while it was uploaded. Check the disk of the scan directory.',
  EMFILE: 'The connection to https://paperless failed (EMFILE). Check base_url and the network.',
};
/** Failures on a connection; `sent`: after the body. */
const SENT: Readonly<Record<string, string>> = {
  'ETIMEDOUT socket': 'The upload to … did not move for 60 s.…',
  'ETIMEDOUT socket sent': '…received the document and did not answer within 60 s.…',
  ECONNRESET: '…closed the connection during the upload (ECONNRESET). Check the body limit…',
  'ECONNRESET - sent':
    '…received the document and closed the connection without an answer (ECONNRESET). Check its log.…',
  'ETIMEDOUT response sent': '…received the document and did not answer within 60 s.…',
  'ETIMEDOUT send': '…read the document too slowly.…',
  HPE_INVALID_CONSTANT: '…did not answer in HTTP…',
  ERR_UPLOAD: 'The document could not be read while it was uploaded.…',
};
for (const [connected, rows] of [
  [false, UNSENT],
  [true, SENT],
] as const) {
  for (const [facts, said] of Object.entries(rows)) {
    const outcome = connected ? 'unknown' : 'refused';
    network(`${facts} ${connected ? 'on' : 'before'} a connection → ${outcome}`, () => {
      const [code = '', timeout = '-', sent] = facts.split(' ');
      const delivery = explain({
        code,
        connected,
        bodySent: sent === 'sent',
        ...(timeout !== '-' && { timeout: timeout as NoResponse['timeout'] }),
      });
      assertEnds(delivery, `${outcome}: ${said}${connected ? UNKNOWN : ''}`);
    });
  }
}

const ENDS = {
  'the deadline passes': new DOMException('', 'TimeoutError'),
  'the call is aborted': new Error('no more'),
} as const;

for (const [when, reason] of Object.entries(ENDS)) {
  network(`a system that is silent until ${when} did not answer in time`, async () => {
    let end = new AbortController();
    const system = await serve(() => end.abort(reason));
    const destination = { kind: 'dms', base_url: system.url, token_secret: 'token' } as const;
    const { accessTo } = createDms(async () => 'token');
    const problem = `${system.url} accepted the connection but did not answer in time. Check its log.`;
    try {
      const asked = await askDms(await accessTo(destination, end.signal), '/api/tasks/');
      assert.equal(asked, { kind: 'unavailable', problem });
      end = new AbortController();
      const ran = await dryRun(await accessTo(destination, end.signal), {});
      assert.equal(ran, { kind: 'broken', link: 'api', problem, code: 'ERR_ABORTED' });
    } finally {
      await system.close();
    }
  });
}

network('no HTTP from an http:// address may mean that the port expects TLS', () => {
  const facts = { connected: true, bodySent: true, code: 'HPE_INVALID_CONSTANT' };
  const said = errorOf(explain(facts, 'http://paperless'));
  assert.match(said, /Check base_url, and whether it must begin with https:\/\/\./);
  assert.not.match(errorOf(explain(facts)), 'must begin with');
});

function explain(facts: Partial<NoResponse>, name = NAME): ReturnType<typeof entryOf> {
  const none = { connected: false, bodySent: false, code: 'EUNKNOWN', timeout: undefined };
  const failed: NoResponse = { kind: 'no_response', ...none, ...facts };
  return entryOf(explainNetworkError(failed, name, UPLOAD_TIMEOUTS_MS));
}
