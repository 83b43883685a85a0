import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { lookInBackground } from '../../service/background-look.ts';
import { within } from '../support/within.ts';

const test = suite('looking in the background');

const never = (): Promise<never> => new Promise(() => {});
const unexpected = (error: unknown): never => assert.unreachable(String(error)) as never;

test('has looked once when it begins, and looks again until it is ended', async () => {
  let looks = 0;
  const { promise: third, resolve } = Promise.withResolvers<void>();
  const look = async (): Promise<void> => void ((looks += 1) >= 3 && resolve());
  const end = await lookInBackground({ look, intervalMs: 5, onError: unexpected });
  assert.ok(looks >= 1);
  await within(60_000, third, 'the third look');
  end();
});

test('a look that hangs is the only one, and holds the start up for a moment only', async () => {
  let looks = 0;
  const look = (): Promise<void> => ((looks += 1), never());
  const options = { look, intervalMs: 1, firstLookMs: 50, onError: unexpected };
  const end = await within(60_000, lookInBackground(options), 'the start');
  assert.is(looks, 1);
  end();
});

test('a look that fails is reported, and the next one comes', async () => {
  let looks = 0;
  const errors: unknown[] = [];
  const { promise: second, resolve } = Promise.withResolvers<void>();
  const look = async (): Promise<void> => {
    looks += 1;
    if (looks === 1) throw new Error('broken');
    resolve();
  };
  const onError = (error: unknown): void => void errors.push(error);
  const end = await lookInBackground({ look, intervalMs: 5, onError });
  await within(60_000, second, 'the second look');
  assert.match(String(errors), /broken/);
  end();
});

test.run();
