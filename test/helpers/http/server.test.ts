import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ServerLimits } from '../../../helpers/http/server-limits.ts';
import { listen, type ListeningServer } from '../../../helpers/http/server.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { sendTo } from '../../support/send-to.ts';
import { assert, rejection, suite, within } from '../../support/suite.ts';

const test = suite('the HTTP server');

/** Time limit for awaited events: far above the limits under test, far below `ENDLESS`. */
const SOON_MS = 60_000;

const ENDLESS = {
  headersMs: 600_000,
  requestMs: 600_000,
  keepAliveMs: 600_000,
  stalledMs: 600_000,
  closeMs: 600_000,
};

function start(
  handler: RequestListener,
  limits: Partial<ServerLimits> = {},
): Promise<ListeningServer> {
  const fast = { ...ENDLESS, checkIntervalMs: 20, ...limits };
  return listen(handler, { host: '127.0.0.1', port: 0, log: capturedLog().log, limits: fast });
}

const greet: RequestListener = (_, response) => void response.end('here');

async function open(server: ListeningServer): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

async function answerTo(server: ListeningServer, request: string): Promise<string> {
  const socket = await open(server);
  socket.write(request);
  return within(SOON_MS, text(socket), 'the answer');
}

function assertEnvelope(answer: string, status: number, code: string): void {
  assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} [A-Z]`));
  assert.match(answer, /\r\nContent-Type: application\/json; charset=utf-8\r\n/i);
  assert.match(answer, /\r\nX-Content-Type-Options: nosniff\r\n/i);
  assert.match(answer, /\r\nConnection: close\r\n/i);
  const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as Record<string, unknown>;
  assert.is(body['error'], code);
  assert.match(String(body['message']), /^[A-Z].*\. [A-Z].*\.$/);
}

test('a port in use is reported in plain words', async () => {
  const server = await start(greet);
  const options = { host: '127.0.0.1', port: server.port, log: capturedLog().log };
  const error = await rejection(listen(greet, options));
  assert.match(String(error), new RegExp(`Port ${server.port} of 127.0.0.1 is in use. Set PORT`));
  await server.close();
});

const REQUESTED = 'GET / HTTP/1.1\r\nHost: a\r\n';

const REFUSED: [what: string, request: string, status: number, code: string][] = [
  ['no HTTP', 'hello\r\n\r\n', 400, 'malformed_request'],
  ['8 KB of headers', `${REQUESTED}X: ${'x'.repeat(9000)}\r\n\r\n`, 431, 'header_too_large'],
  ['an unknown expectation', `${REQUESTED}Expect: magic\r\n\r\n`, 417, 'expectation_failed'],
  [
    'huge extensions of a chunk',
    `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(20_000)}\r\n`,
    413,
    'body_too_large',
  ],
];

for (const [what, request, status, code] of REFUSED) {
  test(`${what} is refused ${status} with the error envelope`, async () => {
    const server = await start((request) => void request.resume());
    assertEnvelope(await answerTo(server, request), status, code);
    await server.close();
  });
}

for (const [what, sent] of [
  ['nothing', ''],
  ['half its headers', REQUESTED],
  ['half its body', `${REQUESTED}Content-Length: 100\r\n\r\n{`],
] as const) {
  test(`a caller that sends ${what} is answered 408 with the error envelope`, async () => {
    const server = await start((request) => void request.resume(), {
      headersMs: 100,
      requestMs: 200,
    });
    assertEnvelope(await answerTo(server, sent), 408, 'request_timeout');
    await server.close();
  });
}

test('garbage after a request closes the connection silently', async () => {
  const server = await start((_, response) => {
    response.writeHead(200, { 'Content-Length': 4 });
    response.write('he');
  });
  const socket = await open(server);
  socket.write(`${REQUESTED}\r\n`);
  const [begin] = (await once(socket, 'data')) as [Buffer];
  const rest = text(socket);
  socket.write('garbage\r\n\r\n');
  assert.not.match(String(begin) + (await within(SOON_MS, rest)), /400/);
  await server.close();
});

test('a new connection replaces the one that has been idle longest', async () => {
  const server = await start(greet, { maxConnections: 10, freshMs: 0 });
  const idle = await Promise.all(Array.from({ length: 10 }, () => open(server)));
  const dropped = Promise.race(idle.map((socket) => once(socket, 'close')));
  for (let times = 0; times < 20; times += 1) {
    assert.is((await sendTo(server.port, { path: '/' })).text, 'here');
  }
  await within(SOON_MS, dropped, 'the end of an idle connection');
  for (const socket of idle) socket.destroy();
  await server.close();
});

test('an excess connection is dropped once it is idle, even if no further one comes', async () => {
  const server = await start(greet, { maxConnections: 1, freshMs: 200 });
  const both = await Promise.all([open(server), open(server)]);
  const dropped = Promise.race(both.map((socket) => once(socket, 'close')));
  await within(SOON_MS, dropped, 'the end of an idle connection');
  for (const socket of both) socket.destroy();
  await server.close();
});

test('if every connection is busy, another one gets 503 too_many_requests', async () => {
  const { promise: go, resolve: finish } = Promise.withResolvers<void>();
  const server = await start((_, response) => void go.then(() => response.end('done')), {
    maxConnections: 3,
  });
  const used = Array.from({ length: 3 }, () => sendTo(server.port, { path: '/' }));
  const refused = await (async () => {
    for (;;) {
      const answer = sendTo(server.port, { path: '/' });
      const first = await Promise.race([answer, ...used]);
      if (first.status === 503) return first;
    }
  })();
  assert.is(refused.json?.['error'], 'too_many_requests');
  finish();
  for (const answer of await Promise.all(used)) assert.is(answer.text, 'done');
  await server.close();
});

test('a sequential caller is told to reconnect before its requests are refused', async () => {
  const server = await start(greet, { maxRequestsPerConnection: 2 });
  const socket = await open(server);
  const all = text(socket.resume());
  socket.write(`${REQUESTED}\r\n`);
  await once(socket, 'data');
  socket.write(`${REQUESTED}\r\n`);
  const heads = (await within(SOON_MS, all)).match(/Connection: [a-z-]+/gi);
  assert.equal(heads, ['Connection: keep-alive', 'Connection: close']);
  await server.close();
});

test('of pipelined requests, the first beyond the limit is refused and the rest dropped', async () => {
  const later: RequestListener = (_, response) => void setImmediate(() => response.end('here'));
  const server = await start(later, { maxRequestsPerConnection: 3 });
  const answer = await answerTo(server, `${REQUESTED}\r\n`.repeat(10));
  assert.equal(answer.match(/HTTP\/1\.1 \d+/g), [
    ...Array.from({ length: 3 }, () => 'HTTP/1.1 200'),
    'HTTP/1.1 503',
  ]);
  assert.match(answer, /"error":"too_many_requests"/);
  await server.close();
});

const LARGE = Buffer.alloc(20_000_000);

test('an unread answer is abandoned, but not one that waits for its handler', async () => {
  const { promise: go, resolve: finish } = Promise.withResolvers<void>();
  const { promise: givenUp, resolve: giveUp } = Promise.withResolvers<void>();
  const server = await start(
    (request, response) => {
      if (request.url === '/slow') void go.then(() => response.end('here'));
      else response.once('close', giveUp).end(LARGE);
    },
    { stalledMs: 200 },
  );
  const patient = sendTo(server.port, { path: '/slow' });
  const unread = (await open(server)).pause();
  unread.write(`${REQUESTED}\r\n`);
  await within(SOON_MS, givenUp, 'the end of the answer');
  finish();
  assert.is((await patient).text, 'here');
  unread.destroy();
  await server.close();
});

test('closing answers current requests and immediately drops all other connections', async () => {
  const { promise: asked, resolve: wasAsked } = Promise.withResolvers<void>();
  const { promise: go, resolve: finish } = Promise.withResolvers<void>();
  const server = await start((_, response) => {
    wasAsked();
    void go.then(() => response.end('done'));
  });
  const silent = await open(server);
  const halfHeaders = await open(server);
  halfHeaders.write(REQUESTED);
  const dropped = Promise.all([silent, halfHeaders].map((socket) => once(socket, 'close')));
  const answer = sendTo(server.port, { path: '/' });
  await asked;
  const closed = server.close();
  await within(SOON_MS, dropped, 'the end of the idle connections');
  finish();
  assert.is((await answer).text, 'done');
  await within(SOON_MS, closed, 'the close');
});

for (const [what, request] of [
  ['sends half a body', `${REQUESTED}Content-Length: 100\r\n\r\n{`],
  ['does not read its answer', `${REQUESTED}\r\n`],
] as const) {
  test(`closing does not wait for a caller that ${what}`, async () => {
    const { promise: asked, resolve: wasAsked } = Promise.withResolvers<void>();
    const server = await start(
      (request, response) => {
        wasAsked();
        request.resume().once('end', () => response.end(LARGE));
      },
      { closeMs: 100 },
    );
    const socket = (await open(server)).pause();
    socket.write(request);
    await asked;
    await within(SOON_MS, server.close(), 'the close');
    socket.destroy();
  });
}
