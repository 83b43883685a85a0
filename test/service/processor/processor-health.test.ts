import type { RequestListener } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ProcessorHealth } from '../../../helpers/processor-contract.ts';
import { askHealth } from '../../../service/processor/processor-client.ts';
import { failure, rejection } from '../../support/rejection.ts';
import { misbehavingServer } from './misbehaving-server.ts';

const test = suite('the health of the processor');

const HEALTH = { status: 'ok', versions: { tesseract: '5.5.0' }, languages: ['eng'], workers: 4 };

async function ask(
  listener: RequestListener,
  signal = new AbortController().signal,
): Promise<ProcessorHealth> {
  const server = await misbehavingServer(listener);
  try {
    return await askHealth(server.url, signal);
  } finally {
    await server.close();
  }
}

const answering =
  (body: string, status = 200): RequestListener =>
  (_, response) =>
    void response.writeHead(status).end(body);

test('is what the processor says', async () => {
  assert.equal(await ask(answering(JSON.stringify(HEALTH))), HEALTH);
});

test('anything else is not its health', async () => {
  for (const body of [
    '',
    '<html>',
    '[]',
    JSON.stringify({ ...HEALTH, status: 'bad' }),
    JSON.stringify({ ...HEALTH, workers: '4' }),
    JSON.stringify({ ...HEALTH, workers: 0 }),
    JSON.stringify({ ...HEALTH, languages: 'eng' }),
  ]) {
    const { message } = await failure('processing_failed', ask(answering(body)));
    assert.match(message, /a body that is not its health/);
  }
});

test('a refusal, and a redirect, are told', async () => {
  const bug = JSON.stringify({ error: 'internal_error', message: 'a bug' });
  assert.match((await failure('processing_failed', ask(answering(bug, 500)))).message, /a bug/);
  const elsewhere: RequestListener = (_, response) =>
    void response.writeHead(302, { Location: 'http://127.0.0.1:9/' }).end();
  assert.match((await failure('processing_failed', ask(elsewhere))).message, /HTTP 302/);
});

test('is given up with the reason of the signal', async () => {
  const signal = AbortSignal.timeout(200);
  assert.is(await rejection(ask(() => {}, signal)), signal.reason);
  const early = AbortSignal.abort(new Error('too late'));
  assert.match(String(await rejection(ask(() => {}, early))), /too late/);
});

test.run();
