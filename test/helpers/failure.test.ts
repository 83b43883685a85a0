import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CATALOGUE, Failure, isFailureCode } from '../../helpers/failure.ts';

const test = suite('failures');

test('carry code, status, message, facts and cause', () => {
  const cause = new Error('low level');
  const failure = new Failure('no_documents', 'the feeder is empty', { facts: { a: 1 }, cause });
  assert.is(failure.code, 'no_documents');
  assert.is(failure.status, 422);
  assert.is(failure.message, 'the feeder is empty');
  assert.equal(failure.facts, { a: 1 });
  assert.is(failure.cause, cause);
  assert.is(failure.name, 'Failure');
});

test('need neither facts nor cause', () => {
  const failure = new Failure('timeout', 'late');
  assert.equal(failure.facts, {});
  assert.not.ok('cause' in failure);
});

test('codes from elsewhere are known only when they are in the catalogue', () => {
  for (const code of Object.keys(CATALOGUE)) assert.ok(isFailureCode(code));
  for (const code of ['__proto__', 'toString', 'nonsense', '', undefined, 5]) {
    assert.not.ok(isFailureCode(code));
  }
});

test.run();
