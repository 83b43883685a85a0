import { readdir } from 'node:fs/promises';
import { createPart, refusalOf } from '../../support/appliance/part.ts';
import { serve } from '../../support/serve.ts';
import { assert, withFixture } from '../../support/suite.ts';

const MAIN = 'helpers/processor/main.ts';

/** The processor as an operator starts it, with the real programs. */
const test = withFixture('the processor as a process', async (temporary) => {
  const environment: Record<string, string> = { PORT: '0', TMPDIR: temporary, WORKERS: '1' };
  const processor = createPart('the processor', MAIN, () => environment);
  return { processor, temporary, environment, close: () => processor.stop('SIGKILL') };
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`says that it listens, and at ${signal} ends with 0`, async ({ processor, temporary }) => {
    await processor.start();
    const started = JSON.parse(processor.output().split('\n')[0] ?? '') as Record<string, unknown>;
    assert.equal(
      [started['msg'], started['host'], started['workers']],
      ['listening', '127.0.0.1', 1],
    );
    assert.is((await fetch(`http://127.0.0.1:${processor.port()}/health`)).status, 200);
    assert.is(await processor.stop(signal), 0);
    assert.match(processor.output(), /"msg":"stopping".*"msg":"stopped"/s);
    assert.equal(await readdir(temporary), []);
  });
}

test('says what is wrong with its environment', async ({ environment }) => {
  const said = await refusalOf(MAIN, { ...environment, WORKERS: 'many', LOG_LEVEL: 'loud' });
  assert.match(said, /WORKERS.*LOG_LEVEL/s);
});

test('says that its port is taken, and leaves nothing', async ({ environment, temporary }) => {
  const { port, close } = await serve(() => {});
  try {
    assert.match(await refusalOf(MAIN, { ...environment, PORT: String(port) }), /is in use/);
  } finally {
    await close();
  }
  assert.equal(await readdir(temporary), []);
});
