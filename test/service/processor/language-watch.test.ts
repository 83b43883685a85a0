import { EventEmitter, once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLanguageWatch } from '../../../service/processor/language-watch.ts';
import type { ProcessorHealth } from '../../../helpers/processor-contract.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { within } from '../../support/within.ts';

const test = suite('the watch on OCR languages');

/** Soon, for a test. */
const INTERVAL_MS = 10;
const EVENT_MS = 60_000;

/** A processor that names these languages, or is not there. */
function processorWith(first: readonly string[] | undefined): {
  health: (signal: AbortSignal) => Promise<ProcessorHealth>;
  change: (languages: readonly string[] | undefined) => void;
  /** Resolves when it was asked twice more: the answer to the first of them has arrived then. */
  asked: () => Promise<void>;
  count: () => number;
} {
  let languages = first;
  let count = 0;
  const events = new EventEmitter();
  return {
    health: () => {
      count += 1;
      events.emit('asked');
      if (languages === undefined) return Promise.reject(new Error('not there'));
      return Promise.resolve({ status: 'ok', versions: {}, languages, workers: 1 });
    },
    change: (next) => {
      languages = next;
    },
    asked: async () => {
      await within(EVENT_MS, once(events, 'asked'));
      await within(EVENT_MS, once(events, 'asked'));
    },
    count: () => count,
  };
}

test('knows the languages, in order, as soon as it is made', async () => {
  const processor = processorWith(['eng', 'deu']);
  const watch = await createLanguageWatch({ processor, log: capturedLog().log });
  assert.equal(watch.installed(), ['deu', 'eng']);
  watch.close();
});

test('knows nothing while the processor was never there, and says so in the log', async () => {
  const processor = processorWith(undefined);
  const logged = capturedLog();
  const options = { processor, log: logged.log, intervalMs: INTERVAL_MS };
  const watch = await createLanguageWatch(options);
  assert.is(watch.installed(), undefined);
  assert.match(logged.text(), 'does not list its languages');
  processor.change(['eng']);
  await processor.asked();
  assert.equal(watch.installed(), ['eng']);
  watch.close();
});

test('notices a change, and keeps what it knew when the processor goes away', async () => {
  const processor = processorWith(['eng']);
  const options = { processor, log: capturedLog().log, intervalMs: INTERVAL_MS };
  const watch = await createLanguageWatch(options);
  processor.change(['eng', 'fra']);
  await processor.asked();
  assert.equal(watch.installed(), ['eng', 'fra']);
  processor.change(undefined);
  await processor.asked();
  assert.equal(watch.installed(), ['eng', 'fra']);
  watch.close();
});

test('asks no more when it is closed', async () => {
  const processor = processorWith(['eng']);
  const options = { processor, log: capturedLog().log, intervalMs: INTERVAL_MS };
  const watch = await createLanguageWatch(options);
  watch.close();
  const before = processor.count();
  // As many turns of the clock as would have brought several questions.
  await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS * 5));
  assert.is(processor.count(), before);
});

test.run();
