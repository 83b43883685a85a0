import * as assert from 'uvu/assert';
import { Failure, type FailureCode } from '../../helpers/failure.ts';

/** Returns the rejection reason; fails the test if `promise` resolves. */
export function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => assert.unreachable('expected a rejection'),
    (error: unknown) => error,
  );
}

/** Like `rejection`, for a Failure with this code. */
export async function failure(code: FailureCode, promise: Promise<unknown>): Promise<Failure> {
  const error = await rejection(promise);
  assert.instance(error, Failure);
  assert.is((error as Failure).code, code, (error as Failure).message);
  return error as Failure;
}

/** Returns the Failure that `work` throws. */
export function thrown(work: () => unknown): Failure {
  try {
    work();
  } catch (error) {
    assert.instance(error, Failure);
    return error as Failure;
  }
  return assert.unreachable('expected a failure') as never;
}
