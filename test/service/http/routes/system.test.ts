import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  startTestApp,
  testProfile,
  type TestAppOptions,
  type TestAnswer,
} from '../../../support/test-app.ts';

const test = suite('GET /health, /ready and /version');

async function ask(path: string, options: TestAppOptions): Promise<TestAnswer> {
  const app = await startTestApp(options);
  try {
    return await app.send({ path });
  } finally {
    await app.close();
  }
}

const unreachable = (): Promise<void> => Promise.reject(new Error('no runtime'));
const hung = (signal: AbortSignal): Promise<void> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });

test('health is ok and looks at nothing else', async () => {
  const answer = await ask('/health', { health: unreachable });
  assert.is(answer.status, 200);
  assert.equal(answer.json, { status: 'ok' });
});

test('ready needs a profile and a runtime that answers', async () => {
  const answer = await ask('/ready', { profiles: [testProfile({ name: 'a' })] });
  assert.is(answer.status, 200);
  assert.equal(answer.json, { status: 'ready' });
});

test('ready looks at the profiles first', async () => {
  const answer = await ask('/ready', { health: unreachable });
  assert.is(answer.status, 503);
  assert.is(answer.json?.['status'], 'not_ready');
  assert.is(answer.json?.['reason'], 'no_profiles_loaded');
  assert.is(answer.json?.['error'], 'no_profiles_loaded');
  assert.type(answer.json?.['message'], 'string');
});

test('ready says when the runtime is unreachable', async () => {
  const answer = await ask('/ready', {
    profiles: [testProfile({ name: 'a' })],
    health: unreachable,
  });
  assert.is(answer.status, 503);
  assert.is(answer.json?.['reason'], 'scanner_runtime_unreachable');
});

test('ready gives a hung runtime its time and no more', async () => {
  const answer = await ask('/ready', {
    profiles: [testProfile({ name: 'a' })],
    health: hung,
    readyCheckMs: 50,
  });
  assert.is(answer.status, 503);
  assert.is(answer.json?.['reason'], 'scanner_runtime_unreachable');
});

test('version tells version, commit and time of the build', async () => {
  const answer = await ask('/version', {});
  assert.equal(answer.json, { version: '1.2.3', commit: 'abc', built_at: '2026-11-21T00:00:00Z' });
});

test.run();
