import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  createProcessorClient,
  type ProcessorClient,
} from '../../../service/processor/processor-client.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { failure, rejection } from '../../support/rejection.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const test = suite('the client of the processor');

const OPTIONS = { languages: ['eng', 'deu'], deskew: true, rotate_pages: false, optimize: 2 };
const never = new AbortController().signal;

interface Bench {
  readonly client: ProcessorClient;
  readonly directory: string;
  readonly recognize: (signal?: AbortSignal) => Promise<{ readonly warnings: readonly string[] }>;
}

/** A server that misbehaves as a test wants it, and a client of it. */
async function withServer(
  listener: RequestListener,
  run: (bench: Bench) => Promise<void>,
): Promise<void> {
  const temporary = await temporaryDirectory();
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const client = createProcessorClient({
    baseUrl: `http://127.0.0.1:${port}`,
    log: capturedLog().log,
  });
  const pageFile = path.join(temporary.path, 'page-0001.tif');
  await writeFile(pageFile, 'raw page');
  const outFile = path.join(temporary.path, 'page-0001.pdf');
  try {
    await run({
      client,
      directory: temporary.path,
      recognize: (signal = never) =>
        client.recognizePage({ pageFile, outFile, options: OPTIONS, signal }),
    });
  } finally {
    server.closeAllConnections();
    server.close();
    await temporary.remove();
  }
}

test('streams a page with its exact length and its options, and stores the answer', async () => {
  const seen: string[] = [];
  await withServer(
    (request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers['content-length']}`);
      request.resume();
      response.setHeader('X-Page-Warnings', '["faint"]');
      response.setHeader('Content-Type', 'application/pdf');
      response.setHeader('Content-Length', '8');
      request.on('end', () => response.end('%PDF-1.7'));
    },
    async ({ recognize, directory }) => {
      assert.equal(await recognize(), { warnings: ['faint'] });
      assert.is(await readFile(path.join(directory, 'page-0001.pdf'), 'utf8'), '%PDF-1.7');
      assert.equal(seen, [
        'POST /pages?languages=eng%2Cdeu&deskew=true&rotate_pages=false&optimize=2 8',
      ]);
    },
  );
});

test('a refusal is processing_failed with its reason, and leaves no file', async () => {
  await withServer(
    (request, response) => {
      request.resume();
      response.writeHead(422, { 'Content-Type': 'application/json' });
      response.end('{"error":"unreadable_page","message":"the TIFF image is damaged"}');
    },
    async ({ recognize, directory }) => {
      const error = await failure('processing_failed', recognize());
      assert.match(error.message, /the TIFF image is damaged/);
      assert.is(error.facts['processor_error'], 'unreadable_page');
      assert.equal(await readdir(directory), ['page-0001.tif']);
    },
  );
});

test('something else at its address is told as such', async () => {
  await withServer(
    (request, response) => {
      request.resume();
      response.end('<html>router</html>');
    },
    async ({ recognize, client }) => {
      assert.match((await failure('processing_failed', recognize())).message, /PROCESSOR_URL/);
      await failure('processing_failed', client.health(never));
    },
  );
});

test('a connection that broke once is tried again, one that never stands is unreachable', async () => {
  let tries = 0;
  await withServer(
    (request, response) => {
      tries += 1;
      if (tries === 1) return void request.socket.resetAndDestroy();
      request.resume();
      response.setHeader('X-Page-Warnings', '[]');
      response.setHeader('Content-Type', 'application/pdf');
      response.setHeader('Content-Length', '8');
      return void response.end('%PDF-1.7');
    },
    async ({ recognize }) => {
      await recognize();
      assert.is(tries, 2);
    },
  );
  const nobody = createProcessorClient({ baseUrl: 'http://127.0.0.1:9', log: capturedLog().log });
  await failure('processor_unreachable', nobody.health(never));
});

test('is aborted with the reason of the signal', async () => {
  const stop = new AbortController();
  await withServer(
    () => stop.abort(new Error('the deadline')),
    async ({ recognize, directory }) => {
      assert.match(String(await rejection(recognize(stop.signal))), /the deadline/);
      assert.equal(await readdir(directory), ['page-0001.tif']);
    },
  );
});

test.run();
