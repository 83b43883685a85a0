import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Context } from 'koa';
import { Failure } from '../../failure.ts';

/** Minimum pace: a slow body blocks a queue slot. Slow Wi-Fi is ten times as fast. */
export interface PaceLimit {
  readonly intervalMs: number;
  readonly bytes: number;
}

export const PACE_LIMIT: PaceLimit = { intervalMs: 10_000, bytes: 640 * 1024 };

export interface BodyRule {
  readonly contentType: string;
  readonly maxBytes: number;
}

/** Throws Failure `unsupported_media_type`, `length_required` or `body_too_large`. */
export function checkBody(ctx: Context, { contentType, maxBytes }: BodyRule): void {
  const type = ctx.get('Content-Type').split(';', 1)[0]?.trim().toLowerCase();
  if (type !== contentType || ctx.get('Content-Encoding') !== '') {
    throw new Failure(
      'unsupported_media_type',
      `The body is of another type. Send ${contentType} without a content encoding.`,
    );
  }
  const length = ctx.get('Content-Length');
  if (length === '') {
    throw new Failure(
      'length_required',
      'Content-Length is missing. Send the body with its length.',
    );
  }
  if (Number(length) > maxBytes) {
    throw new Failure('body_too_large', `The body has ${length} bytes. Send at most ${maxBytes}.`);
  }
}

export function receiveFile(
  request: IncomingMessage,
  file: string,
  options: ReceiveOptions,
): Promise<void> {
  return receive(request, createWriteStream(file, { mode: 0o600 }), options);
}

export interface ReceiveOptions {
  readonly signal: AbortSignal;
  readonly pace?: PaceLimit;
}

/** Throws Failure `request_timeout`, the signal's reason, or the stream's error. */
export async function receive(
  request: IncomingMessage,
  into: Writable,
  { signal, pace = PACE_LIMIT }: ReceiveOptions,
): Promise<void> {
  let [bytes, bytesBefore] = [0, 0];
  request.on('data', (chunk: Buffer) => (bytes += chunk.length));
  const timer = setInterval(() => {
    if (bytes - bytesBefore < pace.bytes) into.destroy(tooSlow(pace));
    bytesBefore = bytes;
  }, pace.intervalMs);
  try {
    await pipeline(request, into, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    clearInterval(timer);
  }
}

function tooSlow({ bytes, intervalMs }: PaceLimit): Failure {
  return new Failure(
    'request_timeout',
    `The body comes too slowly. Send at least ${Math.ceil(bytes / 1024)} KB in ${intervalMs / 1000} seconds.`,
  );
}
