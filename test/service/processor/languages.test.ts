import { EventEmitter, once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { languagesMissing, watchLanguages } from '../../../service/processor/languages.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { within } from '../../support/within.ts';

const test = suite('the OCR languages of the processor');

const EVERY_MS = 10;
const EVENT_MS = 60_000;

test('are known in order once it answers, follow a change, and stay known while it is away', async () => {
  let languages: readonly string[] | undefined;
  const asked = new EventEmitter();
  const logged = capturedLog();
  const health = async (): Promise<object> => {
    asked.emit('asked');
    if (languages === undefined) throw new Error('not there');
    return { status: 'ok', versions: {}, languages, workers: 1 };
  };
  const watch = await watchLanguages({ health } as never, logged.log, EVERY_MS);
  assert.is(watch.value(), undefined);
  assert.match(logged.text(), 'does not list its languages');
  const steps = [['eng', 'deu'], ['eng', 'fra'], undefined];
  for (const step of steps) {
    languages = step;
    // When it is asked a second time, the answer to the first question has arrived.
    for (let times = 0; times < 2; times += 1) await within(EVENT_MS, once(asked, 'asked'));
    assert.equal(watch.value(), step?.toSorted() ?? ['eng', 'fra']);
  }
  watch.close();
});

test('are missing only where the profile has text read here', () => {
  const languages = ['eng', 'fra'];
  assert.equal(languagesMissing({ ocr: true, languages }, ['eng']), ['fra']);
  assert.equal(languagesMissing({ ocr: false, languages }, ['eng']), []);
});

test.run();
