import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { QUESTION_TIMEOUTS_MS } from '../../../service/paperless/ask-dms.ts';
import { createSelfSignedCertificate } from '../paperless/upload/self-signed-certificate.ts';
import { createSelfTestBench, TOKEN, type SelfTestBench } from './self-test-bench.ts';

const test = suite<{ bench: SelfTestBench }>('what the self-test says of a broken way to a system');

test.before(async (context) => {
  context.bench = await createSelfTestBench();
});
test.after(({ bench }) => bench.close());

/** The problems of a profile that delivers to `base_url`. */
function problemsAt(
  { problems, profile }: SelfTestBench,
  base_url: string,
  fields: object = {},
): Promise<string> {
  return problems({}, profile({ destinations: [{ kind: 'dms', base_url, ...fields }] }));
}

/** Answers every request in one way. */
function always(status: number, body: string, headers: object = {}): RequestListener {
  return (request, response) => {
    request.resume().on('end', () => response.writeHead(status, { ...headers }).end(body));
  };
}

/** What Paperless-ngx answers to an upload without a file. */
const NO_FILE = '{"document":["No file was submitted."]}';
const JSON_TYPE = { 'content-type': 'application/json' };
const healthy = always(400, NO_FILE, JSON_TYPE);

type Serve = () => TcpServer;

function answering(...answer: Parameters<typeof always>): Serve {
  return () => createServer(always(...answer));
}

/** A system whose worker, asked for its state, is in this one. */
function withWorker(redis: string, celery: string, afterMs: number): Serve {
  const listener: RequestListener = (request, response) => {
    if (request.url !== '/api/status/') return healthy(request, response);
    const tasks = { redis_status: redis, celery_status: celery };
    setTimeout(() => response.end(JSON.stringify({ tasks })), afterMs);
  };
  return () => createServer(listener);
}

function behindLimit(): Server {
  const limit: RequestListener = (_, response) => void response.writeHead(413).end();
  return createServer(healthy).on('checkContinue', limit);
}

const selfSigned = (): TcpServer => createHttpsServer(createSelfSignedCertificate(), healthy);

/** Longer than any other question may take; Paperless-ngx 3 waits 3 s for its worker. In milliseconds. */
const PING_MS = QUESTION_TIMEOUTS_MS.response + 500;

const HTML = { 'content-type': 'text/html' };
const AN_HOUR_AGO = new Date(Date.now() - 3_600_000).toUTCString();

const SERVERS: readonly (readonly [string, Serve, RegExp])[] = [
  [
    'a system that accepts connections and stays silent',
    createTcpServer,
    /^fail dms\.api: .* accepted the connection but did not answer within 6\.5 s/,
  ],
  [
    'another application at that address',
    answering(404, '<html><h1>Welcome to nginx</h1></html>', HTML),
    /^fail dms\.api: There is no API of Paperless-ngx at .* Check base_url\.$/,
  ],
  [
    'a proxy that sends everything to https',
    answering(301, '', { location: 'https://paperless.example/api/documents/post_document/' }),
    /^fail dms\.api: .* redirects uploads to https:\/\/paperless\.example .* final address/,
  ],
  [
    'a proxy whose Paperless-ngx is down',
    answering(502, '<h1>502 Bad Gateway</h1>'),
    /^fail dms\.api: The reverse proxy got no answer .* Check that Paperless-ngx is running\.$/,
  ],
  [
    'a server that takes anything',
    answering(200, '"597b92d5-fe9e-46cf-b7ee-18251b82a106"', JSON_TYPE),
    /^fail dms\.api: .* accepted an upload without a file .* Check base_url\.$/,
  ],
  [
    'an API version that it does not know',
    answering(406, '{"detail":"Invalid version in \\"Accept\\" header."}', JSON_TYPE),
    /^fail dms\.version: Paperless-ngx has no API version that this service knows/,
  ],
  [
    'a release that is too old',
    answering(400, NO_FILE, { ...JSON_TYPE, 'x-version': '2.14.7' }),
    /^warn dms\.release: Paperless-ngx 2\.14\.7 is older .* Update it to 2\.16 or newer\.$/,
  ],
  [
    'a clock that is an hour off',
    answering(400, NO_FILE, { ...JSON_TYPE, date: AN_HOUR_AGO }),
    /^warn dms\.clock: The clocks .* differ by 3[56]\d\d s\. Set both/,
  ],
  [
    'a broker that is down',
    withWorker('ERROR', 'ERROR', 0),
    /^warn dms\.worker: Paperless-ngx accepts documents but does not file them\. Check its broker/,
  ],
  [
    'a worker that does not run, which Paperless-ngx takes seconds to find',
    withWorker('OK', 'WARNING', PING_MS),
    /^warn dms\.worker: Paperless-ngx accepts documents but does not file them\. Check its broker/,
  ],
  [
    'a proxy with a limit for uploads',
    behindLimit,
    /^warn dms\.upload_limit: .* 200 MB\. Raise its limit, .*client_max_body_size/,
  ],
  ['a port that expects TLS', selfSigned, /^fail dms\.api: .*https:\/\//],
];

for (const [what, serve, expected] of SERVERS) {
  test(what, async ({ bench }) => {
    const found = await withServer(serve(), (port) =>
      problemsAt(bench, `http://127.0.0.1:${port}`),
    );
    assert.match(found, expected);
  });
}

async function withServer(
  server: Server | TcpServer,
  body: (port: number) => Promise<string>,
): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  try {
    return await body(typeof address === 'object' ? (address?.port ?? 0) : 0);
  } finally {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  }
}

test('a certificate that nobody vouches for', async ({ bench }) => {
  const found = await withServer(selfSigned(), (port) =>
    problemsAt(bench, `https://127.0.0.1:${port}`),
  );
  assert.match(found, /^fail dms\.tls: .* is self-signed\. .*NODE_EXTRA_CA_CERTS/);
});

test('an address that is wrong', async ({ bench }) => {
  const { url } = bench.sample;
  for (const [address, expected] of [
    [
      'http://127.0.0.1:1',
      /^fail dms\.tcp: Connection refused at .* Check that Paperless-ngx is running\.$/,
    ],
    [
      url.replace('http:', 'https:'),
      /^fail dms\.tls: .* does not speak TLS .* Begin base_url with http:\/\//,
    ],
    [
      `${url}/paperless`,
      /^fail dms\.api: .* is not the API of Paperless-ngx .* Check base_url, and/,
    ],
  ] as const) {
    assert.match(await problemsAt(bench, address), expected, address);
  }
});

test('of a chain that is broken, what comes after is skipped, and says what to look at', async ({
  bench,
}) => {
  const destinations = [{ kind: 'dms', base_url: 'http://paperless.invalid:8000' }];
  const checks = await bench.checks({}, bench.profile({ destinations }));
  const [first, ...others] = checks.filter(({ id }) => id.startsWith('dms.'));
  assert.is(`${first?.status} ${first?.id}`, 'fail dms.name');
  assert.match(first?.message ?? '', /host name of http:\/\/paperless\.invalid:8000 was not found/);
  for (const { status, message } of others) {
    assert.is(status, 'skipped');
    assert.is(message, 'Not checked: see dms.name http://paperless.invalid:8000.');
  }
});

const USERS: readonly (readonly [string, object, object, RegExp])[] = [
  ['nothing', {}, {}, /^$/],
  [
    'a token that was revoked',
    { token: 'another' },
    {},
    /^fail dms\.token: The API token was refused \(401 Invalid token\)\. Check the secret dms_api_token\.$/,
  ],
  [
    'a user who was disabled',
    { active: false },
    {},
    /^fail dms\.token: .*401 User inactive or deleted/,
  ],
  [
    'a user who may not add documents',
    { permissions: ['view_tag'] },
    {},
    /^fail dms\.permission: The user of the token may not add documents .* Grant that user/,
  ],
  [
    'a user who may not see tags that are named',
    { permissions: ['add_document'] },
    { tags: ['Tax'] },
    /^fail dms\.metadata: .*may not view tags\. Grant/,
  ],
  [
    'a tag with a slip of the pen',
    {},
    { tags: ['Invoce'] },
    /^fail dms\.metadata: Profile "default": There is no tag named "Invoce" .* Did you mean "Invoice"\?$/,
  ],
  [
    'an id that is not there',
    { permissions: ['add_document'] },
    { correspondent: 99 },
    /^fail dms\.metadata: .*no correspondent with the id 99/,
  ],
  ['a tag that may be made', {}, { tags: ['Brand new'], create_missing: true }, /^$/],
];

test('tokens, users, names and ids; nothing is uploaded or made', async () => {
  for (const [what, user, fields, expected] of USERS) {
    const bench = await createSelfTestBench({ tokens: [{ token: TOKEN, ...user }] });
    try {
      assert.match(await problemsAt(bench, bench.sample.url, fields), expected, what);
      assert.equal(bench.sample.uploads(), [], what);
      const headers = { Authorization: `Token ${TOKEN}`, Accept: 'application/json' };
      const tags = await fetch(`${bench.sample.url}/api/tags/`, { headers });
      assert.not.match(await tags.text(), 'Brand new');
    } finally {
      await bench.close();
    }
  }
});

test.run();
