import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { readEnvironment } from '../../../helpers/processor/environment.ts';
import { startProcessor } from '../../../helpers/processor/processor.ts';
import { createPart, refusalOf } from '../../support/appliance/part.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { stillAlive } from '../../support/processes.ts';
import { serve } from '../../support/serve.ts';
import {
  assert,
  EVENT_MS,
  rejection,
  suite,
  temporaryDirectory,
  withFixture,
  within,
} from '../../support/suite.ts';
import { startedProgram } from '../../support/native-programs.ts';
import { startBench, type BenchOptions, type ProcessorBench } from './support/processor-bench.ts';

const test = suite('the processor');

async function withBench(
  options: BenchOptions,
  body: (bench: ProcessorBench) => Promise<void>,
): Promise<void> {
  const bench = await startBench(options);
  try {
    await body(bench);
  } finally {
    await bench.close();
  }
}

test('does not start if a required program is missing', async () => {
  const temporary = await temporaryDirectory();
  const options = {
    host: '127.0.0.1',
    port: 0,
    workers: 1,
    searchPath: temporary.path,
    temporaryRoot: path.join(temporary.path, 'requests'),
    log: capturedLog().log,
  };
  assert.match(
    String(await rejection(startProcessor(options))),
    /is not installed.*apt-get install/,
  );
  await temporary.remove();
});

test('finishes its work when it is stopped, and accepts nothing new', async () => {
  const tesseract = 'while [ ! -e "${TMPDIR%/requests*}/go" ]; do sleep 0.05; done; exit 1';
  await withBench({ programs: { tesseract }, drainMs: EVENT_MS }, async (bench) => {
    const asked = bench.postPage(await bench.blankPage());
    await startedProgram('tesseract', bench.directory);
    const stopped = bench.processor.stop();
    assert.instance(await rejection(fetch(bench.url)), TypeError);
    await writeFile(path.join(bench.directory, 'go'), '');
    assert.is((await asked).status, 200);
    await within(EVENT_MS, stopped, 'the end');
    assert.equal(await readdir(path.join(bench.directory, 'requests')), []);
  });
});

test('ends work that takes too long, with its programs', async () => {
  const options = { drainMs: 300, programs: { tesseract: 'sleep 600' } };
  await withBench(options, async (bench) => {
    const asked = bench.postPage(await bench.blankPage());
    const pid = await startedProgram('tesseract', bench.directory);
    await within(EVENT_MS, bench.processor.stop(), 'the end');
    const answer = await asked;
    assert.equal([answer.status, answer.error], [503, 'shutting_down']);
    assert.equal(await stillAlive([pid]), []);
    assert.equal(await readdir(path.join(bench.directory, 'requests')), []);
  });
});

test('slow senders lose their places to waiting pages', async () => {
  await withBench({ workers: 1, pace: { intervalMs: 1000, bytes: 1000 } }, async (bench) => {
    const page = await bench.blankPage();
    const form = 'multipart/form-data; boundary=cut';
    const head = (path: string, type: string): string =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: 9999\r\n\r\n`;
    const slow = Array.from({ length: 6 }, (_, index) => {
      const socket = connect(bench.processor.port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write(index < 3 ? head('/pages', 'image/tiff') : head('/documents', form));
      // Bytes of the first packet must not count again later, or the sender would never be too
      // slow.
      socket.write('x'.repeat(5000));
      const timer = setInterval(() => socket.write('x'), 50);
      socket.on('close', () => clearInterval(timer));
      return socket;
    });
    const answers = slow.map((socket) => once(socket, 'data') as Promise<[Buffer]>);
    const answer = await within(EVENT_MS, bench.postPage(page), 'the page');
    assert.is(answer.status, 200, answer.message);
    for (const told of await within(EVENT_MS, Promise.all(answers), 'their ends')) {
      assert.match(told.toString(), /^HTTP\/1\.1 408 .*request_timeout/s);
    }
  });
});

const MAIN = 'helpers/processor/main.ts';

const main = withFixture('the processor as a process', async (temporary) => {
  const environment: Record<string, string> = { PORT: '0', TMPDIR: temporary, WORKERS: '1' };
  const processor = createPart('the processor', MAIN, () => environment);
  return { processor, temporary, environment, close: () => processor.stop('SIGKILL') };
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  main(
    `reports that it listens, and exits with 0 at ${signal}`,
    async ({ processor, temporary }) => {
      await processor.start();
      const started = JSON.parse(processor.output().split('\n')[0] ?? '') as Record<
        string,
        unknown
      >;
      assert.equal(
        [started['msg'], started['host'], started['workers']],
        ['listening', '127.0.0.1', 1],
      );
      assert.is((await fetch(`http://127.0.0.1:${processor.port()}/health`)).status, 200);
      assert.is(await processor.stop(signal), 0);
      assert.match(processor.output(), /"msg":"stopping".*"msg":"stopped"/s);
      assert.equal(await readdir(temporary), []);
    },
  );
}

main('reports errors in its environment', async ({ environment }) => {
  const said = await refusalOf(MAIN, { ...environment, WORKERS: 'many', LOG_LEVEL: 'loud' });
  assert.match(said, /WORKERS.*LOG_LEVEL/s);
});

main('reports that its port is taken, and leaves nothing', async ({ environment, temporary }) => {
  const { port, close } = await serve(() => {});
  try {
    assert.match(await refusalOf(MAIN, { ...environment, PORT: String(port) }), /is in use/);
  } finally {
    await close();
  }
  assert.equal(await readdir(temporary), []);
});

const settings = suite('the settings of the processor');

settings('has defaults that listen on loopback only and use every core', () => {
  const workers = availableParallelism();
  const expected = { host: '127.0.0.1', port: 8081, workers, logLevel: 'info', allowedHosts: [] };
  assert.equal(readEnvironment({}), expected);
  assert.equal(readEnvironment({ HOST: '', PORT: '', WORKERS: '', LOG_LEVEL: '' }), expected);
});

settings('accepts all variables, and is frozen', () => {
  const environment = readEnvironment({
    HOST: '0.0.0.0',
    PORT: '0',
    WORKERS: '3',
    LOG_LEVEL: 'debug',
    ALLOWED_HOSTS: 'OCR.example, b,',
    OTHER: 'x',
  });
  assert.equal(environment, {
    host: '0.0.0.0',
    port: 0,
    workers: 3,
    logLevel: 'debug',
    allowedHosts: ['ocr.example', 'b'],
  });
  assert.ok(Object.isFrozen(environment));
});

settings('names every wrong variable at once', () => {
  const wrong = { PORT: '70000', WORKERS: '0', LOG_LEVEL: 'loud' };
  assert.throws(() => readEnvironment(wrong), /PORT.*WORKERS.*LOG_LEVEL/s);
  assert.throws(() => readEnvironment({ WORKERS: '1.5' }), /WORKERS.*integer/);
});
