import Joi from 'joi';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseJson, readJson } from '../../helpers/read-json.ts';

const test = suite('JSON of others');

const schema = Joi.object<{ pages: number }>({ pages: Joi.number().required() });

test('is read as it is where it fits', () => {
  assert.equal(readJson('{"pages":3}', schema), { pages: 3 });
});

test('is undefined where it does not fit, and nothing is converted', () => {
  for (const text of ['{"pages":"3"}', '{}', 'null', '[]', '"{\\"pages\\":3}"', '{"pages":', '']) {
    assert.is(readJson(text, schema), undefined, text);
  }
});

test('without a schema is whatever the text holds', () => {
  assert.equal(parseJson('[1]'), [1]);
  assert.is(parseJson('null'), null);
  assert.is(parseJson('<html>'), undefined);
});

test.run();
