import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listen } from '../../../service/http/server.ts';
import { rejection } from '../../support/rejection.ts';
import { sendTo } from '../../support/test-app.ts';
import { within } from '../../support/within.ts';

const test = suite('the HTTP server');

const ANYWHERE = { host: '127.0.0.1', port: 0 };

test('listens on a free port and says which', async () => {
  const server = await listen((_, response) => response.end('here'), ANYWHERE);
  assert.ok(server.port > 0);
  assert.is((await sendTo(server.port, { path: '/' })).text, 'here');
  await server.close();
});

test('a port that is taken is an error, not a hang', async () => {
  const server = await listen((_, response) => response.end(), ANYWHERE);
  const error = await rejection(listen(() => {}, { host: '127.0.0.1', port: server.port }));
  assert.match(String(error), /EADDRINUSE/);
  await server.close();
});

test('closing answers the request under way and drops connections that wait for nothing', async () => {
  const { promise: asked, resolve: wasAsked } = Promise.withResolvers<void>();
  const { promise: go, resolve: finish } = Promise.withResolvers<void>();
  const server = await listen((_, response) => {
    wasAsked();
    void go.then(() => response.end('done'));
  }, ANYWHERE);
  const idle = connect(server.port, '127.0.0.1');
  await once(idle, 'connect');
  const answer = sendTo(server.port, { path: '/' });
  await asked;
  const closed = server.close();
  finish();
  assert.is((await answer).text, 'done');
  idle.destroy();
  await within(5000, closed, 'the close');
});

test('headers of more than 8 KB are refused', async () => {
  const server = await listen((_, response) => response.end(), ANYWHERE);
  const answer = await sendTo(server.port, { path: '/', headers: { 'X-Long': 'x'.repeat(9000) } });
  assert.is(answer.status, 431);
  await server.close();
});

test('a caller that never sends its request is answered 408', async () => {
  const server = await listen((_, response) => response.end(), ANYWHERE);
  const socket = connect(server.port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n');
  assert.match(await within(15_000, text(socket), 'an answer'), /^HTTP\/1\.1 408 /);
  await server.close();
});

test.run();
