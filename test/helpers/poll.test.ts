import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { poll } from '../../helpers/poll.ts';
import { within } from '../support/within.ts';

const test = suite('looking at something every so often');

/** For what a test waits for, on a machine however busy. */
const EVENT_MS = 60_000;

test('has looked once when it begins; a look that fails is reported, and leaves what was found before', async () => {
  let looks = 0;
  const errors: unknown[] = [];
  const { promise: fourth, resolve } = Promise.withResolvers<void>();
  const look = async (): Promise<number> => {
    looks += 1;
    if (looks === 2) throw new Error('broken');
    if (looks === 4) resolve();
    return looks;
  };
  const polled = await poll({ look, everyMs: 5, onError: (error) => errors.push(error) });
  assert.is(polled.value(), 1);
  await within(EVENT_MS, fourth, 'the fourth look');
  polled.close();
  assert.match(String(errors), /broken/);
  assert.ok(Number(polled.value()) >= 3);
  const before = looks;
  await new Promise((passed) => setTimeout(passed, 50));
  assert.is(looks, before, 'none after the end');
});

test('a look that hangs is the only one, and delays the start for a moment only', async () => {
  let looks = 0;
  const look = (): Promise<never> => new Promise(() => (looks += 1));
  const onError = (error: unknown): never => assert.unreachable(String(error)) as never;
  const started = poll({ look, everyMs: 1, firstMs: 50, onError });
  const polled = await within(EVENT_MS, started, 'the start');
  assert.is(looks, 1);
  assert.is(polled.value(), undefined);
  polled.close();
});

test.run();
