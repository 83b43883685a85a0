import Joi from 'joi';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../helpers/failure.ts';
import { checkFields } from '../../../service/http/check-fields.ts';

const test = suite('checking what a caller sent');

const schema = Joi.object<{ name?: string; list?: number[] }>({
  name: Joi.string(),
  list: Joi.array().items(Joi.number()),
}).prefs({ abortEarly: false, convert: false });

function failureOf(given: unknown): Failure {
  try {
    checkFields(schema, given, 'invalid_body');
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  return assert.unreachable('it was taken') as never;
}

test('what is right is given back', () => {
  assert.equal(checkFields(schema, { name: 'a', list: [1] }, 'invalid_body'), {
    name: 'a',
    list: [1],
  });
});

test('every wrong field is named, with its place', () => {
  const { code, facts, message } = failureOf({ name: 1, list: [1, 'x'], more: 1 });
  assert.is(code, 'invalid_body');
  assert.equal(facts, {
    fields: [
      { field: 'name', expected: '"name" must be a string' },
      { field: 'list.1', expected: '"list[1]" must be a number' },
      { field: 'more', expected: '"more" is not a known field' },
    ],
  });
  assert.match(message, /"name" must be a string; "list\[1\]"/);
});

test('what is no object at all is the body', () => {
  for (const given of [[], 'x', 5, null]) {
    assert.equal((failureOf(given).facts['fields'] as { field: string }[])[0]?.field, '(body)');
  }
});

test('thousands of wrong fields are answered in a few lines', () => {
  const { facts, message } = failureOf({ list: Array.from({ length: 16_000 }, () => 'x') });
  assert.is((facts['fields'] as unknown[]).length, 20);
  assert.match(message, /; and 15980 more\.$/);
  assert.ok(message.length < 2000);
});

test('a hundred fields are checked one by one, more are refused as a whole', () => {
  const fields = (count: number): unknown =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, 1]));
  assert.is((failureOf(fields(100)).facts['fields'] as unknown[]).length, 20);
  assert.equal(failureOf(fields(101)).facts, {});
  assert.match(
    failureOf(fields(101)).message,
    /^The request has 101 fields, more than any request knows\./,
  );
});

test.run();
