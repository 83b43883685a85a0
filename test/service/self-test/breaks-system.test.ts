import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSelfSignedCertificate } from '../paperless/upload/self-signed-certificate.ts';
import { createSelfTestBench, TOKEN, type SelfTestBench } from './self-test-bench.ts';
import { QUESTION_TIMEOUTS_MS } from '../../../service/paperless/ask-dms.ts';
import { createDms } from '../../../service/paperless/dms.ts';

const test = suite<{ bench: SelfTestBench }>('what the self-test says of a broken way to a system');

test.before(async (context) => {
  context.bench = await createSelfTestBench();
});
test.after(({ bench }) => bench.close());

/** The problems of a profile that delivers to `base_url`. */
async function problemsAt(
  { problems, profile }: SelfTestBench,
  base_url: string,
  fields: object = {},
): Promise<string> {
  const destinations = [{ kind: 'dms', base_url, ...fields }];
  return problems({}, profile({ destinations }));
}

async function withServer(
  server: Server | TcpServer,
  body: (port: number) => Promise<void>,
): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  try {
    await body(typeof address === 'object' ? (address?.port ?? 0) : 0);
  } finally {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  }
}

/** A server that answers every request in one way. */
function answering(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): RequestListener {
  return (request, response) => {
    request.resume().on('end', () => response.writeHead(status, headers).end(body));
  };
}

/** Longer than any other question may take; Paperless-ngx 3 waits 3 s for its worker. In milliseconds. */
const PING_MS = QUESTION_TIMEOUTS_MS.response + 500;

/** What Paperless-ngx answers to an upload without a file. */
const NO_FILE = '{"document":["No file was submitted."]}';
const JSON_TYPE = { 'content-type': 'application/json' };

test('nothing is wrong with a healthy one', async ({ bench }) => {
  assert.is(await bench.problems(), '');
  assert.equal(bench.sample.uploads(), []);
});

test('a host name that there is not', async ({ bench }) => {
  const checks = await bench.checks(
    {},
    bench.profile({ destinations: [{ kind: 'dms', base_url: 'http://paperless.invalid:8000' }] }),
  );
  const found = checks.filter(({ id }) => id.startsWith('dms.'));
  assert.is(found[0]?.id, 'dms.name');
  assert.is(found[0]?.status, 'fail');
  assert.match(
    found[0]?.message ?? '',
    /host name of http:\/\/paperless\.invalid:8000 was not found/,
  );
  assert.ok(found.slice(1).every(({ status }) => status === 'skipped'));
  assert.is(found[1]?.message, 'Not checked: see dms.name http://paperless.invalid:8000.');
});

test('a port that nobody listens on', async ({ bench }) => {
  assert.match(
    await problemsAt(bench, 'http://127.0.0.1:1'),
    /^fail dms\.tcp: Connection refused at .* Check that Paperless-ngx is running\.$/,
  );
});

test('a system that accepts connections and stays silent', async ({ bench }) => {
  await withServer(createTcpServer(), async (port) => {
    const found = await problemsAt(bench, `http://127.0.0.1:${port}`);
    assert.match(
      found,
      /^fail dms\.api: .* accepted the connection but did not answer within 2\.5 s/,
    );
  });
});

test('a certificate that nobody vouches for', async ({ bench }) => {
  const server = createHttpsServer(createSelfSignedCertificate(), answering(400, NO_FILE));
  await withServer(server, async (port) => {
    const found = await problemsAt(bench, `https://127.0.0.1:${port}`);
    assert.match(found, /^fail dms\.tls: .* is self-signed\. .*NODE_EXTRA_CA_CERTS/);
    const plain = await problemsAt(bench, `http://127.0.0.1:${port}`);
    assert.match(plain, /^fail dms\.api: .*https:\/\//);
  });
});

test('an address with https where only http is spoken', async ({ bench }) => {
  const found = await problemsAt(bench, bench.sample.url.replace('http:', 'https:'));
  assert.match(found, /^fail dms\.tls: .* does not speak TLS .* Begin base_url with http:\/\//);
});

const ANSWERS: readonly (readonly [string, RequestListener, RegExp])[] = [
  [
    'another application at that address',
    answering(404, '<html><h1>Welcome to nginx</h1></html>', { 'content-type': 'text/html' }),
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
    answering(400, NO_FILE, {
      ...JSON_TYPE,
      date: new Date(Date.now() - 3_600_000).toUTCString(),
    }),
    /^warn dms\.clock: The clocks .* differ by 3[56]\d\d s\. Set both/,
  ],
  [
    'a broker that is down',
    (request, response) =>
      request.url === '/api/status/'
        ? response.end('{"tasks":{"redis_status":"ERROR","celery_status":"ERROR"}}')
        : answering(400, NO_FILE, JSON_TYPE)(request, response),
    /^warn dms\.worker: Paperless-ngx accepts documents but does not file them\. Check its broker/,
  ],
  [
    'a worker that does not run, which Paperless-ngx takes seconds to find',
    (request, response) => {
      if (request.url !== '/api/status/')
        return answering(400, NO_FILE, JSON_TYPE)(request, response);
      const body = '{"tasks":{"redis_status":"OK","celery_status":"WARNING"}}';
      setTimeout(() => response.end(body), PING_MS);
    },
    /^warn dms\.worker: Paperless-ngx accepts documents but does not file them\. Check its broker/,
  ],
];

for (const [what, listener, expected] of ANSWERS) {
  test(what, ({ bench }) =>
    withServer(createServer(listener), async (port) => {
      assert.match(await problemsAt(bench, `http://127.0.0.1:${port}`), expected);
    }),
  );
}

test('a proxy with a limit for uploads', async ({ bench }) => {
  const server = createServer(answering(400, NO_FILE, JSON_TYPE));
  server.on('checkContinue', (_, response) => response.writeHead(413).end());
  await withServer(server, async (port) => {
    const found = await problemsAt(bench, `http://127.0.0.1:${port}`);
    assert.match(
      found,
      /^warn dms\.upload_limit: .* 200 MB\. Raise its limit, .*client_max_body_size/,
    );
  });
});

test('a path that is not the base', async ({ bench }) => {
  const found = await problemsAt(bench, `${bench.sample.url}/paperless`);
  assert.match(found, /^fail dms\.api: .* is not the API of Paperless-ngx .* Check base_url\.$/);
});

const USERS: readonly (readonly [string, object, object, RegExp])[] = [
  [
    'a token that was revoked',
    { token: 'another' },
    {},
    /^fail dms\.token: The API token was refused \(401 Invalid token\)\. Check the secret dms_api_token\.$/,
  ],
  [
    'a user who was disabled',
    { token: TOKEN, active: false },
    {},
    /^fail dms\.token: .*401 User inactive or deleted/,
  ],
  [
    'a user who may not add documents',
    { token: TOKEN, permissions: ['view_tag'] },
    {},
    /^fail dms\.permission: The user of the token may not add documents .* Grant that user/,
  ],
  [
    'a user who may not see tags that are named',
    { token: TOKEN, permissions: ['add_document'] },
    { tags: ['Tax'] },
    /^fail dms\.metadata: .*may not view tags\. Grant/,
  ],
  [
    'a tag with a slip of the pen',
    { token: TOKEN },
    { tags: ['Invoce'] },
    /^fail dms\.metadata: Profile "default": There is no tag named "Invoce" .* Did you mean "Invoice"\?$/,
  ],
  [
    'an id that is not there',
    { token: TOKEN, permissions: ['add_document'] },
    { correspondent: 99 },
    /^fail dms\.metadata: .*no correspondent with the id 99/,
  ],
];

test('tokens, users, names and ids', async () => {
  for (const [what, user, fields, expected] of USERS) {
    const bench = await createSelfTestBench({ tokens: [user as { token: string }] });
    try {
      assert.match(await problemsAt(bench, bench.sample.url, fields), expected, what);
      assert.equal(bench.sample.uploads(), [], what);
    } finally {
      await bench.close();
    }
  }
});

test('a destination that may create what is missing has nothing missing, and nothing is created', async ({
  bench,
}) => {
  const fields = { tags: ['Brand new'], create_missing: true };
  assert.is(await problemsAt(bench, bench.sample.url, fields), '');
  const dms = createDms(async () => TOKEN);
  const never = new AbortController().signal;
  const destination = bench.profile().destinations[0];
  assert.ok(destination);
  const { objects = [] } = await dms.names.list(destination, 'tags', never);
  assert.not.ok(objects.some(({ name }) => name === 'Brand new'));
});

test.run();
