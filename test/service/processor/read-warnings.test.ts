import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { warningsHeader } from '../../../helpers/processor/warnings-header.ts';
import { readWarnings } from '../../../service/processor/read-warnings.ts';
import { failure } from '../../support/rejection.ts';

const test = suite('warnings of the processor');

const read = (header: string | string[] | undefined): string[] =>
  readWarnings(new URL('http://processor:8081'), 'the page', header);

test('are what the processor wrote', () => {
  const warnings = ['one', 'Blatt für – 日本 🖨'];
  assert.equal(read(warningsHeader(warnings)), warnings);
  assert.equal(read('[]'), []);
});

test('anything else is processing_failed', async () => {
  for (const header of [
    undefined,
    '',
    'text',
    '{}',
    '"text"',
    '[1]',
    '[null]',
    ['["a"]', '["b"]'],
    '["cut',
  ]) {
    const error = await failure(
      'processing_failed',
      new Promise((resolve) => resolve(read(header))),
    );
    assert.match(error.message, /without readable warnings/);
  }
});

test.run();
