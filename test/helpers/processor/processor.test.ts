import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startProcessor } from '../../../helpers/processor/processor.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { stillAlive } from '../../support/processes.ts';
import { rejection } from '../../support/rejection.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { within } from '../../support/within.ts';
import { startedProgram } from './support/own-programs.ts';
import { startBench, type BenchOptions, type ProcessorBench } from './support/processor-bench.ts';
import { graySample, writeTiff } from './support/tiff-sample.ts';

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
  assert.match(String(await rejection(startProcessor(options))), /tesseract is not installed/);
  await temporary.remove();
});

test('when it stops, what it works on is finished, and nothing comes in any more', async () => {
  // Works until the test says so.
  const tesseract = 'while [ ! -e "${TMPDIR%/requests*}/go" ]; do sleep 0.05; done; exit 1';
  await withBench({ programs: { tesseract }, drainMs: 15_000 }, async (bench) => {
    const asked = bench.postPage(await blankPage(bench));
    await startedProgram('tesseract', bench.directory);
    const stopped = bench.processor.stop();
    assert.instance(await rejection(fetch(bench.url)), TypeError);
    await writeFile(path.join(bench.directory, 'go'), '');
    assert.is((await asked).status, 200);
    await within(10_000, stopped, 'the end');
    assert.equal(await readdir(path.join(bench.directory, 'requests')), []);
  });
});

test('what does not finish soon enough is ended, with its programs', async () => {
  const options = { drainMs: 300, programs: { tesseract: 'sleep 600' } };
  await withBench(options, async (bench) => {
    const asked = bench.postPage(await blankPage(bench));
    const pid = await startedProgram('tesseract', bench.directory);
    await within(10_000, bench.processor.stop(), 'the end');
    const answer = await asked;
    assert.equal([answer.status, answer.error], [503, 'shutting_down']);
    assert.equal(await stillAlive([pid]), []);
    assert.equal(await readdir(path.join(bench.directory, 'requests')), []);
  });
});

test('a client that does not end its headers is not waited for', async () => {
  await withBench({}, async (bench) => {
    const socket = connect(bench.processor.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write('POST /pages HTTP/1.1\r\nHost: x\r\nX-Slow:');
    const [answer] = (await within(10_000, once(socket, 'data'), 'the answer')) as [Buffer];
    assert.match(answer.toString(), /^HTTP\/1.1 408 /);
    socket.destroy();
  });
});

test.run();
