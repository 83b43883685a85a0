import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import Koa, { type Context } from 'koa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonBody } from '../../../service/http/json-body.ts';
import { failure, rejection } from '../../support/rejection.ts';

const test = suite('reading the body of a request');

/** A request whose body is still to come. */
function request(): { ctx: Context; body: IncomingMessage } {
  const body = new IncomingMessage(new Socket());
  Object.assign(body, { method: 'POST', headers: { 'content-type': 'application/json' } });
  // Koa takes a body for one that is there by its length.
  body.headers['content-length'] = '2';
  return { ctx: new Koa().createContext(body, new ServerResponse(body)), body };
}

const read = (ctx: Context): Promise<unknown> =>
  Promise.resolve(jsonBody()(ctx, () => Promise.resolve()));

test('a body that is no JSON is the fault of the caller', async () => {
  const { ctx, body } = request();
  const reading = failure('invalid_body', read(ctx));
  body.push('{"');
  body.push(null);
  await reading;
});

test('a body that the service could not read is not', async () => {
  const { ctx, body } = request();
  const reading = rejection(read(ctx));
  const cause = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
  body.emit('error', cause);
  assert.is(await reading, cause);
});

test.run();
