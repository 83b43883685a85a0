import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import pLimit from 'p-limit';
import { Failure } from '../../../helpers/failure.ts';
import { REPLY_EVENTS, REQUEST_EVENTS, type ScannedPage } from '../../../helpers/ipc/messages.ts';
import { createRequestClient, type RequestClient } from '../../../helpers/ipc/request-client.ts';
import { seededRandom } from '../../fault/support/seeded-random.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { assert, EVENT_MS, failure, rejection, withFixture, within } from '../../support/suite.ts';
import { LOOK, openBench, page, REQUEST, SUMMARY } from './ipc-bench.ts';

/** What no peer of ours sends: neither side may die of it, or serve others worse. */
const test = withFixture('hostile frames', async (directory) => {
  const bench = await openBench(directory);
  const reasons: unknown[] = [];
  const take = (reason: unknown): void => void reasons.push(reason);
  process.on('unhandledRejection', take);
  const close = async (): Promise<void> => {
    process.off('unhandledRejection', take);
    await bench.close();
    assert.equal(reasons, [], 'nothing that would end the process');
  };
  return { ...bench, close };
});

/** Between two messages of node-ipc. */
const END = '\f';
const DEEP = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;

/** Each is sent as it is, on a connection of its own. */
const FRAMES: [string, string][] = [
  ['null', `null${END}`],
  ['no object', `[]${END}`],
  ['no type', `{}${END}`],
  ['a type that is no text', `{"type":5}${END}`],
  ['no JSON', `GET / HTTP/1.1\r\n\r\n${END}`],
  ['an event of the connection itself', `{"type":"error","data":{}}${END}`],
  ['the end of the connection, as an event', `{"type":"socket.disconnected","data":{}}${END}`],
  ['a property of every object', `{"type":"constructor","data":{}}${END}`],
  ['the prototype', `{"type":"__proto__","data":{}}${END}`],
  ['an event that nobody knows', `{"type":"shutdown","data":{"id":"a"}}${END}`],
  ['an event with a very long name', `{"type":"${'x'.repeat(1000)}"}${END}`],
  ['half a frame', '{"type":"health","da'],
  ['3 MiB without an end', 'x'.repeat(3 * 1024 * 1024)],
  ['a frame of 2 MiB', `{"type":"health","data":{"id":"${'x'.repeat(2 * 1024 * 1024)}"}}${END}`],
  ['empty frames', END.repeat(1000)],
  ['bytes that are no UTF-8', `\u00FF\u00FE${END}`],
  ...[...REQUEST_EVENTS, ...REPLY_EVENTS].flatMap((event): [string, string][] => [
    [`${event} without a payload`, `{"type":"${event}"}${END}`],
    [`${event} with a payload of another kind`, `{"type":"${event}","data":[1,"2",null]}${END}`],
    [`${event} without an id`, `{"type":"${event}","data":{"request":{}}}${END}`],
    [`${event} with an id only`, `{"type":"${event}","data":{"id":"a"}}${END}`],
    [`${event} with a deep payload`, `{"type":"${event}","data":{"id":"a","x":${DEEP}}}${END}`],
    [`${event} with prototype`, `{"type":"${event}","data":{"id":"a","__proto__":{"x":1}}}${END}`],
  ]),
];

const DESCRIPTION = { sources: [], modes: [], resolutions: [], options: [] };

/** Sends, and waits until the other side hangs up or has had the time to choke on it. */
async function throwAt(socketPath: string, frames: string): Promise<void> {
  const socket = createConnection(socketPath);
  socket.on('error', () => {});
  socket.resume();
  await once(socket, 'connect');
  const sent = Promise.withResolvers<void>();
  socket.write(frames, 'latin1', () => sent.resolve());
  await sent.promise;
  socket.end();
  await within(EVENT_MS, once(socket, 'close'), 'the end of the connection');
}

test('do not hurt the runtime', async ({ socket, serve, client, serverLog }) => {
  await serve();
  const asking = client();
  for (const [name, frame] of FRAMES) {
    await throwAt(socket, frame);
    const answer = await asking.ask('health', {}, LOOK);
    assert.equal(answer, { status: 'ok', scanning: [] }, name);
  }
  assert.not.match(serverLog.text(), '"level":"error"', 'none of them is a bug');
});

test('of a second request with the same id are dropped', async ({ socket, serve }) => {
  await serve({ describe_device: async ({ device }) => ({ ...DESCRIPTION, device }) });
  const ask = `{"type":"describe_device","data":{"id":"a","ask":{"device":"a:b"}}}${END}`;
  const peer = createConnection(socket);
  let got = '';
  peer.on('data', (data) => (got += String(data)));
  peer.write(ask + ask);
  await within(EVENT_MS, once(peer, 'data'));
  peer.write(`{"type":"health","data":{"id":"last","ask":{}}}${END}`);
  while (!got.includes('"last","result"')) await within(EVENT_MS, once(peer, 'data'));
  assert.is(got.split(END).filter((frame) => frame.includes('"id":"a","result"')).length, 1);
  peer.destroy();
});

/** A server in the place of the runtime that answers every frame with the same bytes. */
async function impostor(socketPath: string, answer: (request: string) => string): Promise<Server> {
  const server = createServer((socket: Socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => {
      for (const request of String(data).split(END).filter(Boolean)) {
        socket.write(answer(request), 'latin1');
      }
    });
  });
  server.listen(socketPath);
  await once(server, 'listening');
  return server;
}

async function closeServer(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}

/** A frame as the answer to the request that came. */
function answering(frame: string, request: string): string {
  const id = /"id":"(?<id>[^"]+)"/u.exec(request)?.groups?.['id'] ?? '';
  return frame.replaceAll('"id":"a"', `"id":"${id}"`);
}

const HEALTHY = `{"type":"result","data":{"id":"a","result":{"status":"ok","scanning":[]}}}${END}`;

/** What came of half a frame before is one frame with the next answer; the connection after that is good. */
async function answersAgain(client: RequestClient): Promise<void> {
  const ask = (): Promise<unknown> => client.ask('health', {}, LOOK);
  assert.equal(await ask().catch(ask), { status: 'ok', scanning: [] });
}

test('do not hurt the service, which connects again', async ({ directory }) => {
  const meet = async ([name, hostile]: [string, string], index: number): Promise<void> => {
    let frame = hostile;
    const socket = path.join(directory, `${index}.sock`);
    const server = await impostor(socket, (request) => answering(frame, request));
    const client = createRequestClient(socket, capturedLog().log);
    const error = await rejection(client.ask('health', {}, { ...LOOK, deadlineMs: 1000 }));
    assert.is((error as { code?: string }).code, 'scanner_runtime_unreachable', name);
    frame = HEALTHY;
    await answersAgain(client);
    client.close();
    await closeServer(server);
  };
  await Promise.all(FRAMES.map(meet));
});

test('for requests that ended are passed over', async ({ socket }) => {
  const gone = `{"type":"result","data":{"id":"long gone","result":1}}${END}`;
  const server = await impostor(socket, (request) => gone + answering(HEALTHY, request));
  const { log, text } = capturedLog();
  const client = createRequestClient(socket, log);
  assert.equal(await client.ask('health', {}, LOOK), { status: 'ok', scanning: [] });
  assert.match(text(), 'belongs to no open request');
  client.close();
  await closeServer(server);
});

test('are not waited for: a runtime that accepts nothing is silent', async ({ socket }) => {
  const server = await impostor(socket, () => '');
  const client = createRequestClient(socket, capturedLog().log);
  const { message } = await failure(
    'scanner_runtime_unreachable',
    within(EVENT_MS, client.ask('health', {}, LOOK)),
  );
  assert.match(message, 'did not react within 3 s');
  client.close();
  await closeServer(server);
});

const MUTATIONS = 1000;
/** Connections at once, of the sixteen that the runtime takes. */
const AT_ONCE = 8;
/** How long a request waits whose answer was mutated beyond recognition. */
const SHORT = { ...LOOK, deadlineMs: 250 };
/** A new one for each run; it is in the name of what fails, and runs it again when it is put here. */
const SEED = Date.now() % 1_000_000;

/** Nearly right frames of both sides. */
const REQUESTS = [
  ['health', { ask: {} }],
  ['list_devices', { ask: {} }],
  ['describe_device', { ask: { device: 'test:0', source: 'ADF' } }],
  ['scan', { ask: { ...REQUEST, device: 'a:b', scanner_options: { a: 1 } } }],
  ['cancel', {}],
] as const;
const JAM = { code: 'scanner_jammed', what: 'stuck', facts: { page_count: 1 } };
const REPLIES = [
  ['accepted', {}],
  ['page', { page: page(1) }],
  ['result', { result: SUMMARY }],
  ['failed', { failure: JAM }],
  ['result', { result: { status: 'ok', scanning: [] } }],
] as const;

/** What JSON, node-ipc's frames and JavaScript trip over. */
const PIECES =
  `" { } [ ] : , \\ ${END} \0 null true 1e999 -1 \u00FF "id":"a" "__proto__":{"x":1}, ../ "data": "type":"page"`.split(
    ' ',
  );

/** Each is one of the frames with up to three pieces put in, each now and then in place of some characters. */
function mutated(frames: readonly (readonly [event: string, data: object])[]): string[] {
  const next = seededRandom(SEED);
  const random = (limit: number): number => Math.floor(next() * limit);
  return Array.from({ length: MUTATIONS }, () => {
    const [type, data] = frames[random(frames.length)] ?? [];
    let text = JSON.stringify({ type, data: { id: 'a', ...data } });
    for (let changes = 1 + random(3); changes > 0; changes -= 1) {
      const at = random(text.length);
      const cut = random(3) === 0 ? random(10) : 0;
      text = text.slice(0, at) + (PIECES[random(PIECES.length)] ?? '') + text.slice(at + cut);
    }
    return `${text}${END}`;
  });
}

test('that are nearly right, a thousand: the runtime serves the next one', async (bench) => {
  await bench.serve({ describe_device: async ({ device }) => ({ ...DESCRIPTION, device }) });
  const limit = pLimit(AT_ONCE);
  // After the first wrong one a connection is closed, and hides the rest.
  const thrown = mutated(REQUESTS).map((frame) => limit(() => throwAt(bench.socket, frame)));
  await Promise.all(thrown);
  await answersAgain(bench.client());
  assert.not.match(bench.serverLog.text(), '"level":"error"', `seed ${SEED}`);
});

test('that are nearly right: each request ends, and the next works', async ({ directory }) => {
  const frames = mutated(REPLIES);
  /** What may be made of one: a failure of the catalogue, or an answer; pages are whole. */
  const meet = async (some: readonly string[], index: number): Promise<void> => {
    let frame = '';
    const socket = path.join(directory, `mutated-${index}.sock`);
    const server = await impostor(socket, (request) => answering(frame, request));
    const client = createRequestClient(socket, capturedLog().log);
    for (frame of some) {
      const pages: ScannedPage[] = [];
      const onPage = (one: ScannedPage): void => void pages.push(one);
      const asked = client.ask('scan', REQUEST, { ...SHORT, onPage });
      const error = await within(EVENT_MS, asked, frame).catch((reason: unknown) => reason);
      if (error instanceof Error) assert.instance(error, Failure, `seed ${SEED}: ${frame}`);
      for (const { filename } of pages) assert.match(filename, /^page-\d{4}\.tif$/, frame);
    }
    frame = HEALTHY;
    await answersAgain(client);
    client.close();
    await closeServer(server);
  };
  const CLIENTS = 40;
  const groups = Array.from({ length: CLIENTS }, (_, client) =>
    frames.filter((_frame, index) => index % CLIENTS === client),
  );
  await Promise.all(groups.map(meet));
});
