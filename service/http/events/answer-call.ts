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

/** Starts a call. It calls `onTurn` with the id of its scan before the first event that is its own. */
export type Call = (onTurn?: (scanId: string) => void) => Promise<ScanResult>;

/**
 * Answers a call with its result, or, where the caller prefers `text/event-stream`, with the events of its scan and then the
 * result. A call that is refused before its first event is answered the same either way: rejects with its Failure.
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

/** Ends a stream with the answer of its call, which comes after the event `last`. */
export function endWith(
  stream: EventStream,
  answer: Promise<ScanResult>,
  last: () => number | undefined,
): void {
  const endAs = (result: ScanResult | Failure): void => stream.end(resultMessage(result, last()));
  // Anything but a Failure is a bug; the call has logged it.
  answer.then(endAs, (error: unknown) => (error instanceof Failure ? endAs(error) : stream.end()));
}
