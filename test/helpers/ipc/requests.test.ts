import { once } from 'node:events';
import { createConnection } from 'node:net';
import pLimit from 'p-limit';
import { Failure } from '../../../helpers/failure.ts';
import {
  REPLY_EVENTS,
  REQUEST_EVENTS,
  type FedStack,
  type ScannedPage,
} from '../../../helpers/ipc/messages.ts';
import type { AskOptions, RequestClient } from '../../../helpers/ipc/request-client.ts';
import type { RequestHandlers } from '../../../helpers/ipc/request-server.ts';
import { listen } from '../../../helpers/ipc/transport.ts';
import { seededRandom } from '../../fault/support/seeded-random.ts';
import { assert, EVENT_MS, failure, rejection, withFixture, within } from '../../support/suite.ts';
import { REQUEST } from '../scanner/device-samples.ts';
import { END, openBench, page, SUMMARY } from './ipc-bench.ts';

type Options = Partial<AskOptions>;

const NEVER = new AbortController().signal;
const LOOK = { signal: NEVER, deadlineMs: 10 * EVENT_MS, cancelWaitMs: 0 };
const SCAN = { ...LOOK, cancelWaitMs: EVENT_MS };
const test = withFixture('requests to the runtime', async (directory) => {
  const bench = await openBench(directory);
  let made: RequestClient | undefined;
  const client = (): RequestClient => (made ??= bench.connect());
  const unhandled: unknown[] = [];
  const take = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', take);
  return {
    ...bench,
    health: ({ signal = NEVER }: Options = {}) => client().ask('health', {}, { ...LOOK, signal }),
    describe: ({ signal = NEVER, ...options }: Options = {}, device = 'a:b') =>
      client().ask('describe_device', { device }, { ...LOOK, ...options, signal }),
    scan: ({ signal = NEVER, ...options }: Options = {}, changes = {}) =>
      client().ask('scan', { ...REQUEST, ...changes }, { ...SCAN, ...options, signal }),
    hangUp: () => client().close(),
    close: async () => {
      await bench.close();
      process.off('unhandledRejection', take);
      assert.equal(unhandled, [], 'nothing that would end the process');
    },
  };
});

const HEALTHY = { status: 'ok', scanning: [] } as const;
const MAY_HAVE_PASSED = 'After page 1, up to 2 sheets may have gone through';

interface Held {
  readonly scan: RequestHandlers['scan'];
  readonly begun: Promise<void>;
  readonly stopped: () => Promise<unknown>;
}

/** A scan that reports a page and waits for its cancellation. Then returns `end()`, or fails. */
function untilStopped(end?: () => FedStack, first = page(1)): Held {
  const begun = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<unknown>();
  const scan: Held['scan'] = async (_request, { signal, onPage }) => {
    onPage(first);
    begun.resolve();
    await once(signal, 'abort');
    stopped.resolve(signal.reason);
    if (end) return end();
    onPage(page(2));
    throw new Failure('timeout', 'The scan was cancelled.', { facts: { page_count: 2 } });
  };
  return { scan, begun: begun.promise, stopped: () => within(EVENT_MS, stopped.promise) };
}

function listing(): { pages: number[]; onPage: (page: { number: number }) => void } {
  const pages: number[] = [];
  return { pages, onPage: ({ number }) => void pages.push(number) };
}

test('for a scan report each page, in order, before the end', async ({ serve, scan }) => {
  const { pages, onPage } = listing();
  await serve();
  assert.equal(await scan({ onPage }), SUMMARY);
  assert.equal(pages, [1, 2]);
});

test('that fail carry code, message and facts', async ({ serve, scan }) => {
  const facts = { page_count: 3 };
  const jams = (): Promise<never> =>
    Promise.reject(new Failure('scanner_jammed', 'Jam.', { facts }));
  await serve({ scan: jams });
  const jam = await failure('scanner_jammed', scan());
  assert.equal([jam.message, jam.facts], ['Jam.', facts]);
});

test('that hit a bug say so without details, which are logged', async ({
  serve,
  health,
  serverLog,
}) => {
  const broken = (): Promise<never> => Promise.reject(new Error('secret detail'));
  await serve({ health: broken });
  const { message } = await failure('internal_error', health());
  assert.not.match(message, 'secret detail');
  assert.match(serverLog.text(), 'secret detail');
});

test('with wrong fields are refused by the runtime', async ({ serve, scan }) => {
  await serve();
  assert.match((await failure('invalid_body', scan({}, { mode: 3 }))).message, 'mode');
});

test('beyond the limit of a connection are refused; scans go on', async ({
  serve,
  scan,
  health,
  describe,
}) => {
  await serve();
  const stop = new AbortController();
  const questions = Array.from({ length: 60 }, () => rejection(describe(stop)));
  const first = (await within(EVENT_MS, Promise.race(questions))) as Failure;
  assert.is(first.code, 'too_many_requests');
  assert.equal(await health(), HEALTHY);
  assert.equal(await scan(), SUMMARY);
  stop.abort();
  await Promise.all(questions);
});

test('about health never block a scan, however many are open', async ({ serve, scan, health }) => {
  const answered = Promise.withResolvers<{ status: 'ok'; scanning: [] }>();
  await serve({ health: () => answered.promise });
  const open = Array.from({ length: 200 }, () => health());
  assert.equal(await scan(), SUMMARY);
  answered.resolve({ status: 'ok', scanning: [] });
  await Promise.all(open);
});

test('for too many scans fail as too many, not as a busy scanner', async ({ serve, scan }) => {
  const held = untilStopped();
  await serve({ scan: held.scan }, { question: 1, scan: 1 });
  const cancel = new AbortController();
  const first = failure('timeout', scan(cancel));
  await held.begun;
  await failure('too_many_requests', scan());
  cancel.abort();
  await first;
});

test('wait for a runtime that is just starting', async ({ health, serve }) => {
  const asked = health();
  await serve();
  assert.equal(await asked, HEALTHY);
});

test('work again after the runtime was restarted', async ({ serve, health, clientLog }) => {
  for (let restart = 0; restart < 3; restart += 1) {
    const server = await serve();
    assert.equal(await health(), HEALTHY, `restart ${restart}`);
    await server.close();
  }
  const lost = clientLog.lines().filter(({ msg }) => msg === 'lost the scanner runtime');
  assert.ok(lost.length >= 2);
});

test('that are too large to send fail', async ({ serve, health, describe }) => {
  await serve();
  await health();
  await failure('scanner_runtime_unreachable', describe({}, 'x'.repeat(2_000_000)));
  assert.equal(await health(), HEALTHY);
});

test('for a scan end with the final answer of the runtime when aborted', async ({
  serve,
  scan,
}) => {
  const held = untilStopped();
  await serve({ scan: held.scan });
  const cancel = new AbortController();
  const { pages, onPage } = listing();
  const scanned = failure('timeout', scan({ signal: cancel.signal, onPage }));
  await held.begun;
  cancel.abort();
  assert.is((await scanned).facts['page_count'], 2);
  assert.is(await held.stopped(), 'cancelled');
  assert.equal(pages, [1, 2], 'pages finished meanwhile are told');
});

test('for a scan that ignores its cancellation are abandoned', async ({ serve, scan }) => {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<FedStack>();
  const goesOn: RequestHandlers['scan'] = (_request, { onPage }) => {
    onPage(page(1));
    begun.resolve();
    return end.promise;
  };
  await serve({ scan: goesOn });
  const cancel = new AbortController();
  const options = { cancelWaitMs: 100, signal: cancel.signal, onPage: () => {} };
  const scanned = failure('timeout', scan(options));
  await begun.promise;
  cancel.abort(new Failure('timeout', 'The deadline passed.'));
  const { message, facts } = await within(EVENT_MS, scanned);
  assert.equal([message, facts['page_count']], ['The deadline passed.', 1]);
  assert.match(String(facts['warnings']), MAY_HAVE_PASSED);
  end.resolve(SUMMARY);
});

test('for a scan that ends while it is cancelled are its summary', async ({ serve, scan }) => {
  const held = untilStopped(() => SUMMARY);
  await serve({ scan: held.scan });
  const cancel = new AbortController();
  const scanned = scan(cancel);
  await held.begun;
  cancel.abort();
  assert.equal(await scanned, SUMMARY);
});

test('that are aborted end immediately, and the runtime is notified', async ({
  serve,
  describe,
}) => {
  const stopped = Promise.withResolvers<unknown>();
  const begun = Promise.withResolvers<void>();
  await serve({
    describe_device: async (_ask, { signal }) => {
      begun.resolve();
      await once(signal, 'abort');
      stopped.resolve(signal.reason);
      throw new Failure('timeout', 'Stopped.');
    },
  });
  const stop = new AbortController();
  const refused = failure('timeout', describe(stop));
  await begun.promise;
  stop.abort();
  await refused;
  assert.is(await within(EVENT_MS, stopped.promise), 'cancelled');
});

test('that are aborted without a runtime end immediately', async ({ health }) => {
  const stop = new AbortController();
  const asked = failure('timeout', health(stop));
  stop.abort();
  await asked;
});

test('that were aborted before never reach the runtime', async ({ serve, health, describe }) => {
  const asked: string[] = [];
  await serve({
    describe_device: async ({ device }) => {
      asked.push(device);
      throw new Failure('no_scanner_detected', 'There is none.');
    },
  });
  assert.equal(await health(), HEALTHY);
  await failure('timeout', describe({ signal: AbortSignal.abort() }));
  await failure('no_scanner_detected', describe());
  assert.is(asked.length, 1);
});

test('that a stalled runtime does not accept are cancelled', async ({ socket, scan, hangUp }) => {
  const cancelled = Promise.withResolvers<void>();
  const runtime = await listen(socket, {
    onRequest: (_peer, event) => void (event === 'cancel' && cancelled.resolve()),
    onLost: () => {},
  });
  const { message } = await failure('scanner_runtime_unreachable', scan());
  assert.match(message, 'did not react within 3 s');
  await within(EVENT_MS, cancelled.promise);
  hangUp();
  await runtime.close();
});

test('have a deadline', async ({ serve, describe }) => {
  await serve();
  const asked = describe({ deadlineMs: 200 });
  assert.match((await failure('scanner_runtime_unreachable', asked)).message, 'within 0.2 s');
});

test('fail within two seconds when no runtime is there', async ({ health }) => {
  const asked = failure('scanner_runtime_unreachable', health());
  assert.match((await within(EVENT_MS, asked)).message, 'SCANNER_SOCKET');
});

test('fail when their connection is lost, and the scan is stopped', async ({
  serve,
  scan,
  health,
  hangUp,
}) => {
  const held = untilStopped();
  await serve({ scan: held.scan });
  const failed = failure('scanner_runtime_unreachable', scan({ onPage: () => {} }));
  await held.begun;
  await health();
  hangUp();
  const { facts } = await failed;
  assert.is(facts['page_count'], 1);
  assert.match(String(facts['warnings']), MAY_HAVE_PASSED);
  assert.is(await held.stopped(), 'connection_lost');
});

test('end, cancelled, when a page cannot be taken', async ({ serve, scan }) => {
  const held = untilStopped();
  await serve({ scan: held.scan });
  const onPage = (): never => {
    throw new Error('no room for it');
  };
  assert.match(String(await rejection(scan({ onPage }))), 'no room for it');
  assert.is(await held.stopped(), 'cancelled');
});

test('for a scan with a page not understood are cancelled', async ({ serve, scan }) => {
  const held = untilStopped(undefined, { ...page(1), number: 0 });
  await serve({ scan: held.scan });
  assert.match((await failure('scanner_runtime_unreachable', scan())).message, 'same version');
  assert.is(await held.stopped(), 'cancelled');
});

/* Frames that our programs never send. They must neither crash a program nor harm other clients. */

const DEEP = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;

/** Frames that are sent unchanged, each on its own connection. */
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

const DESCRIPTION = {
  sources: [],
  feeder: false,
  sides: [],
  modes: [],
  resolutions: [],
  options: [],
};

/** Sends the frames, then waits until the peer hangs up or has had time to process them. */
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

test('are answered whatever another peer sends', async ({ socket, serve, health, serverLog }) => {
  await serve();
  for (const [name, frame] of FRAMES) {
    await throwAt(socket, frame);
    assert.equal(await health(), HEALTHY, name);
  }
  assert.not.match(serverLog.text(), '"level":"error"', 'none of them is a bug');
});

test('with a duplicate id are dropped', async ({ socket, serve }) => {
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

function answering(frame: string, request: string): string {
  const id = /"id":"(?<id>[^"]+)"/u.exec(request)?.groups?.['id'] ?? '';
  return frame.replaceAll('"id":"a"', `"id":"${id}"`);
}

const HEALTHY_FRAME = `{"type":"result","data":{"id":"a","result":{"status":"ok","scanning":[]}}}${END}`;

/** A leftover half frame may spoil the next answer, but not a new connection. */
async function answersAgain(client: RequestClient): Promise<void> {
  const ask = (): Promise<unknown> => client.ask('health', {}, LOOK);
  assert.equal(await ask().catch(ask), HEALTHY);
}

test('are answered after an impostor replaced the runtime', async ({ impostor }) => {
  const meet = async ([name, hostile]: [string, string]): Promise<void> => {
    let frame = hostile;
    const client = await impostor((request) => answering(frame, request));
    const error = await rejection(client.ask('health', {}, { ...LOOK, deadlineMs: 1000 }));
    assert.is((error as { code?: string }).code, 'scanner_runtime_unreachable', name);
    frame = HEALTHY_FRAME;
    await answersAgain(client);
  };
  await Promise.all(FRAMES.map(meet));
});

test('ignore answers to finished ones', async ({ impostor, clientLog }) => {
  const gone = `{"type":"result","data":{"id":"long gone","result":1}}${END}`;
  const client = await impostor((request) => gone + answering(HEALTHY_FRAME, request));
  assert.equal(await client.ask('health', {}, LOOK), HEALTHY);
  assert.match(clientLog.text(), 'belongs to no open request');
});

const MUTATIONS = 1000;
/** Concurrent connections; the runtime allows 16. */
const AT_ONCE = 8;
/** A mutated frame may not be recognized as an answer, so the wait for one is short. */
const SHORT = { ...LOOK, deadlineMs: 250 };
/** Failure messages contain the seed, which differs in every run. To repeat a run, set it here. */
const SEED = Date.now() % 1_000_000;

const REQUESTS = [
  ['health', { ask: {} }],
  ['list_devices', { ask: {} }],
  ['describe_device', { ask: { device: 'test:0', source: 'ADF' } }],
  ['scan', { ask: { ...REQUEST, scanner_options: { a: 1 } } }],
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

/** Characters and values that JSON, node-ipc's framing or JavaScript may mishandle. */
const PIECES =
  `" { } [ ] : , \\ ${END} \0 null true 1e999 -1 \u00FF "id":"a" "__proto__":{"x":1}, ../ "data": "type":"page"`.split(
    ' ',
  );

/** Inserts up to three pieces into valid frames; some pieces replace characters. */
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

test('are answered after a thousand nearly valid ones', async (bench) => {
  await bench.serve({ describe_device: async ({ device }) => ({ ...DESCRIPTION, device }) });
  const limit = pLimit(AT_ONCE);
  // One connection per frame: an invalid frame closes it and would hide the frames after it.
  const thrown = mutated(REQUESTS).map((frame) => limit(() => throwAt(bench.socket, frame)));
  await Promise.all(thrown);
  assert.equal(await bench.health().catch(() => bench.health()), HEALTHY);
  assert.not.match(bench.serverLog.text(), '"level":"error"', `seed ${SEED}`);
});

test('end, and the next works, whatever nearly valid answer arrives', async ({ impostor }) => {
  const frames = mutated(REPLIES);
  /** Expects each call to succeed or fail with a Failure, and all reported pages to be valid. */
  const meet = async (some: readonly string[]): Promise<void> => {
    let frame = '';
    const client = await impostor((request) => answering(frame, request));
    for (frame of some) {
      const pages: ScannedPage[] = [];
      const onPage = (one: ScannedPage): void => void pages.push(one);
      const asked = client.ask('scan', REQUEST, { ...SHORT, onPage });
      const error = await within(EVENT_MS, asked, frame).catch((reason: unknown) => reason);
      if (error instanceof Error) assert.instance(error, Failure, `seed ${SEED}: ${frame}`);
      for (const { filename } of pages) assert.match(filename, /^page-\d{4}\.tif$/, frame);
    }
    frame = HEALTHY_FRAME;
    await answersAgain(client);
  };
  const CLIENTS = 40;
  const groups = Array.from({ length: CLIENTS }, (_, client) =>
    frames.filter((_frame, index) => index % CLIENTS === client),
  );
  await Promise.all(groups.map(meet));
});
