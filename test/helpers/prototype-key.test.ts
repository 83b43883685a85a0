import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hasPrototypeKey } from '../../helpers/prototype-key.ts';

const test = suite('a key that changes what all objects have');

test('is found on any level', () => {
  for (const text of [
    '{"__proto__":1}',
    '{"a":{"__proto__":{"b":1}}}',
    '[{"a":[{"__proto__":null}]}]',
  ]) {
    assert.is(hasPrototypeKey(JSON.parse(text)), true, text);
  }
});

test('is no other key, and no value', () => {
  for (const text of ['{"proto":1}', '["__proto__"]', '{"a":{"constructor":1}}', 'null', '1']) {
    assert.is(hasPrototypeKey(JSON.parse(text)), false, text);
  }
});

test('is looked for as deep as it is told to', () => {
  const value: unknown = JSON.parse('{"a":{"b":{"__proto__":1}}}');
  assert.is(hasPrototypeKey(value, 2), true);
  assert.is(hasPrototypeKey(value, 1), false);
});

test.run();
