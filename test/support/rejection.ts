import * as assert from 'uvu/assert';
import { Failure, type FailureCode } from '../../helpers/failure.ts';

export function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => assert.unreachable('expected a rejection'),
    (error: unknown) => error,
  );
}

export async function failure(code: FailureCode, promise: Promise<unknown>): Promise<Failure> {
  const error = await rejection(promise);
  assert.instance(error, Failure);
  assert.is((error as Failure).code, code, (error as Failure).message);
  return error as Failure;
}

export function thrown(work: () => unknown): Failure {
  try {
    work();
  } catch (error) {
    assert.instance(error, Failure);
    return error as Failure;
  }
  return assert.unreachable('expected a failure') as never;
}
