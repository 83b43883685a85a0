import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import pLimit from 'p-limit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../helpers/failure.ts';
import type { ScannedPage, ScanRequest } from '../../helpers/ipc/messages.ts';
import { createRequestClient } from '../../helpers/ipc/request-client.ts';
import { serveRequests } from '../../helpers/ipc/request-server.ts';
import { capturedLog } from '../support/captured-log.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { withFixture } from '../support/with-fixture.ts';
import { within } from '../support/within.ts';
import { seededRandom } from './support/seeded-random.ts';

/** Nearly right frames, one a connection: after the first wrong one a connection is closed, and hides the rest. */
const test = withFixture(suite('a thousand mutated frames each way'), async () => {
  const directory = await temporaryDirectory();
  const reasons: unknown[] = [];
  const take = (reason: unknown): void => void reasons.push(reason);
  process.on('unhandledRejection', take);
  const close = async (): Promise<void> => {
    process.off('unhandledRejection', take);
    await directory.remove();
    assert.equal(reasons, [], 'nothing that would end the process');
  };
  return { directory, close };
});

/** Between two messages of node-ipc. */
const END = '\f';

const MUTATIONS = 1000;

/** Connections at once, of the sixteen that the runtime takes. */
const AT_ONCE = 8;

/** A machine that is busy answers later, never not. */
const END_MS = 10_000;

/** How long a request waits whose answer was mutated beyond recognition. */
const SHORT = { signal: new AbortController().signal, deadlineMs: 250, cancelWaitMs: 0 };

/** A new one for each run; it is in the name of what fails, and runs it again when it is put here. */
const SEED = Date.now() % 1_000_000;

const REQUESTS = [
  '{"type":"health","data":{"id":"1","ask":{}}}',
  '{"type":"list_devices","data":{"id":"5","ask":{}}}',
  '{"type":"describe_device","data":{"id":"2","ask":{"device":"test:0","source":"ADF"}}}',
  '{"type":"scan","data":{"id":"3","ask":{"device":"a:b","mode":"Gray","resolution":300,"page_size":{"width_mm":210,"height_mm":297},"max_pages":3,"scanner_options":{"a":1},"directory":"/x","first_page":1,"first_sheet":1}}}',
  '{"type":"cancel","data":{"id":"3"}}',
];

const REPLIES = [
  '{"type":"accepted","data":{"id":"1"}}',
  '{"type":"page","data":{"id":"1","page":{"number":1,"sheet":1,"side":"front","filename":"page-0001.tif","bytes":1,"width_px":1,"height_px":1,"dpi":300,"cropped":false}}}',
  '{"type":"result","data":{"id":"1","result":{"device":"a:b","duplex":false,"page_count":1,"warnings":[]}}}',
  '{"type":"failed","data":{"id":"1","failure":{"code":"scanner_jammed","what":"stuck","facts":{"page_count":1}}}}',
  '{"type":"result","data":{"id":"1","result":{"status":"ok","scanning":[]}}}',
];

/** What JSON, node-ipc's frames and JavaScript trip over. */
const PIECES = [
  ...'"{}[]:,\\\f\0'.split(''),
  'null',
  'true',
  '1e999',
  '-1',
  '\u00FF',
  '"id":"1"',
  '"__proto__":{"x":1},',
  '../',
  '"data":',
  '"type":"page"',
] as const;

/** One of the texts with up to three pieces put in, each now and then in place of some characters. */
function mutate(texts: readonly string[], next: () => number): string {
  const random = (limit: number): number => Math.floor(next() * limit);
  let text = texts[random(texts.length)] ?? '';
  for (let changes = 1 + random(3); changes > 0; changes -= 1) {
    const at = random(text.length);
    const cut = random(3) === 0 ? random(10) : 0;
    text = text.slice(0, at) + (PIECES[random(PIECES.length)] ?? '') + text.slice(at + cut);
  }
  return text;
}

async function throwAt(socketPath: string, frame: string): Promise<void> {
  const socket = createConnection(socketPath);
  socket.on('error', () => {});
  socket.resume();
  await once(socket, 'connect');
  const closed = once(socket, 'close');
  socket.end(`${frame}${END}`, 'latin1');
  await within(END_MS, closed, `the end of the connection that sent ${frame}`);
}

test('to the runtime: it serves the next one as ever', async ({ directory }) => {
  const random = seededRandom(SEED);
  const socket = path.join(directory.path, 'scanner.sock');
  const { log, text } = capturedLog();
  const description = { device: 'a:b', sources: [], modes: [], resolutions: [], options: [] };
  const server = await serveRequests(
    socket,
    {
      health: async () => ({ status: 'ok', scanning: [] }),
      list_devices: async () => [],
      describe_device: async () => description,
      check_scan: async ({ device }) => ({ device }),
      read_sensors: async ({ device }) => ({ device, sensors: {}, scans: 0 }),
      scan: async ({ device }) => ({ device, duplex: false, page_count: 0, warnings: [] }),
    },
    log,
  );
  const client = createRequestClient(socket, capturedLog().log);
  const limit = pLimit(AT_ONCE);
  const frames = Array.from({ length: MUTATIONS }, () => mutate(REQUESTS, random));
  await Promise.all(frames.map((frame) => limit(() => throwAt(socket, frame))));
  const answer = await client.ask('health', {}, { ...SHORT, deadlineMs: END_MS });
  assert.equal(answer, { status: 'ok', scanning: [] }, `seed ${SEED}`);
  assert.not.match(text(), '"level":"error"', `seed ${SEED}: none of them is a bug`);
  client.close();
  await server.close();
});

/** A runtime that answers each request with what `answer` says. */
async function impostor(socketPath: string, answer: (id: string) => string): Promise<Server> {
  const server = createServer((socket: Socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => {
      const id = /"id":"(?<id>[^"]+)"/u.exec(String(data))?.groups?.['id'] ?? '';
      socket.write(answer(id), 'latin1');
    });
  });
  server.listen(socketPath);
  await once(server, 'listening');
  return server;
}

/** What the service may make of a mutated answer: a failure of the catalogue, or an answer; pages are whole. */
async function meet(socketPath: string, frames: readonly string[]): Promise<void> {
  let frame = '';
  const server = await impostor(
    socketPath,
    (id) => `${frame.replaceAll('"id":"1"', `"id":"${id}"`)}${END}`,
  );
  const client = createRequestClient(socketPath, capturedLog().log);
  for (const mutated of frames) {
    frame = mutated;
    const pages: ScannedPage[] = [];
    const onPage = (page: ScannedPage): void => void pages.push(page);
    const scan = client.ask('scan', {} as ScanRequest, { ...SHORT, onPage });
    const error = await within(END_MS, scan, `the end after ${mutated}`).catch(
      (reason: unknown) => reason,
    );
    if (error instanceof Error) assert.instance(error, Failure, `seed ${SEED}: ${mutated}`);
    for (const { filename } of pages) assert.match(filename, /^page-\d{4}\.tif$/, mutated);
  }
  frame = '{"type":"result","data":{"id":"1","result":{"status":"ok","scanning":[]}}}';
  const again = { ...SHORT, deadlineMs: END_MS };
  // Half a frame from before may spoil the first answer.
  const answer = await client.ask('health', {}, again).catch(() => client.ask('health', {}, again));
  assert.equal(answer, { status: 'ok', scanning: [] }, `seed ${SEED}`);
  client.close();
  server.close();
  await once(server, 'close');
}

test('to the service: each request ends, and the next one works', async ({ directory }) => {
  const random = seededRandom(SEED);
  const CLIENTS = 40;
  const frames = Array.from({ length: CLIENTS }, () =>
    Array.from({ length: MUTATIONS / CLIENTS }, () => mutate(REPLIES, random)),
  );
  await Promise.all(frames.map((some, at) => meet(path.join(directory.path, `${at}.sock`), some)));
});

test.run();
