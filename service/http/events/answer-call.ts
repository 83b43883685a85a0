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

/** `onStart` receives the scan's id before its first event. */
export type Call = (onStart?: (scanId: string) => void) => Promise<ScanResult>;

/**
 * Sends the result. If the caller prefers `text/event-stream`, sends the scan's events first.
 * Rejects if the call fails before anything is sent.
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

export function endWith(
  stream: EventStream,
  answer: Promise<ScanResult>,
  last: () => number | undefined,
): void {
  const endAs = (result: ScanResult | Failure): void => stream.end(resultMessage(result, last()));
  // Any other error is a bug, which the call has logged.
  answer.then(endAs, (error: unknown) => (error instanceof Failure ? endAs(error) : stream.end()));
}
