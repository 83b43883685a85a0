import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { programEnvironment, runProgram } from '../../../helpers/child-process.ts';
import { createPart, type Part } from '../../support/appliance/part.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { withFixture, type Fixture } from '../../support/with-fixture.ts';

interface Bench extends Fixture {
  readonly processor: Part;
  /** Temporary directory of the processor. */
  readonly temporary: string;
  readonly environment: Record<string, string>;
}

/** The processor as an operator starts it, with the real programs. */
const test = withFixture(suite('the processor as a process'), async (): Promise<Bench> => {
  const temporary = await temporaryDirectory();
  const environment: Record<string, string> = { PORT: '0', TMPDIR: temporary.path, WORKERS: '1' };
  const processor = createPart('the processor', 'helpers/processor/main.ts', () => environment);
  return {
    processor,
    temporary: temporary.path,
    environment,
    close: async () => {
      await processor.stop('SIGKILL');
      await temporary.remove();
    },
  };
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`says that it listens, answers, and at ${signal} ends with 0 and leaves nothing`, async ({
    processor,
    temporary,
  }) => {
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

/** Starts it where it cannot run, and gives what it says; it must end by itself, with 1. */
async function refusalOf(environment: Record<string, string>): Promise<string> {
  const program = {
    file: process.execPath,
    args: [path.resolve(import.meta.dirname, '../../../helpers/processor/main.ts')],
    cwd: '/',
    env: programEnvironment(environment),
  };
  const { exitCode, stdout, stderr } = await runProgram(program, { timeoutMs: 30_000 });
  assert.is(exitCode, 1);
  assert.is(stdout, '');
  return stderr;
}

test('says what is wrong with its environment', async ({ environment }) => {
  const said = await refusalOf({ ...environment, WORKERS: 'many', LOG_LEVEL: 'loud' });
  assert.match(said, /WORKERS.*LOG_LEVEL/s);
});

test('says that its port is taken, and leaves nothing', async ({ environment, temporary }) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = String(typeof address === 'object' ? address?.port : 0);
  try {
    assert.match(await refusalOf({ ...environment, PORT: port }), /is in use/);
  } finally {
    other.close();
  }
  assert.equal(await readdir(temporary), []);
});

test.run();
