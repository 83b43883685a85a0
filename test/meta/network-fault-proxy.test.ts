import { EventEmitter, once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withFixture } from '../support/with-fixture.ts';
import { within } from '../support/within.ts';
import {
  createNetworkFaultProxy,
  type NetworkFaultProxy,
  type Toxic,
} from '../support/network-fault-proxy.ts';

/** For what a test waits for, on a machine however busy. */
const EVENT_MS = 60_000;

interface Context {
  readonly proxy: NetworkFaultProxy;
  /** What the server behind the proxy got, connection by connection. */
  readonly received: string[];
  /** Resolves when the server gets the next bytes. */
  readonly nextBytes: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

/** A server that answers what it gets, in capitals, once the other side has said all; the proxy is in front of it. */
async function createContext(): Promise<Context> {
  const received: string[] = [];
  const arrivals = new EventEmitter();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const at = received.push('') - 1;
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      received[at] += String(chunk);
      arrivals.emit('bytes');
    });
    socket.on('end', () => socket.end(String(received[at]).toUpperCase()));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const proxy = await createNetworkFaultProxy({ port });
  const close = async (): Promise<void> => {
    await proxy.close();
    server.close();
    await once(server, 'close');
  };
  const nextBytes = (): Promise<unknown> => within(EVENT_MS, once(arrivals, 'bytes'), 'the bytes');
  return { proxy, received, nextBytes, close };
}

const test = withFixture(suite('network fault proxy'), createContext);

interface Exchange {
  readonly answer: string;
  /** `end`, an error code, or `waiting` when it was given up. */
  readonly how: string;
  readonly ms: number;
}

async function exchange(
  proxy: NetworkFaultProxy,
  text: string,
  giveUp = AbortSignal.timeout(EVENT_MS),
): Promise<Exchange> {
  const started = performance.now();
  const socket = connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true });
  let answer = '';
  socket.on('data', (chunk) => {
    answer += String(chunk);
  });
  socket.end(text);
  const how = await once(socket, 'end', { signal: giveUp }).then(
    () => 'end',
    (error: NodeJS.ErrnoException) => (error.code === 'ABORT_ERR' ? 'waiting' : (error.code ?? '')),
  );
  socket.destroy();
  return { answer, how, ms: performance.now() - started };
}

test('without a toxic everything gets through', async ({ proxy }) => {
  const { answer, how } = await exchange(proxy, 'hello');
  assert.equal([answer, how, proxy.connections()], ['HELLO', 'end', 1]);
});

test('a connection that is down is closed at once', async ({ proxy, received }) => {
  proxy.setToxic({ kind: 'down' });
  const { answer, how } = await exchange(proxy, 'hello');
  assert.is(answer, '');
  assert.ok(['end', 'ECONNRESET', 'EPIPE'].includes(how), how);
  assert.equal(received, []);
});

for (const toxic of [
  { kind: 'latency', ms: 100 },
  { kind: 'slow_close', ms: 100 },
  { kind: 'slicer', bytes: 1, ms: 20 },
] as const satisfies readonly Toxic[]) {
  test(`${toxic.kind} only makes it slow`, async ({ proxy }) => {
    proxy.setToxic(toxic);
    const { answer, how, ms } = await exchange(proxy, 'hello');
    assert.equal([answer, how], ['HELLO', 'end']);
    assert.ok(ms >= 95, `${ms} ms`);
  });
}

test('hang lets the given bytes through, and then nothing more', async (context) => {
  const { proxy, received, nextBytes } = context;
  proxy.setToxic({ kind: 'hang', to: 'server', bytes: 3 });
  const giveUp = new AbortController();
  const came = nextBytes();
  const exchanged = exchange(proxy, 'hello', giveUp.signal);
  await came;
  await wait(50);
  giveUp.abort();
  assert.is((await exchanged).how, 'waiting');
  assert.equal(received, ['hel']);
});

test('limit ends the answer half-way', async ({ proxy }) => {
  proxy.setToxic({ kind: 'limit', to: 'client', bytes: 2 });
  const { answer, how } = await exchange(proxy, 'hello');
  assert.equal([answer, how], ['HE', 'end']);
});

test('reset breaks the connection', async ({ proxy }) => {
  proxy.setToxic({ kind: 'reset', to: 'client', bytes: 2 });
  assert.is((await exchange(proxy, 'hello')).how, 'ECONNRESET');
  proxy.setToxic({ kind: 'reset', to: 'server', bytes: 0 });
  assert.is((await exchange(proxy, 'hello')).how, 'ECONNRESET');
});

test('a toxic is for the connections that come after it', async ({ proxy }) => {
  proxy.setToxic({ kind: 'down' });
  await exchange(proxy, 'hello');
  proxy.setToxic(undefined);
  assert.is((await exchange(proxy, 'hello')).answer, 'HELLO');
});

test.run();
