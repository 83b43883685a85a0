import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import path from 'node:path';
import { listen, type TransportLimits } from '../../../helpers/ipc/transport.ts';
import { assert, suite, temporaryDirectory, within } from '../../support/suite.ts';

const test = suite('the limits of the socket');

/** For what a test waits for, on a machine however busy. */
const EVENT_MS = 60_000;

const LIMITS: TransportLimits = { messageBytes: 1000, halfMessageMs: 100, connections: 2 };
const HEALTH = '{"type":"health","data":{"id":"1"}}\f';

/** A server that answers every request, and as many connections as asked for. */
async function withConnections(
  count: number,
  limits: Partial<TransportLimits>,
  use: (sockets: Socket[]) => Promise<void>,
): Promise<void> {
  const directory = await temporaryDirectory();
  const socketPath = path.join(directory.path, 'scanner.sock');
  const onRequest = (peer: { send: (event: 'accepted', payload: object) => boolean }): void =>
    void peer.send('accepted', { id: '1' });
  const server = await listen(
    socketPath,
    { onRequest, onLost: () => {} },
    { ...LIMITS, ...limits },
  );
  const sockets: Socket[] = [];
  for (let index = 0; index < count; index += 1) {
    const socket = createConnection(socketPath);
    socket.on('error', () => {});
    await once(socket, 'connect');
    sockets.push(socket);
  }
  try {
    await use(sockets);
  } finally {
    for (const socket of sockets) socket.destroy();
    await server.close();
    await directory.remove();
  }
}

async function answered(socket: Socket | undefined): Promise<boolean> {
  if (!socket || socket.closed) return false;
  // An error, such as that of a write to what is closed, comes before the close.
  const answer = once(socket, 'data').catch(() => []);
  const ends = Promise.race([answer, once(socket, 'close')]);
  socket.write(HEALTH);
  const [data] = (await within(EVENT_MS, ends, 'an answer or the end')) as unknown[];
  return Buffer.isBuffer(data);
}

test('half a message is not waited for longer than its time', () =>
  withConnections(1, {}, async ([socket]) => {
    if (!socket) return;
    const closed = once(socket.resume(), 'close');
    socket.write('{"type":"health","da');
    await within(EVENT_MS, closed, 'the end of the connection');
  }));

test('a message that is too large ends its connection', () =>
  withConnections(2, { halfMessageMs: 60_000 }, async ([socket, other]) => {
    if (!socket) return;
    const closed = once(socket.resume(), 'close');
    socket.write('x'.repeat(1001));
    await within(EVENT_MS, closed, 'the end of the connection');
    assert.ok(await answered(other));
  }));

test('one connection too many is closed, and the others are served', () =>
  withConnections(3, {}, async ([first, second, third]) => {
    assert.ok(await answered(first));
    assert.ok(await answered(second));
    assert.not(await answered(third));
  }));
