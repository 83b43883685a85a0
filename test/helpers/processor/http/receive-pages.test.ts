import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  receivePages,
  type ReceivedPages,
} from '../../../../helpers/processor/http/receive-pages.ts';
import { Failure } from '../../../../helpers/failure.ts';
import { rejection } from '../../../support/rejection.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { withFixture, type Fixture } from '../../../support/with-fixture.ts';
import { within } from '../../../support/within.ts';

/** For what a test waits for, on a machine however busy. */
const EVENT_MS = 60_000;

interface Bench extends Fixture {
  readonly directory: string;
  /** Sends a body as it stands; `cut` leaves the request open, so many bytes before its end. */
  readonly send: (body: string, options?: SendOptions) => Promise<ReceivedPages>;
}

interface SendOptions {
  readonly contentType?: string;
  readonly end?: 'whole' | 'stall' | 'leave';
}

/** A server that receives one form. */
const test = withFixture(suite('receiving the pages of a document'), async (): Promise<Bench> => {
  const temporary = await temporaryDirectory();
  const received = Promise.withResolvers<ReceivedPages>();
  received.promise.catch(() => {});
  const began = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    const signal = new AbortController().signal;
    // A client that is to be found out slow says so.
    const intervalMs = request.headers['x-pace'] === 'short' ? 300 : EVENT_MS;
    const options = { signal, pace: { intervalMs, bytes: 1000 } };
    receivePages(request, temporary.path, options)
      .then(received.resolve, received.reject)
      .finally(() => response.end());
    request.once('data', () => began.resolve());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  return {
    directory: temporary.path,
    send: async (
      body,
      { contentType = 'multipart/form-data; boundary=cut', end = 'whole' } = {},
    ) => {
      const length = Buffer.byteLength(body) + (end === 'whole' ? 0 : 1000);
      const headers: OutgoingHttpHeaders = {
        'content-type': contentType,
        'content-length': length,
        ...(end === 'stall' && { 'x-pace': 'short' }),
      };
      const request = httpRequest({
        host: '127.0.0.1',
        port,
        method: 'POST',
        headers,
        agent: false,
      });
      request.on('error', () => {});
      request.on('response', (response) => response.resume());
      request.write(body);
      if (end === 'whole') request.end();
      if (end === 'leave') {
        await within(EVENT_MS, began.promise, 'the body');
        request.destroy();
      }
      try {
        return await within(EVENT_MS, received.promise, 'the outcome');
      } finally {
        request.destroy();
      }
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await temporary.remove();
    },
  };
});

function part(disposition: string, content: string, type?: string): string {
  const typeLine = type === undefined ? '' : `Content-Type: ${type}\r\n`;
  return `--cut\r\nContent-Disposition: form-data; ${disposition}\r\n${typeLine}\r\n${content}\r\n`;
}

const OPTIONS = part('name="options"', '{"title":"T"}');
const END = '--cut--\r\n';
const page = (content: string): string =>
  part('name="page"; filename="x.pdf"', content, 'application/pdf');

async function refused(promise: Promise<unknown>): Promise<string> {
  const error = await rejection(promise);
  assert.instance(error, Failure, String(error));
  return `${(error as Failure).code}: ${(error as Failure).message}`;
}

test('writes the pages in order, and reads the options', async ({ send }) => {
  const { pdfs, options } = await send(`${OPTIONS}${page('%PDF-one')}${page('%PDF-two')}${END}`);
  assert.is(options.title, 'T');
  assert.is(options.output_type, 'pdfa');
  assert.equal(await Promise.all(pdfs.map((file) => readFile(file, 'utf8'))), [
    '%PDF-one',
    '%PDF-two',
  ]);
});

test('the options may come last, and names of files are of no matter', async ({
  send,
  directory,
}) => {
  const evil = part('name="page"; filename="../../etc/passwd"', '%PDF', 'application/pdf');
  const { pdfs } = await send(`${evil}${OPTIONS}${END}`);
  assert.equal(
    pdfs.map((file) => file.startsWith(directory)),
    [true],
  );
  assert.equal(await readdir(directory), ['page-0001.pdf']);
});

test('a page may hold what looks like a boundary', async ({ send }) => {
  const content = '--cu\r\n--cu\r\n-- cut';
  const { pdfs } = await send(`${OPTIONS}${page(content)}${END}`);
  assert.is(await readFile(pdfs[0] ?? '', 'utf8'), content);
});

const REFUSED: readonly (readonly [string, string, RegExp])[] = [
  ['no options', `${page('%PDF')}${END}`, /"options" is missing/],
  ['no page', `${OPTIONS}${END}`, /no part "page"/],
  ['options twice', `${OPTIONS}${OPTIONS}${page('%PDF')}${END}`, /more than one part "options"/],
  ['options that are no JSON', `${part('name="options"', '{')}${page('%PDF')}${END}`, /not JSON/],
  [
    'too long options',
    `${part('name="options"', 'x'.repeat(20_000))}${page('%PDF')}${END}`,
    /16384 bytes/,
  ],
  ['another field', `${part('name="other"', 'x')}${page('%PDF')}${END}`, /a part "other"/],
  [
    'another file',
    `${OPTIONS}${part('name="other"; filename="x"', 'x', 'application/pdf')}${END}`,
    /a file "other"/,
  ],
  [
    'a page of another type',
    `${OPTIONS}${part('name="page"; filename="x"', 'x', 'image/tiff')}${END}`,
    /image\/tiff/,
  ],
  [
    'more pages than a scan can have',
    `${OPTIONS}${page('%PDF').repeat(10_000)}${END}`,
    /more than 9999 parts "page"/,
  ],
  ['nothing at all', '', /./],
  ['no end', `${OPTIONS}${page('%PDF')}`, /cannot be read/],
  ['no form', '{"title":"T"}', /./],
];

for (const [what, body, message] of REFUSED) {
  test(`${what} is invalid_body`, async ({ send }) => {
    const text = await refused(send(body));
    assert.match(text, /^invalid_body: /);
    assert.match(text, message);
  });
}

test('a form without a boundary is invalid_body', async ({ send }) => {
  const text = await refused(send(`${OPTIONS}${END}`, { contentType: 'multipart/form-data' }));
  assert.match(text, /^invalid_body: the form cannot be read/);
});

test('a client that stalls in a page is request_timeout', async ({ send }) => {
  const body = `${OPTIONS}${page('%PDF').slice(0, -4)}`;
  assert.match(await refused(send(body, { end: 'stall' })), /^request_timeout: /);
});

test.run();
