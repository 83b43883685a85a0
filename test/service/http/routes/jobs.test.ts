import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestApp, type TestApp } from '../../../support/test-app.ts';

const test = suite<{ app: TestApp }>('the job endpoints');

test.before(async (context) => {
  context.app = await startTestApp({ token: 'caller-token' });
});

test.after(({ app }) => app.close());

for (const [method, path] of [
  ['GET', '/jobs'],
  ['GET', '/jobs/20261121T063000Z-8f3a1c'],
  ['POST', '/jobs/1/cancel'],
] as const) {
  test(`${method} ${path} is always answered 501`, async ({ app }) => {
    const answer = await app.send({ method, path });
    assert.is(answer.status, 501);
    assert.is(answer.json?.['error'], 'not_implemented');
    assert.match(String(answer.json?.['message']), /POST \/scan is synchronous/);
  });
}

test.run();
