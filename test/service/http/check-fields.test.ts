import Joi from 'joi';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../helpers/failure.ts';
import { checkFields } from '../../../service/http/requests.ts';

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
