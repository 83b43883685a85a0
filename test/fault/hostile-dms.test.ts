import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import {
  createBench,
  errorOf,
  leaksOf,
  SENTINEL,
  SHORT_TIMEOUTS_MS,
} from '../service/paperless/upload/delivery-bench.ts';
import { serve, type Served } from '../support/serve.ts';
import { assert, withFixture, within } from '../support/suite.ts';

const test = withFixture('a malicious DMS', () => createBench());

const MEGABYTE = 1024 * 1024;

const LARGEST_BYTES = 64 * MEGABYTE;

/** Upper bound for a delivery: more than the sum of its timeouts. */
const LONGEST_MS = 10_000;

/** Deadline of the scan. Attacks end earlier, so that the next destination gets its turn. */
const DEADLINE_MS = 5000;

/** Memory sampling interval: a flood takes longer to fill memory. */
const METER_MS = 20;

const FLOOD_BYTES = 300 * MEGABYTE;

/** Interval between bytes, shorter than the idle timeout. */
const TRICKLE_MS = 50;

const CHUNK = 'x'.repeat(65_536);
const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';

/** Writes `text` repeatedly, up to FLOOD_BYTES or until the client disconnects. */
async function flood(socket: Socket, text: string): Promise<void> {
  for (let sent = 0; sent < FLOOD_BYTES && !socket.destroyed; sent += text.length) {
    if (!socket.write(text)) {
      await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => {});
    }
    await turn();
  }
}

type Attack = (socket: Socket) => void | Promise<void>;

const begin = (head: string, endless: string) => async (socket: Socket) => {
  socket.write(head);
  await flood(socket, endless);
};

/** Sends single bytes, so that the connection is never idle for long. */
const trickle = (head: string) => async (socket: Socket) => {
  socket.write(head);
  while (!socket.destroyed) {
    await wait(TRICKLE_MS);
    socket.write('x');
  }
};

const end = (text: string) => (socket: Socket) => void socket.end(text);

/**
 * Every attack ends as `unknown`, since the document may have arrived. Node itself rejects some of
 * these answers.
 */
const ATTACKS: readonly (readonly [what: string, attack: Attack])[] = [
  ['headers without an end', begin(OK, 'X-Filler: 1234567890\r\n'.repeat(100))],
  ['interim answers without an end', begin('', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1000))],
  ['a header that trickles', trickle(`${OK}X: `)],
  ['a body without an end', begin(`${OK}\r\n`, CHUNK)],
  ['trailers without an end', begin(`${OK}Transfer-Encoding: chunked\r\n\r\n0\r\nX: `, CHUNK)],
  ['no HTTP', end('\0'.repeat(1000))],
  ['JSON that is deep', end(`${OK}\r\n${'['.repeat(60_000)}`)],
  [
    'an upgrade',
    end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
  ],
  ['a page of blanks', end(`${OK}\r\n${' '.repeat(60_000)}`)],
];

async function attackBy(attack: Attack): Promise<Served & { readonly connections: () => number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => {});
    socket.resume();
    socket.once('data', () => void attack(socket));
  });
  return { ...(await serve(server)), connections: () => connections };
}

/** Peak memory growth during `work`, in bytes. */
async function growthDuring(work: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage().rss;
  let largest = before;
  const look = (): void => void (largest = Math.max(largest, process.memoryUsage().rss));
  const meter = setInterval(look, METER_MS);
  try {
    await work();
  } finally {
    clearInterval(meter);
  }
  look();
  return largest - before;
}

for (const [what, attack] of ATTACKS) {
  test(`with ${what}: takes little memory and time, and causes no second upload`, async ({
    deliver,
    destination,
  }) => {
    const server = await attackBy(attack);
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const timeouts = SHORT_TIMEOUTS_MS;
    const change = { destination: destination({ base_url: server.url }), signal, timeouts };
    try {
      const growth = await growthDuring(async () => {
        const delivery = await within(LONGEST_MS, deliver(change), 'the end of the delivery');
        assert.is(delivery.outcome, 'unknown', errorOf(delivery));
        assert.ok(errorOf(delivery).length < 600, errorOf(delivery));
      });
      assert.ok(growth < LARGEST_BYTES, `${Math.round(growth / MEGABYTE)} MB`);
      assert.is(server.connections(), 1, 'it is uploaded once');
      assert.not(signal.aborted, 'it ends without the deadline');
    } finally {
      await server.close();
    }
  });
}

/** Refusals in the head of an answer. For bodies, see service/paperless/upload/outcomes. */
const REFUSALS: readonly (readonly [what: string, answer: string])[] = [
  [
    'redirects to nonsense',
    `HTTP/1.1 302 Found\r\nLocation: http://[${'x'.repeat(5000)}\r\nContent-Length: 0\r\n\r\n`,
  ],
  ['sends the token back', `HTTP/1.1 401 ${SENTINEL}\r\nContent-Length: 0\r\n\r\n`],
  [
    'sends terminal codes',
    'HTTP/1.1 400 Bad\r\nContent-Length: 14\r\n\r\n\u001b[2J\u0007\r\n\u001b]0;x\u0007',
  ],
];

for (const [what, answer] of REFUSALS) {
  test(`that ${what}: is a refusal in one line of text`, async ({ deliver, destination }) => {
    const server = await attackBy(end(answer));
    try {
      const delivery = await deliver({ destination: destination({ base_url: server.url }) });
      assert.is(delivery.outcome, 'refused', errorOf(delivery));
      assert.match(errorOf(delivery), /^[^\p{Cc}]{1,600}$/u);
      assert.equal(leaksOf([errorOf(delivery)]), []);
      assert.is(server.connections(), 1, 'the token goes nowhere else');
    } finally {
      await server.close();
    }
  });
}
