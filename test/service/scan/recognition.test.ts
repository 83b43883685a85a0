import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ScannedPage } from '../../../helpers/ipc/messages.ts';
import { Failure } from '../../../helpers/failure.ts';
import { createRecognition, type Recognition } from '../../../service/scan/recognition.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { failure, rejection } from '../../support/rejection.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.ts';

type Recognize = (pageFile: string, signal: AbortSignal) => Promise<{ warnings: string[] }>;

const test = suite<{ directory: TemporaryDirectory }>('recognition while the feeder runs');

test.before.each(async (context) => {
  context.directory = await temporaryDirectory();
});

test.after.each(({ directory }) => directory.remove());

const page = (number: number): ScannedPage => ({
  number,
  sheet: number,
  side: 'front',
  filename: `page-000${number}.tif`,
  bytes: 1,
  width_px: 1,
  height_px: 1,
  dpi: 300,
});

function start(
  directory: TemporaryDirectory,
  recognize: Recognize,
  signal = new AbortController().signal,
): Recognition {
  return createRecognition({
    processor: {
      health: () => Promise.reject(new Error('not expected')),
      recognizePage: async ({ pageFile, signal: given }) => ({
        facts: { turned: 0, words: 1, characters: 1, confidence: 90 },
        ...(await recognize(pageFile, given)),
      }),
      assembleDocument: () => Promise.reject(new Error('not expected')),
    },
    page: { languages: ['eng'], deskew: false, rotate_pages: true, optimize: 1 },
    directory: directory.path,
    concurrency: 2,
    signal,
    log: capturedLog().log,
  });
}

const untilAborted: Recognize = (_, signal) =>
  new Promise((_resolve, reject) => {
    const end = (): void => reject(signal.reason as Error);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end);
  });

test('gives every page in the order of the stack, whichever is done first', async ({
  directory,
}) => {
  const last = Promise.withResolvers<void>();
  const recognition = start(directory, async (file) => {
    if (file.endsWith('page-0003.tif')) last.resolve();
    if (!file.endsWith('page-0001.tif')) return { warnings: [] };
    await last.promise;
    return { warnings: ['faint'] };
  });
  for (const number of [1, 2, 3]) recognition.add(page(number));
  const pages = await recognition.finish();
  assert.equal(
    pages.map(({ number }) => number),
    [1, 2, 3],
  );
  assert.match(pages[1]?.file ?? '', /\/recognized\/page-0002\.pdf$/);
  assert.equal(pages[0]?.warnings, ['page 1: faint']);
});

test('has no more pages with the processor than agreed', async ({ directory }) => {
  let under = 0;
  let most = 0;
  const both = Promise.withResolvers<void>();
  const recognition = start(directory, async () => {
    under += 1;
    most = Math.max(most, under);
    if (under === 2) both.resolve();
    await both.promise;
    await new Promise((resolve) => setImmediate(resolve));
    under -= 1;
    return { warnings: [] };
  });
  for (let number = 1; number <= 9; number += 1) recognition.add(page(number));
  await recognition.finish();
  assert.is(most, 2);
});

test('the first page that fails ends the others and is what is told', async ({ directory }) => {
  const recognition = start(directory, (file, signal) =>
    file.endsWith('page-0002.tif')
      ? Promise.reject(new Failure('processing_failed', 'page 2'))
      : untilAborted(file, signal),
  );
  for (const number of [1, 2, 3, 4]) recognition.add(page(number));
  assert.is((await failure('processing_failed', recognition.finish())).message, 'page 2');
});

test('ends with the deadline', async ({ directory }) => {
  const deadline = new AbortController();
  const recognition = start(directory, untilAborted, deadline.signal);
  recognition.add(page(1));
  deadline.abort(new Error('too late'));
  assert.match(String(await rejection(recognition.finish())), /too late/);
});

test('is cancelled without a trace', async ({ directory }) => {
  const recognition = start(directory, untilAborted);
  recognition.add(page(1));
  recognition.add(page(2));
  recognition.add(page(3));
  await recognition.cancel();
});

test.run();
