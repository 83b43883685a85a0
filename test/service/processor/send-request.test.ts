import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import path from 'node:path';
import {
  sendRequest,
  REQUEST_TIMEOUTS_MS,
  type ProcessorRequest,
  type Outcome,
} from '../../../service/processor/send-request.ts';
import { IncompleteAnswer, storeAnswer } from '../../../service/processor/store-answer.ts';
import { createReplicas, type Claim } from '../../../service/processor/replicas.ts';
import { assert, rejection, withFixture, within } from '../../support/suite.ts';
import { serve, type Served } from '../../support/serve.ts';

const test = withFixture('an exchange with the processor', async (directory) => {
  let server: Served | undefined;
  const outFile = path.join(directory, 'page.pdf');
  return {
    outFile,
    directory,
    files: () => readdir(directory),
    send: async (
      listener: RequestListener,
      given: Partial<ProcessorRequest> = {},
    ): Promise<Outcome> => {
      server = await serve(listener);
      return sendRequest({
        url: new URL('pages', server.url),
        headers: { 'content-type': 'image/tiff', 'content-length': '8' },
        body: chunks('raw ', 'page'),
        outFile,
        replicas: createReplicas('127.0.0.1'),
        signal: new AbortController().signal,
        ...given,
      });
    },
    close: async () => {
      await server?.close();
    },
  };
});

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield await Promise.resolve(Buffer.from(text));
}

const PDF = { 'Content-Type': 'application/pdf', 'Content-Length': '8' };

/** Answers when the whole request is there. */
function answering(status: number, headers: Record<string, string>, body: string): RequestListener {
  return (request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(status, headers).end(body));
  };
}

test('200 with another type is refused, and so is a redirect', async ({ send }) => {
  const html = await send(answering(200, { 'Content-Type': 'text/html' }, '<html>'));
  assert.equal(html, { kind: 'refused', status: 200, text: '<html>' });
});

test('an endless refusal is not read to its end', async ({ send }) => {
  const outcome = await send((request, response) => {
    request.resume();
    response.writeHead(500, { 'Content-Type': 'text/plain' });
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(10_000))) continue;
      response.once('drain', more);
    };
    more();
  });
  assert.is(outcome.kind, 'refused');
  if (outcome.kind === 'refused') assert.is(outcome.text.length, 65_536);
});

const LOSSES: readonly (readonly [string, RequestListener])[] = [
  ['is reset at once', (request) => void request.socket.resetAndDestroy()],
  ['is closed without an answer', (request) => void request.socket.destroy()],
  [
    'breaks within the answer',
    (request, response) => {
      request.resume();
      response.writeHead(200, { ...PDF, 'Content-Length': '100' });
      response.write('%PDF-1.7', () => request.socket.resetAndDestroy());
    },
  ],
  ['speaks no HTTP', (request) => void request.socket.end('no HTTP\r\n\r\n')],
];

for (const [what, listener] of LOSSES) {
  test(`a connection that ${what} is lost, without files`, async ({ send, files }) => {
    const released: boolean[] = [];
    const claim = (): Claim => ({
      ...createReplicas('127.0.0.1').claim(),
      release: (wasLost) => void released.push(wasLost),
    });
    const outcome = await send(listener, { replicas: { claim } });
    assert.equal(released, [true]);
    assert.is(outcome.kind, 'lost', JSON.stringify(outcome));
    assert.equal(await files(), []);
  });
}

test('a processor that is silent is lost when its time is over', async ({ send }) => {
  const timeouts = { ...REQUEST_TIMEOUTS_MS, request: 200 };
  const outcome = await send((request) => void request.resume(), { timeouts });
  assert.equal(outcome, { kind: 'lost', code: 'ETIMEDOUT' });
});

test('an abort within the answer leaves no file', async ({ send, files }) => {
  const stop = new AbortController();
  const error = await rejection(
    send(
      (request, response) => {
        request.resume();
        response.writeHead(200, { ...PDF, 'Content-Length': '100' });
        response.write('%PDF-1.7', () => stop.abort(new Error('the deadline')));
      },
      { signal: stop.signal },
    ),
  );
  assert.match(String(error), /the deadline/);
  assert.equal(await files(), []);
});

test('a body whose reader is gone is ended', async ({ send }) => {
  const ended = Promise.withResolvers<void>();
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield await Promise.resolve(Buffer.alloc(100_000));
    } finally {
      ended.resolve();
    }
  }
  const headers = { 'content-type': 'image/tiff', 'content-length': '1000000000' };
  const reset: RequestListener = (request) => {
    request.once('data', () => request.socket.resetAndDestroy());
  };
  const outcome = await send(reset, { headers, body: endless() });
  assert.is(outcome.kind, 'lost');
  // It is not waited for: what reads a file may hang.
  await within(60_000, ended.promise, 'the end of the body');
});

test('each piece of a body is sent before the next one is asked for', async ({ send }) => {
  const buffer = Buffer.alloc(300_000);
  const count = 20;
  async function* reused(): AsyncGenerator<Uint8Array> {
    for (let piece = 0; piece < count; piece += 1) yield await Promise.resolve(buffer.fill(piece));
    buffer.fill(255);
  }
  const came: Buffer[] = [];
  const listener: RequestListener = (request, response) => {
    request.on('data', (chunk: Buffer) => came.push(chunk));
    request.on('end', () => response.writeHead(200, PDF).end('%PDF-1.7'));
  };
  const headers = { 'content-type': 'image/tiff', 'content-length': String(count * buffer.length) };
  assert.is((await send(listener, { headers, body: reused() })).kind, 'stored');
  const pieces = Array.from({ length: count }, (_, piece) => Buffer.alloc(buffer.length, piece));
  assert.ok(Buffer.concat(came).equals(Buffer.concat(pieces)));
});

test('a body that fails is never taken for a whole one', async ({ send, files }) => {
  let ended = false;
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(Buffer.from('raw '));
    throw Object.assign(new Error('the disk is gone'), { code: 'EIO' });
  }
  const listener: RequestListener = (request, response) => {
    request.resume();
    request.on('end', () => {
      ended = true;
      response.writeHead(200, PDF).end('%PDF-1.7');
    });
  };
  const outcome = await send(listener, { body: failing() }).catch(() => undefined);
  assert.is.not(outcome?.kind, 'stored');
  assert.is(ended, false);
  assert.equal(await files(), []);
});

async function* source(...parts: (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    yield await Promise.resolve(Buffer.from(part, 'latin1'));
  }
}

test('a file is what came, and tells its size and its hash', async ({ outFile: file, files }) => {
  const stored = await storeAnswer(source('%P', 'DF-', '1.7\0\xFF'), file, 10);
  const content = Buffer.from('%PDF-1.7\0\xFF', 'latin1');
  const sha256 = createHash('sha256').update(content).digest('hex');
  assert.equal(stored, { bytes: 10, sha256 });
  assert.ok((await readFile(file)).equals(content));
  assert.equal(await files(), ['page.pdf']);
});

test('what goes on and on is not read to its end', async ({ outFile: file, files }) => {
  let bytes = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) {
      bytes += 100_000;
      yield await Promise.resolve(Buffer.alloc(100_000, '%PDF-'));
    }
  }
  assert.instance(await rejection(storeAnswer(endless(), file, 1_000_000)), IncompleteAnswer);
  assert.is(bytes, 1_100_000);
  assert.equal(await files(), []);
});

const INCOMPLETE: readonly (readonly [string, string, number])[] = [
  ['too few bytes', '%PDF-1.7', 9],
  ['too many bytes', '%PDF-1.7', 7],
  ['no announced length', '%PDF-1.7', Number.NaN],
  ['no PDF', '<html></html>', 13],
  ['nothing', '', 0],
];

for (const [what, text, announced] of INCOMPLETE) {
  test(`${what} is incomplete, and leaves what was`, async ({ outFile: file, files }) => {
    await writeFile(file, 'of an earlier try');
    const error = await rejection(storeAnswer(source(text), file, announced));
    assert.instance(error, IncompleteAnswer);
    assert.is(await readFile(file, 'utf8'), 'of an earlier try');
    assert.equal(await files(), ['page.pdf']);
  });
}

test('an error of the disk leaves nothing', async ({ outFile: file, directory, files }) => {
  const nowhere = path.join(directory, 'nowhere/page.pdf');
  assert.match(String(await rejection(storeAnswer(source('%PDF-1.7'), nowhere, 8))), /ENOENT/);
  await mkdir(file);
  await writeFile(path.join(file, 'x'), '');
  const error = await rejection(storeAnswer(source('%PDF-1.7'), file, 8));
  assert.match(String(error), /EISDIR|ENOTEMPTY|EEXIST/);
  assert.equal(await files(), ['page.pdf']);
});
