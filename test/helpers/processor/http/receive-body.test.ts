import Koa from 'koa';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request as httpRequest, type ClientRequest, type OutgoingHttpHeaders } from 'node:http';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkBody, receiveFile } from '../../../../helpers/processor/http/receive-body.ts';
import { Failure } from '../../../../helpers/failure.ts';
import { rejection } from '../../../support/rejection.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { within } from '../../../support/within.ts';

const EVENT_MS = 60_000;

/** What a tested client is to send at least; slow ones are found out soon, and others have time on a machine however busy. */
const PACES = {
  patient: { intervalMs: EVENT_MS, bytes: 100 },
  short: { intervalMs: 200, bytes: 100 },
};

/** A server that receives one body; what became of it is `outcome`. */
const test = withFixture(suite('receiving a body'), async () => {
  const temporary = await temporaryDirectory();
  const file = path.join(temporary.path, 'body');
  const outcome = Promise.withResolvers<void>();
  outcome.promise.catch(() => {});
  const began = Promise.withResolvers<void>();
  const stop = new AbortController();
  const app = new Koa();
  app.use(async (ctx) => {
    try {
      checkBody(ctx, { contentType: 'image/tiff', maxBytes: 1000 });
      began.resolve();
      await receiveFile(ctx.req, file, {
        signal: stop.signal,
        pace: PACES[ctx.get('X-Pace') === 'short' ? 'short' : 'patient'],
      });
      outcome.resolve();
    } catch (error) {
      outcome.reject(error);
    }
    ctx.status = 204;
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const requests: ClientRequest[] = [];
  return {
    file,
    stop,
    began: () => within(EVENT_MS, began.promise, 'the body'),
    outcome: within(EVENT_MS, outcome.promise, 'the outcome'),
    begin: (headers: OutgoingHttpHeaders): ClientRequest => {
      const options = { host: '127.0.0.1', port, method: 'POST', headers, agent: false } as const;
      const request = httpRequest(options);
      request.on('error', () => {});
      requests.push(request);
      return request;
    },
    close: async () => {
      for (const request of requests) request.destroy();
      server.closeAllConnections();
      server.close();
      await temporary.remove();
    },
  };
});

const TIFF = { 'content-type': 'image/tiff', 'content-length': '10' };
const SLOW = { ...TIFF, 'x-pace': 'short' };

async function refusal(outcome: Promise<void>, code: string): Promise<void> {
  const error = await rejection(outcome);
  assert.instance(error, Failure);
  assert.is((error as Failure).code, code);
}

test('writes the body to the file, byte by byte', async ({ begin, outcome, file }) => {
  begin(TIFF).end(Buffer.from([0, 255, 10, 13, 0, 1, 2, 3, 4, 5]));
  await outcome;
  assert.equal([...(await readFile(file))], [0, 255, 10, 13, 0, 1, 2, 3, 4, 5]);
});

test('the type may have parameters, and capital letters', async ({ begin, outcome }) => {
  begin({ ...TIFF, 'content-type': 'Image/TIFF; application=x' }).end('0123456789');
  await outcome;
});

const REFUSED: readonly (readonly [string, OutgoingHttpHeaders, string])[] = [
  ['another type', { ...TIFF, 'content-type': 'image/png' }, 'unsupported_media_type'],
  ['no type', { 'content-length': '10' }, 'unsupported_media_type'],
  ['an encoding', { ...TIFF, 'content-encoding': 'gzip' }, 'unsupported_media_type'],
  ['no length', { 'content-type': 'image/tiff' }, 'length_required'],
  ['too great a length', { ...TIFF, 'content-length': '1001' }, 'body_too_large'],
];

for (const [what, headers, code] of REFUSED) {
  test(`${what} is ${code}, before any of the body is read`, async ({ begin, outcome }) => {
    begin(headers).flushHeaders();
    await refusal(outcome, code);
  });
}

test('a client that stalls is request_timeout', async ({ begin, outcome }) => {
  begin(SLOW).write('0123');
  await refusal(outcome, 'request_timeout');
});

test('a client that sends a byte now and then is request_timeout', async ({ begin, outcome }) => {
  const request = begin({ ...SLOW, 'content-length': '1000' });
  const timer = setInterval(() => request.write('x'), 20);
  await refusal(outcome, 'request_timeout').finally(() => clearInterval(timer));
});

test('a client that goes away half-way is an error', async ({ begin, began, outcome }) => {
  const request = begin(TIFF);
  request.write('0123');
  await began();
  request.destroy();
  const error = await rejection(outcome);
  assert.not.instance(error, Failure);
});

test('an abort gives its reason', async ({ begin, began, outcome, stop }) => {
  begin(TIFF).write('0123');
  await began();
  stop.abort(new Error('the processor stops'));
  assert.match(String(await rejection(outcome)), /the processor stops/);
});

test.run();
