import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import {
  createEventStream,
  STREAM_LIMITS,
  type EventStream,
} from '../../../../service/http/events/scan-watchers.ts';
import { assert, suite, within } from '../../../support/suite.ts';

const test = suite('event streams');

const message = (bytes: number): Buffer => Buffer.alloc(bytes, 'x');

function begin(
  first: string,
  limits = STREAM_LIMITS,
): EventStream & { readonly closed: Promise<void> } {
  const closed = Promise.withResolvers<void>();
  const stream = createEventStream({
    first: Buffer.from(first),
    onClose: () => closed.resolve(),
    limits,
  });
  return { ...stream, closed: within(60_000, closed.promise, 'the end of the stream') };
}

test('sends what it is given, in order, and ends', async () => {
  const { body, send, end, closed } = begin('first ');
  send(Buffer.from('second '));
  end(Buffer.from('last'));
  // Of a call that was answered at its deadline, and still winds up.
  send(Buffer.from('nothing more'));
  end(Buffer.from('nothing more'));
  assert.is(await text(body), 'first second last');
  await closed;
});

test('sends a comment when nothing else is sent, so that no proxy gives it up', async () => {
  const { body, closed } = begin('', { ...STREAM_LIMITS, heartbeatMs: 10 });
  assert.is(String(await within(60_000, once(body, 'data'))), ':\n\n');
  body.destroy();
  await closed;
});

test('drops a reader that leaves more unread than it may, besides the first message', async () => {
  const limits = { ...STREAM_LIMITS, unreadBytes: 1000 };
  const { body, send, closed } = begin('x'.repeat(5000), limits);
  for (let times = 0; times < 11; times += 1) send(message(100));
  assert.not.ok(body.destroyed, 'that much may wait');
  send(message(100));
  assert.ok(body.destroyed);
  await closed;
  send(message(100));
});
