import * as assert from 'uvu/assert';
import { Failure, type FailureCode } from '../../helpers/failure.ts';

/** Waits for `promise` to reject and returns the reason; fails the test when it resolves. */
export function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => assert.unreachable('expected a rejection'),
    (error: unknown) => error,
  );
}

/** Waits for `promise` to reject with a Failure of that code and returns it. */
export async function failure(code: FailureCode, promise: Promise<unknown>): Promise<Failure> {
  const error = await rejection(promise);
  assert.instance(error, Failure);
  assert.is((error as Failure).code, code, (error as Failure).message);
  return error as Failure;
}

/** What `work` throws, which must be a Failure. */
export function thrown(work: () => unknown): Failure {
  try {
    work();
  } catch (error) {
    assert.instance(error, Failure);
    return error as Failure;
  }
  return assert.unreachable('expected a failure') as never;
}
