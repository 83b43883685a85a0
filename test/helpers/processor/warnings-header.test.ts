import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { warningsHeader } from '../../../helpers/processor/warnings-header.ts';

const test = suite('warnings in a header');

test('are a JSON array in ASCII', () => {
  const header = warningsHeader(['Größe 📄', 'a\nb']);
  assert.match(header, /^[\x20-\x7e]*$/);
  assert.equal(JSON.parse(header), ['Größe 📄', 'a\nb']);
});

test('are bounded in number and length, and say how many are left out', () => {
  const header = warningsHeader(Array.from({ length: 30 }, () => 'x'.repeat(1000)));
  const warnings = JSON.parse(header) as string[];
  assert.is(warnings.length, 21);
  assert.is(warnings[0]?.length, 200);
  assert.is(warnings.at(-1), '10 more warnings');
});

test.run();
