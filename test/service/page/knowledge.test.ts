import { afterSignal } from '../../../service/page/knowledge.js';
import { assert, suite } from '../../support/suite.ts';

const test = suite('what the page knows of the service');

type Signals = Parameters<typeof afterSignal>[1][];

function after(signals: Signals): string {
  return signals.reduce(afterSignal, 'stale' as Parameters<typeof afterSignal>[0]);
}

test('an answer makes it live, and a missing one offline until the next answer', () => {
  assert.is(after([]), 'stale');
  assert.is(after(['answered']), 'live');
  assert.is(after(['answered', 'unanswered']), 'offline');
  assert.is(after(['unanswered', 'woken']), 'offline');
  assert.is(after(['unanswered', 'answered']), 'live');
});

test('what was known before the page was hidden is stale, whatever arrives meanwhile', () => {
  assert.is(after(['answered', 'left']), 'asleep');
  assert.is(after(['answered', 'left', 'answered', 'unanswered']), 'asleep');
  assert.is(after(['answered', 'left', 'woken']), 'stale');
  assert.is(after(['answered', 'left', 'woken', 'answered']), 'live');
});

test('a device that has a network again asks anew', () => {
  assert.is(after(['answered', 'woken']), 'stale');
});
