import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../helpers/failure.ts';
import { watchStart } from '../../../service/processor/processor-start.ts';
import { failure } from '../../support/rejection.ts';
import { playedParts } from '../../support/scan-parts.ts';

const test = suite('the start of the processor');

const never = new AbortController().signal;

test('a processor may be starting until it answers for the first time', async () => {
  let isThere = false;
  const gone = new Failure('processor_unreachable', 'No processor.');
  const played = playedParts({
    processorHealth: () => (isThere ? Promise.resolve() : Promise.reject(gone)),
  });
  const { processor, mayBeStarting } = watchStart(played.processor, () => 1);
  await failure('processor_unreachable', processor.health(never));
  assert.ok(mayBeStarting());
  isThere = true;
  await processor.health(never);
  assert.not.ok(mayBeStarting());
  isThere = false;
  await failure('processor_unreachable', processor.health(never));
  assert.not.ok(mayBeStarting());
});

test('a minute after the service was started, a processor that never answered is not starting', () => {
  let seconds = 59;
  const { mayBeStarting } = watchStart(playedParts().processor, () => seconds);
  assert.ok(mayBeStarting());
  seconds = 60;
  assert.not.ok(mayBeStarting());
});

test.run();
