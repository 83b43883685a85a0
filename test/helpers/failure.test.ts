import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CATALOGUE, Failure, isFailureCode } from '../../helpers/failure.ts';

const test = suite('failures');

test('carry code, status, both sentences, facts and cause', () => {
  const cause = new Error('low level');
  const [what, remedy] = ['The feeder is empty.', 'Put paper in.'];
  const failure = new Failure('no_documents', what, { remedy, facts: { a: 1 }, cause });
  const { code, status, message, facts, name } = failure.withFacts({ a: 2, b: 3 });
  assert.equal([code, status, name], ['no_documents', 422, 'Failure']);
  assert.is(message, `${what} ${remedy}`);
  assert.equal(facts, { a: 1, b: 3 });
  assert.is(failure.cause, cause);
  assert.equal([failure.what, failure.remedy], [what, remedy]);
});

test('need neither a remedy nor facts nor a cause', () => {
  const failure = new Failure('timeout', 'late');
  assert.is(failure.message, 'late');
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
