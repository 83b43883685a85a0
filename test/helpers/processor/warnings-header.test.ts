import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { warningsHeader } from '../../../helpers/processor/warnings-header.ts';

const test = suite('warnings in a header');

test('is a JSON array', () => {
  assert.is(warningsHeader([]), '[]');
  assert.equal(JSON.parse(warningsHeader(['one', 'two "quoted"'])), ['one', 'two "quoted"']);
});

test('is ASCII whatever the text, and reads back the same', () => {
  const text = 'Blatt für Ölwechsel – 日本 🖨 \n';
  const header = warningsHeader([text]);
  assert.match(header, /^[\x20-\x7E]+$/);
  assert.equal(JSON.parse(header), [text]);
});

test('is of bounded length, and says how many were left out', () => {
  const header = warningsHeader(Array.from({ length: 100 }, () => 'ü'.repeat(1000)));
  const warnings: unknown = JSON.parse(header);
  assert.ok(Array.isArray(warnings));
  assert.is(warnings.length, 21);
  assert.is(warnings.at(-1), '80 more warnings');
  assert.is(warnings[0], 'ü'.repeat(200));
});

test.run();
