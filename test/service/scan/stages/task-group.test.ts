import { withTaskGroup } from '../../../../service/scan/stages/task-group.ts';
import { assert, rejection, suite } from '../../../support/suite.ts';
import { aborted, someTurns } from '../call/scan-bench.ts';

const test = suite('a group of tasks');

const never = new AbortController().signal;

/** A task that fails with the abort of the group, some time after it. */
async function hang(signal: AbortSignal): Promise<void> {
  await aborted(signal);
  await someTurns();
  throw signal.reason;
}

test('waits for tasks that a task begins', async () => {
  let hasEnded = false;
  await withTaskGroup(never, 1, ({ run }) => {
    run(async () => {
      await someTurns();
      run(async () => {
        await someTurns();
        hasEnded = true;
      });
    });
  });
  assert.ok(hasEnded);
});

test('the first failure aborts the others, no task begins after it, and all have ended when it is thrown', async () => {
  let underWay = 0;
  let begun = 0;
  const error = await rejection(
    withTaskGroup(never, 2, ({ run, signal }) => {
      run(async () => {
        underWay += 1;
        await hang(signal).finally(() => (underWay -= 1));
      });
      run(() => Promise.reject(new Error('the first')));
      for (let number = 0; number < 5; number += 1) {
        run(() => {
          begun += 1;
          return Promise.resolve();
        });
      }
    }),
  );
  assert.is((error as Error).message, 'the first');
  assert.is(underWay, 0);
  assert.is(begun, 0);
});

test('done() rejects with the first failure, whichever task was begun first', async () => {
  const error = await rejection(
    withTaskGroup(never, 2, async ({ run, signal, done }) => {
      run(async () => {
        await aborted(signal);
        throw new Error('a consequence');
      });
      run(() => Promise.reject(new Error('the cause')));
      await done();
    }),
  );
  assert.is((error as Error).message, 'the cause');
});

test('what the group itself throws ends its tasks, and comes before what they throw', async () => {
  let hasEnded = false;
  const error = await rejection(
    withTaskGroup(never, 2, async ({ run, signal }) => {
      run(() => hang(signal).finally(() => (hasEnded = true)));
      run(() => Promise.reject(new Error('a page')));
      await someTurns();
      throw new Error('the jam');
    }),
  );
  assert.is((error as Error).message, 'the jam');
  assert.ok(hasEnded);
});
