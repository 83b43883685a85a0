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
    runtimeCheck: { checkMs: 50 },
  });
  assert.is(answer.status, 503);
  assert.is(answer.json?.['reason'], 'scanner_runtime_unreachable');
});

test('callers who ask at the same time, or right after, share one question to the runtime', async () => {
  let asked = 0;
  const { promise: go, resolve: answer } = Promise.withResolvers<void>();
  const app = await startTestApp({
    profiles: [testProfile({ name: 'a' })],
    health: () => {
      asked += 1;
      return go;
    },
    runtimeCheck: { reuseMs: 60_000 },
  });
  const callers = Array.from({ length: 60 }, () => app.send({ path: '/ready' }));
  await app.send({ path: '/health' });
  answer();
  for (const { status } of await Promise.all(callers)) assert.is(status, 200);
  assert.is((await app.send({ path: '/ready' })).status, 200);
  assert.is(asked, 1);
  await app.close();
});

test.run();
