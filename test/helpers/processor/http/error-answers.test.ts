import Koa from 'koa';
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { errorAnswers } from '../../../../helpers/http/error-answers.ts';
import { Failure } from '../../../../helpers/failure.ts';
import { ERROR_WORDS } from '../../../../helpers/processor/http/app.ts';
import { capturedLog, type CapturedLog } from '../../../support/captured-log.ts';
import { sendTo, type TestAnswer } from '../../../support/test-app.ts';

const test = suite('errors of the processor as answers');

/** What a client is told when a request ends in `error`, and what is logged. */
async function answerTo(error: Error): Promise<{ answer: TestAnswer; logged: CapturedLog }> {
  const logged = capturedLog();
  const app = new Koa();
  app.use(errorAnswers(logged.log, ERROR_WORDS));
  app.use(() => {
    throw error;
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  try {
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    return { answer: await sendTo(port, { path: '/' }), logged };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('a refusal is answered with its status, code and message', async () => {
  const { answer, logged } = await answerTo(new Failure('unreadable_page', 'the image is damaged'));
  assert.is(answer.status, 422);
  assert.equal(answer.json, { error: 'unreadable_page', message: 'the image is damaged' });
  assert.is(logged.text(), '');
});

test('a full disk is insufficient_storage, whoever noticed it', async () => {
  for (const code of ['ENOSPC', 'EDQUOT']) {
    const { answer } = await answerTo(Object.assign(new Error('write'), { code }));
    assert.is(answer.status, 507);
    assert.is(answer.json?.['error'], 'insufficient_storage');
  }
});

test('a bug is told to the log and not to the client', async () => {
  const { answer, logged } = await answerTo(new Error('secret /path of mine'));
  assert.is(answer.status, 500);
  assert.is(answer.json?.['error'], 'internal_error');
  assert.not.match(answer.text, 'secret');
  assert.match(logged.text(), /"level":"error".*secret \/path of mine/);
});

test.run();
