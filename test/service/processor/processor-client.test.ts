import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  PAGE_FACTS_HEADER,
  WARNINGS_HEADER,
  writePageFacts,
  writeWarnings,
} from '../../../helpers/processor-contract.ts';
import {
  createProcessorClient,
  type ProcessorClient,
  type RecognizedPage,
} from '../../../service/processor/processor-client.ts';
import { createLog } from '../../../helpers/log.ts';
import type { PageFacts } from '../../../helpers/page-facts.ts';
import { within } from '../../support/within.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { misbehavingServer } from './misbehaving-server.ts';
import { failure } from '../../support/rejection.ts';
import { PAGE_FACTS } from '../../support/page-facts.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const test = suite('the client of the processor');

const OPTIONS = { languages: ['eng', 'deu'], deskew: true, rotate_pages: false, optimize: 2 };
const never = new AbortController().signal;

/** Of loopback; what listens or connects on this machine uses 127.0.0.1. */
const OWN_ADDRESS = '127.0.0.77';

const FACTS: PageFacts = { ...PAGE_FACTS, turned: 180, confidence: 91.5 };

function describePage(response: ServerResponse, warnings: string[]): void {
  response.setHeader(PAGE_FACTS_HEADER, writePageFacts(FACTS));
  response.setHeader(WARNINGS_HEADER, writeWarnings(warnings));
}

interface Bench {
  readonly client: ProcessorClient;
  readonly directory: string;
  readonly recognize: (signal?: AbortSignal) => Promise<RecognizedPage>;
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
      describePage(response, ['faint']);
      response.setHeader('Content-Type', 'application/pdf');
      response.setHeader('Content-Length', '8');
      request.on('end', () => response.end('%PDF-1.7'));
    },
    async ({ recognize, directory }) => {
      assert.equal(await recognize(), { facts: FACTS, warnings: ['faint'], file: true });
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

test('a connection that broke once is tried again, one that never stands is unreachable', async () => {
  let tries = 0;
  await withServer(
    (request, response) => {
      tries += 1;
      if (tries === 1) return void request.socket.resetAndDestroy();
      request.resume();
      describePage(response, []);
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

test('a processor that is gone for seconds is waited for', async () => {
  const temporary = await temporaryDirectory();
  const pageFile = path.join(temporary.path, 'page-0001.tif');
  await writeFile(pageFile, 'raw page');
  // At an address of its own: nobody else takes a port there meanwhile.
  const gone = await misbehavingServer(() => {}, OWN_ADDRESS);
  await gone.close();
  // More tries than fit into the 1.2 seconds that it was once given.
  const triedOften = Promise.withResolvers<void>();
  let tries = 0;
  const log = createLog('test', 'warn', {
    write: () => {
      tries += 1;
      if (tries === 4) triedOften.resolve();
    },
  });
  const client = createProcessorClient({ baseUrl: gone.url.href, log });
  const outFile = path.join(temporary.path, 'page-0001.pdf');
  const recognized = client.recognizePage({ pageFile, outFile, options: OPTIONS, signal: never });
  await within(60_000, Promise.race([triedOften.promise, recognized]), 'the fourth try');
  const server = createServer((request, response) => {
    request.resume();
    describePage(response, []);
    response.setHeader('Content-Type', 'application/pdf');
    response.setHeader('Content-Length', '8');
    response.end('%PDF-1.7');
  }).listen(Number(gone.url.port), OWN_ADDRESS);
  try {
    assert.equal((await recognized).facts, FACTS);
  } finally {
    server.close();
    await temporary.remove();
  }
});

test('a page that is left out has facts and no file', async () => {
  const facts: PageFacts = { ...FACTS, left_out: 'blank', blank: { score: 0.02, mark: null } };
  for (const [status, given, expected] of [
    [204, facts, { facts, warnings: [], file: false }],
    [204, FACTS, /without a page/],
    [200, facts, /with a page that was left out/],
  ] as const) {
    await withServer(
      (request, response) => {
        request.resume();
        describePage(response, []);
        response.setHeader(PAGE_FACTS_HEADER, writePageFacts(given));
        const body = status === 200 ? '%PDF-1.7' : '';
        const pdf = { 'Content-Type': 'application/pdf', 'Content-Length': body.length };
        response.writeHead(status, body === '' ? {} : pdf).end(body);
      },
      async ({ recognize, directory }) => {
        if (expected instanceof RegExp) {
          assert.match((await failure('processing_failed', recognize())).message, expected);
        } else {
          assert.equal(await recognize(), expected);
          assert.equal(await readdir(directory), ['page-0001.tif']);
        }
      },
    );
  }
});

test('an answer without facts or warnings is processing_failed', async () => {
  for (const header of [PAGE_FACTS_HEADER, WARNINGS_HEADER]) {
    await withServer(
      (request, response) => {
        request.resume();
        describePage(response, []);
        response.removeHeader(header);
        response.setHeader('Content-Type', 'application/pdf');
        response.setHeader('Content-Length', '8');
        response.end('%PDF-1.7');
      },
      async ({ recognize }) => {
        const error = await failure('processing_failed', recognize());
        assert.match(error.message, /without readable facts and warnings/);
      },
    );
  }
});

test.run();
