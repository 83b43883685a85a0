import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Context } from 'koa';
import { Failure } from '../../failure.ts';

/** A client that sends nothing for so long is gone or broken, in milliseconds. */
const IDLE_TIMEOUT_MS = 30_000;

/** What a request must say of its body. */
export interface BodyRule {
  readonly contentType: string;
  readonly maxBytes: number;
}

/**
 * Checks what a request says of its body before any of it is read. Throws Failure `unsupported_media_type`,
 * `length_required` or `body_too_large`.
 */
export function checkBody(ctx: Context, { contentType, maxBytes }: BodyRule): void {
  const type = ctx.get('Content-Type').split(';', 1)[0]?.trim().toLowerCase();
  if (type !== contentType || ctx.get('Content-Encoding') !== '') {
    throw new Failure('unsupported_media_type', `the body must be ${contentType}, not encoded`);
  }
  const length = ctx.get('Content-Length');
  if (length === '') throw new Failure('length_required', 'Content-Length is missing');
  if (Number(length) > maxBytes) {
    throw new Failure('body_too_large', `the body may have ${maxBytes} bytes; it has ${length}`);
  }
}

/** Writes the body of a request to a file. */
export function receiveFile(
  request: IncomingMessage,
  file: string,
  options: ReceiveOptions,
): Promise<void> {
  return receive(request, createWriteStream(file, { mode: 0o600 }), options);
}

export interface ReceiveOptions {
  readonly signal: AbortSignal;
  readonly idleTimeoutMs?: number;
}

/**
 * Sends the body of a request into a stream. Throws Failure `request_timeout` when the client stalls, the signal's reason
 * when it goes away, and the stream's error.
 */
export async function receive(
  request: IncomingMessage,
  into: Writable,
  { signal, idleTimeoutMs = IDLE_TIMEOUT_MS }: ReceiveOptions,
): Promise<void> {
  const seconds = idleTimeoutMs / 1000;
  const stalled = new Failure('request_timeout', `no byte of the body came for ${seconds} s`);
  const onStall = (): void => void into.destroy(stalled);
  // A pipeline that fails takes the socket from the request; the answer is still to be sent through it.
  const { socket } = request;
  request.setTimeout(idleTimeoutMs, onStall);
  try {
    await pipeline(request, into, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    socket.setTimeout(0);
    request.off('timeout', onStall);
  }
}
