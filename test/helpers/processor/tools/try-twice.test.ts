import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../../helpers/failure.ts';
import { JobFailed } from '../../../../helpers/processor/tools/python-jobs.ts';
import { tryTwice } from '../../../../helpers/processor/tools/try-twice.ts';
import { ENDED } from '../../../support/ended.ts';
import { rejection } from '../../../support/rejection.ts';

const test = suite('what is tried twice');

const END = { ...ENDED, exitCode: undefined, signal: 'SIGKILL' } as const;
const KILLED = new JobFailed('compose', 'was killed', END);
const { signal } = new AbortController();

/** Fails so often, then gives how often it ran. */
function failing(times: number, error: Error): { run: () => Promise<number>; runs: () => number } {
  let runs = 0;
  const run = (): Promise<number> => {
    runs += 1;
    return runs > times ? Promise.resolve(runs) : Promise.reject(error);
  };
  return { run, runs: () => runs };
}

test('what took too long, or is known to fail again, is not done again', async () => {
  const late = new JobFailed('compose', 'was ended', { ...END, timedOut: true });
  const stopped = new DOMException('', 'TimeoutError');
  for (const error of [late, stopped, new Failure('unreadable_page', 'broken')]) {
    const { run, runs } = failing(1, error);
    assert.is(await rejection(tryTwice(run, signal)), error);
    assert.is(runs(), 1);
  }
});

test('what is given up during the pause is not done again', async () => {
  const stop = new AbortController();
  const { run, runs } = failing(1, KILLED);
  const given = rejection(tryTwice(run, stop.signal));
  setImmediate(() => stop.abort(new Error('gone')));
  assert.is(await given, stop.signal.reason);
  assert.is(runs(), 1);
});

test.run();
