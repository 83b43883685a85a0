import type { Context } from 'koa';
import { Failure } from '../../../helpers/failure.ts';
import type { ScanResult } from '../../archive/scan-view.ts';
import { resultMessage } from './event-message.ts';
import {
  answerWith,
  createEventStream,
  type EventStream,
  type ScanWatchers,
} from './scan-watchers.ts';

/** Starts a call. Reports the id of its scan with `onStart` before its first event. */
export type Call = (onStart?: (scanId: string) => void) => Promise<ScanResult>;

/**
 * Responds with the result of a call, or, if the caller prefers `text/event-stream`, with the
 * events of its scan followed by the result. Rejects with the Failure of a call that fails before
 * its first event.
 */
export async function answerCall(
  ctx: Context,
  watchers: Pick<ScanWatchers, 'watch' | 'limits'>,
  call: Call,
): Promise<void> {
  if (ctx.accepts('json', 'text/event-stream') !== 'text/event-stream') {
    ctx.body = await call();
    return;
  }
  let unwatch = (): void => {};
  let stream: EventStream | undefined;
  let last: number | undefined;
  const begin = (first: Buffer): EventStream =>
    createEventStream({ first, onClose: () => unwatch(), limits: watchers.limits });
  const begun = Promise.withResolvers<void>();
  const answer = call((scanId) => {
    unwatch = watchers.watch(scanId, (message, sequence) => {
      last = sequence;
      if (stream) stream.send(message);
      else stream = begin(message);
      begun.resolve();
    });
  });
  try {
    await Promise.race([begun.promise, answer]);
  } catch (error) {
    unwatch();
    throw error;
  }
  stream ??= begin(Buffer.alloc(0));
  answerWith(ctx, stream);
  endWith(stream, answer, () => last);
}

/** Ends a stream with the result of its call. `last` is the sequence number of the last event. */
export function endWith(
  stream: EventStream,
  answer: Promise<ScanResult>,
  last: () => number | undefined,
): void {
  const endAs = (result: ScanResult | Failure): void => stream.end(resultMessage(result, last()));
  // Any other error is a bug, which the call has already logged.
  answer.then(endAs, (error: unknown) => (error instanceof Failure ? endAs(error) : stream.end()));
}
