import { once } from 'node:events';
import { chmod, chown, lstat, mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { createConnection, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { programEnvironment, startProgram } from '../../../helpers/child-process.ts';
import { claimSocketPath } from '../../../helpers/ipc/socket-path.ts';
import { listen, type TransportLimits } from '../../../helpers/ipc/transport.ts';
import { assert, EVENT_MS, rejection, withFixture, within } from '../../support/suite.ts';

const test = withFixture('the path of the socket', async (directory) => ({
  directory,
  socket: path.join(directory, 'run', 'scanner.sock'),
}));

async function refusal(socket: string): Promise<string> {
  return ((await rejection(claimSocketPath(socket))) as Error).message;
}

const NOBODY = 65_534;

async function leaveSocket(socket: string): Promise<void> {
  await mkdir(path.dirname(socket), { recursive: true, mode: 0o700 });
  const script = `require('net').createServer().listen(${JSON.stringify(socket)}, () => console.log('up'))`;
  const args = ['-e', script];
  const program = { file: process.execPath, args, cwd: '/', env: programEnvironment() };
  const running = startProgram(program, { timeoutMs: 60_000 });
  await once(running.stdout, 'data');
  running.kill('SIGKILL');
  await running.ended;
  assert.ok((await lstat(socket)).isSocket());
}

/** This file exists beside the socket while a runtime is running. */
const LOCK = '.scanner.sock.lock';

test('gets a directory for this user only', async ({ socket }) => {
  await claimSocketPath(socket);
  assert.is((await lstat(path.dirname(socket))).mode & 0o777, 0o700);
});

test('is freed of a dead socket', async ({ socket }) => {
  await leaveSocket(socket);
  const release = await claimSocketPath(socket);
  assert.equal(await readdir(path.dirname(socket)), [LOCK]);
  await release();
  assert.equal(await readdir(path.dirname(socket)), []);
});

test('is never taken from a live runtime', async ({ socket }) => {
  await mkdir(path.dirname(socket), { mode: 0o700 });
  const server = createServer().listen(socket);
  await once(server, 'listening');
  const { ctimeMs } = await lstat(socket);
  assert.match(await refusal(socket), 'Another scanner runtime is listening');
  assert.equal(await readdir(path.dirname(socket)), ['scanner.sock']);
  assert.is((await lstat(socket)).ctimeMs, ctimeMs, 'not even for a moment');
  server.close();
});

test('is for one runtime of three that start at once, in each of 1000 rounds', async ({
  socket,
}) => {
  await mkdir(path.dirname(socket), { mode: 0o700 });
  const script = path.join(import.meta.dirname, 'listener-process.ts');
  const three = [1, 2, 3].map(() => startListener(script, socket));
  try {
    await Promise.all(three.map(({ answer }) => answer()));
    for (let round = 1; round <= 1000; round += 1) {
      await leaveDeadSocket(socket);
      const answers = await Promise.all(three.map(({ ask }) => ask('listen')));
      const living = answers.filter((one) => one === 'listening');
      assert.is(living.length, 1, `round ${round}: ${answers.join(', ')}`);
      await Promise.all(three.map(({ ask }) => ask('close')));
    }
  } finally {
    for (const one of three) await one.end();
  }
});

async function leaveDeadSocket(socket: string): Promise<void> {
  const server = createServer().listen(`${socket}.made`);
  await once(server, 'listening');
  await rename(`${socket}.made`, socket);
  server.close();
  await once(server, 'close');
}

interface Listener {
  readonly answer: () => Promise<string>;
  readonly ask: (what: 'listen' | 'close') => Promise<string>;
  readonly end: () => Promise<unknown>;
}

function startListener(script: string, socket: string): Listener {
  const program = { file: process.execPath, args: [script, socket], cwd: '/' };
  const env = programEnvironment();
  const running = startProgram({ ...program, env }, { timeoutMs: 10 * EVENT_MS });
  const lines = createInterface({ input: running.stdout })[Symbol.asyncIterator]();
  const answer = async (): Promise<string> =>
    String((await within(EVENT_MS, lines.next(), 'an answer')).value);
  return {
    answer,
    ask: (what) => {
      running.stdin.write(`${what}\n`);
      return answer();
    },
    end: () => {
      running.kill('SIGKILL');
      return running.ended;
    },
  };
}

test('is not in a directory that others share', async ({ directory, socket }) => {
  for (const mode of [0o1777, 0o770, 0o702]) {
    await chmod(directory, mode);
    const shared = path.join(directory, 'scanner.sock');
    assert.match(await refusal(shared), 'a directory of its own');
    assert.is((await lstat(directory)).mode & 0o7777, mode, 'left as it was');
  }
  await chmod(directory, 0o755);
  await claimSocketPath(socket);
});

test('is not in a directory of another user', async ({ directory }) => {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chown(directory, NOBODY, NOBODY);
  const other = isRoot ? directory : '/etc';
  assert.match(await refusal(path.join(other, 'scanner.sock')), 'must belong to the user');
});

test('is not a place of another file', async ({ directory }) => {
  const file = path.join(directory, 'file');
  await writeFile(file, 'precious');
  assert.match(await refusal(file), 'is not a socket');
  assert.is((await lstat(file)).size, 8);
});

const LIMITS: TransportLimits = { messageBytes: 1000, halfMessageMs: 100, connections: 2 };
const HEALTH = '{"type":"health","data":{"id":"1"}}\f';

const limits = withFixture('the limits of the socket', async (directory) => {
  const socketPath = path.join(directory, 'scanner.sock');
  const onRequest = (peer: { send: (event: 'accepted', payload: object) => boolean }): void =>
    void peer.send('accepted', { id: '1' });
  const closing: (() => unknown)[] = [];
  return {
    connect: async (count: number, changes: Partial<TransportLimits> = {}) => {
      const all = { ...LIMITS, ...changes };
      const server = await listen(socketPath, { onRequest, onLost: () => {} }, all);
      closing.push(server.close);
      const sockets: Socket[] = [];
      while (sockets.length < count) {
        const socket = createConnection(socketPath);
        socket.on('error', () => {});
        closing.unshift(() => socket.destroy());
        await once(socket, 'connect');
        sockets.push(socket);
      }
      return sockets;
    },
    close: async () => {
      for (const close of closing) await close();
    },
  };
});

async function answered(socket: Socket | undefined): Promise<boolean> {
  if (!socket || socket.closed) return false;
  // A failed write to a closed socket reports an error before the close.
  const answer = once(socket, 'data').catch(() => []);
  const ends = Promise.race([answer, once(socket, 'close')]);
  socket.write(HEALTH);
  const [data] = (await within(EVENT_MS, ends, 'an answer or the end')) as unknown[];
  return Buffer.isBuffer(data);
}

limits('half a message is awaited only up to its time limit', async ({ connect }) => {
  const [socket] = await connect(1);
  if (!socket) return;
  const closed = once(socket.resume(), 'close');
  socket.write('{"type":"health","da');
  await within(EVENT_MS, closed, 'the end of the connection');
});

limits('a message that is too large ends its connection', async ({ connect }) => {
  const [socket, other] = await connect(2, { halfMessageMs: 60_000 });
  if (!socket) return;
  const closed = once(socket.resume(), 'close');
  socket.write('x'.repeat(1001));
  await within(EVENT_MS, closed, 'the end of the connection');
  assert.ok(await answered(other));
});

limits('an excess connection is closed, and the others are served', async ({ connect }) => {
  const [first, second, third] = await connect(3);
  assert.ok(await answered(first));
  assert.ok(await answered(second));
  assert.not(await answered(third));
});
