import { once } from 'node:events';
import { openAsBlob } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { programEnvironment, runProgram } from '../../../helpers/child-process.ts';
import { createPart, type Part } from '../../support/appliance/part.ts';
import { stillAlive } from '../../support/processes.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { withFixture, type Fixture } from '../../support/with-fixture.ts';
import { startedProgram } from './support/own-programs.ts';
import { pageTiff } from './support/page-samples.ts';

interface Bench extends Fixture {
  readonly processor: Part;
  /** Temporary directory of the processor. */
  readonly temporary: string;
  readonly environment: Record<string, string>;
  /** Posts a page and gives the status of the answer, or the error of the connection. */
  readonly postPage: () => Promise<number | Error>;
}

/** The processor as an operator starts it, with the real programs. */
const test = withFixture(suite('the processor as a process'), async (): Promise<Bench> => {
  const temporary = await temporaryDirectory();
  const files = await temporaryDirectory();
  const environment: Record<string, string> = { PORT: '0', TMPDIR: temporary.path, WORKERS: '1' };
  const processor = createPart('the processor', 'helpers/processor/main.ts', () => environment);
  return {
    processor,
    temporary: temporary.path,
    environment,
    postPage: async () => {
      const { file } = await pageTiff(files.path, 'invoice', { height: 700 });
      const body = await openAsBlob(file, { type: 'image/tiff' });
      const url = `http://127.0.0.1:${processor.port()}/pages?rotate_pages=false`;
      const answered = fetch(url, { method: 'POST', body });
      return answered.then(
        async (response) => {
          await response.arrayBuffer();
          return response.status;
        },
        (error: Error) => error,
      );
    },
    close: async () => {
      await processor.stop('SIGKILL');
      await temporary.remove();
      await files.remove();
    },
  };
});

test('says that it listens, answers, and at SIGINT ends with 0', async ({
  processor,
  temporary,
}) => {
  await processor.start();
  const started = JSON.parse(processor.output().split('\n')[0] ?? '') as Record<string, unknown>;
  assert.is(started['msg'], 'listening');
  assert.is(started['host'], '127.0.0.1');
  assert.is(started['workers'], 1);
  assert.is((await fetch(`http://127.0.0.1:${processor.port()}/health`)).status, 200);
  assert.is(await processor.stop('SIGINT'), 0);
  assert.match(processor.output(), /"msg":"stopping".*"msg":"stopped"/s);
  assert.equal(await readdir(temporary), []);
});

test('at SIGTERM finishes the page it is at, and leaves no program and no file', async ({
  processor,
  temporary,
  postPage,
}) => {
  await processor.start();
  const answered = postPage();
  const tesseract = await startedProgram('tesseract', temporary);
  assert.is(await processor.stop(), 0);
  assert.is(await answered, 200);
  assert.equal(await stillAlive([tesseract]), []);
  assert.equal(await readdir(temporary), []);
});

test('killed, it takes its programs along, and the next one removes what it left', async ({
  processor,
  temporary,
  postPage,
}) => {
  await processor.start();
  const answered = postPage();
  const tesseract = await startedProgram('tesseract', temporary);
  await processor.stop('SIGKILL');
  assert.instance(await answered, Error);
  assert.equal(await stillAlive([tesseract]), []);
  const [left] = await readdir(temporary);
  await processor.start();
  assert.is((await readdir(temporary)).length, 1);
  assert.not.ok((await readdir(temporary)).includes(left ?? ''));
  assert.is(await processor.stop(), 0);
});

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
