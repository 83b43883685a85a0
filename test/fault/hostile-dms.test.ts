import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import {
  createBench,
  errorOf,
  leaksOf,
  SENTINEL,
  SHORT_TIMEOUTS_MS,
} from '../service/paperless/upload/delivery-bench.ts';
import { serve, type Served } from '../support/serve.ts';
import { assert, withFixture, within } from '../support/suite.ts';

const test = withFixture('a DMS that answers to do harm', () => createBench());

const MEGABYTE = 1024 * 1024;

/** No answer may take more memory than this; one that was kept whole would take all there is. */
const LARGEST_BYTES = 64 * MEGABYTE;

/** The timeouts of these deliveries add up to less. */
const LONGEST_MS = 10_000;

/** Of the whole scan; no attack lasts until then, so that the next destination gets its turn. */
const DEADLINE_MS = 5000;

/** How often memory is looked at: a flood takes longer to fill it. */
const METER_MS = 20;

/** Beyond what any buffer on the way holds. */
const FLOOD_BYTES = 300 * MEGABYTE;

/** Between two bytes of an answer that trickles: less than a connection may rest. */
const TRICKLE_MS = 50;

const CHUNK = 'x'.repeat(65_536);
const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;
const TASK = '"00000000-0000-4000-8000-000000000000"';

/** Writes `text` again and again, as fast as it is read, until all of it or nobody is there. */
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

/** Sends a byte now and then, so that the connection never rests for long. */
const trickle = (head: string) => async (socket: Socket) => {
  socket.write(head);
  while (!socket.destroyed) {
    await wait(TRICKLE_MS);
    socket.write('x');
  }
};

const end = (text: string | Buffer) => (socket: Socket) => void socket.end(text);

function gzipBomb(): Buffer {
  const bomb = gzipSync(Buffer.alloc(100 * MEGABYTE));
  const head = `${OK}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bomb]);
}

/** Each is judged `unknown`: the document may have arrived, and is not sent again unasked. */
const ATTACKS: readonly (readonly [what: string, attack: Attack])[] = [
  ['a header without an end', begin(`${OK}X: `, CHUNK)],
  ['headers without an end', begin(OK, 'X-Filler: 1234567890\r\n'.repeat(100))],
  ['a status line without an end', begin('HTTP/1.1 200 ', CHUNK)],
  ['interim answers without an end', begin('', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1000))],
  ['a header that trickles', trickle(`${OK}X: `)],
  ['a status line that trickles', trickle('HTTP/1.1 200 ')],
  ['a body without an end', begin(`${OK}\r\n`, CHUNK)],
  ['a chunk extension without an end', begin(`${CHUNKED}5;`, CHUNK)],
  ['trailers without an end', begin(`${CHUNKED}0\r\nX: `, CHUNK)],
  ['one-byte chunks without an end', begin(CHUNKED, '1\r\nx\r\n'.repeat(5000))],
  ['a length of exabytes', begin(`${OK}Content-Length: 9000000000000000000\r\n\r\n`, CHUNK)],
  ['a length of no number', end(`${OK}Content-Length: x\r\n\r\n${TASK}`)],
  ['a negative length', end(`${OK}Content-Length: -1\r\n\r\n${TASK}`)],
  ['two lengths', end(`${OK}Content-Length: 3\r\nContent-Length: 38\r\n\r\n${TASK}`)],
  [
    'a length and chunks',
    end(`${OK}Content-Length: 38\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
  ],
  ['a header with a NUL', end(`${OK}X: a\0b\r\n\r\n${TASK}`)],
  ['no HTTP', end('\0'.repeat(1000))],
  ['a bomb that gzip makes small', (socket) => end(gzipBomb())(socket)],
  ['JSON that is deep', end(`${OK}\r\n${'['.repeat(60_000)}`)],
  [
    'an upgrade',
    end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
  ],
  ['a status of 000', end(`HTTP/1.1 000 Nothing\r\nContent-Length: 0\r\n\r\n`)],
  ['a page of blanks', end(`${OK}\r\n${' '.repeat(60_000)}`)],
  ['nothing', end('')],
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

/** Most memory that the process had while `work` ran, beyond what it had before, in bytes. */
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
  test(`with ${what}: no memory, no time, no second upload`, async ({ deliver, destination }) => {
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

const redirect = (status: string, location: string): string =>
  `HTTP/1.1 ${status}\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`;

const REFUSALS: readonly (readonly [what: string, answer: string, uploads?: number])[] = [
  ['redirects to itself', redirect('307 Temporary Redirect', '/api/documents/post_document/')],
  ['redirects to a stranger', redirect('308 Permanent Redirect', 'http://127.0.0.1:9/')],
  ['redirects to a file', redirect('302 Found', 'file:///etc/passwd')],
  ['redirects to nonsense', redirect('302 Found', `http://[${'x'.repeat(5000)}`)],
  ['never accepts a version', 'HTTP/1.1 406 Not Acceptable\r\nContent-Length: 0\r\n\r\n', 2],
  [
    'sends the token back',
    `HTTP/1.1 401 ${SENTINEL}\r\nContent-Length: ${SENTINEL.length}\r\n\r\n${SENTINEL}`,
  ],
  [
    'sends terminal codes',
    'HTTP/1.1 400 Bad\r\nContent-Length: 14\r\n\r\n\u001b[2J\u0007\r\n\u001b]0;x\u0007',
  ],
];

for (const [what, answer, uploads = 1] of REFUSALS) {
  test(`that ${what}: is a refusal in one plain line`, async ({ deliver, destination }) => {
    const server = await attackBy(end(answer));
    try {
      const delivery = await deliver({ destination: destination({ base_url: server.url }) });
      assert.is(delivery.outcome, 'refused', errorOf(delivery));
      assert.match(errorOf(delivery), /^[^\p{Cc}]{1,600}$/u);
      assert.equal(leaksOf([errorOf(delivery)]), []);
      assert.is(server.connections(), uploads, 'the token goes nowhere else');
    } finally {
      await server.close();
    }
  });
}
