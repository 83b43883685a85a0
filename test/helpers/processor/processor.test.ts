import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import { startProcessor } from '../../../helpers/processor/processor.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { stillAlive } from '../../support/processes.ts';
import { assert, rejection, suite, temporaryDirectory, within } from '../../support/suite.ts';
import { startedProgram } from '../../support/native-programs.ts';
import { startBench, type BenchOptions, type ProcessorBench } from './support/processor-bench.ts';
import { graySample, writeTiff } from './support/tiff-sample.ts';

/** For what a test waits for, on a machine however busy. */
const EVENT_MS = 60_000;

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

async function blankPage({ directory }: ProcessorBench): Promise<string> {
  const file = path.join(directory, 'blank.tif');
  await writeTiff(file, graySample(300, 200));
  return file;
}

test('does not start without a program that it needs', async () => {
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

test('when it stops, what it works on is finished, and nothing comes in any more', async () => {
  // Works until the test says so.
  const tesseract = 'while [ ! -e "${TMPDIR%/requests*}/go" ]; do sleep 0.05; done; exit 1';
  await withBench({ programs: { tesseract }, drainMs: EVENT_MS }, async (bench) => {
    const asked = bench.postPage(await blankPage(bench));
    await startedProgram('tesseract', bench.directory);
    const stopped = bench.processor.stop();
    assert.instance(await rejection(fetch(bench.url)), TypeError);
    await writeFile(path.join(bench.directory, 'go'), '');
    assert.is((await asked).status, 200);
    await within(EVENT_MS, stopped, 'the end');
    assert.equal(await readdir(path.join(bench.directory, 'requests')), []);
  });
});

test('what does not finish soon enough is ended, with its programs', async () => {
  const options = { drainMs: 300, programs: { tesseract: 'sleep 600' } };
  await withBench(options, async (bench) => {
    const asked = bench.postPage(await blankPage(bench));
    const pid = await startedProgram('tesseract', bench.directory);
    await within(EVENT_MS, bench.processor.stop(), 'the end');
    const answer = await asked;
    assert.equal([answer.status, answer.error], [503, 'shutting_down']);
    assert.equal(await stillAlive([pid]), []);
    assert.equal(await readdir(path.join(bench.directory, 'requests')), []);
  });
});

test('slow senders lose their places, and a page that waits has its turn', async () => {
  await withBench({ workers: 1, pace: { intervalMs: 1000, bytes: 1000 } }, async (bench) => {
    const page = await blankPage(bench);
    const form = 'multipart/form-data; boundary=cut';
    const head = (path: string, type: string): string =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: 9999\r\n\r\n`;
    const slow = Array.from({ length: 6 }, (_, index) => {
      const socket = connect(bench.processor.port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write(index < 3 ? head('/pages', 'image/tiff') : head('/documents', form));
      // What came at first counts only once.
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

test('200 connections and 60 pollers of its health take nothing from a page', async () => {
  await withBench({}, async (bench) => {
    const page = await blankPage(bench);
    const idle = Array.from({ length: 200 }, () => connect(bench.processor.port, '127.0.0.1'));
    for (const socket of idle) socket.on('error', () => {});
    await Promise.all(idle.map((socket) => once(socket, 'connect')));
    const stop = new AbortController();
    const statuses: number[] = [];
    const poll = async (): Promise<void> => {
      while (!stop.signal.aborted) statuses.push((await fetch(`${bench.url}/health`)).status);
    };
    const pollers = Array.from({ length: 60 }, poll);
    for (let pages = 0; pages < 3; pages += 1) {
      assert.is((await bench.postPage(page)).status, 200);
    }
    stop.abort();
    await Promise.all(pollers);
    for (const socket of idle) socket.destroy();
    assert.ok(statuses.length > 60);
    assert.ok(statuses.every((status) => status === 200));
  });
});

test('a name that is not its own, and a web page, are refused', async () => {
  await withBench({}, async (bench) => {
    const ask = async (headers: Record<string, string>): Promise<number> => {
      const options = { port: bench.processor.port, path: '/health', headers };
      const [response] = (await once(httpGet(options), 'response')) as [IncomingMessage];
      response.resume();
      return response.statusCode ?? 0;
    };
    assert.is(await ask({ host: 'processor:8081' }), 200);
    assert.is(await ask({ host: 'evil.example' }), 421);
    assert.is(await ask({ origin: 'http://evil.example' }), 403);
  });
});
