import type { ScanListener } from '../../archive/scan-record.ts';
import { scanEventMessage } from './event-message.ts';
import { Readable } from 'node:stream';
import type { Context } from 'koa';

export type OnMessage = (message: Buffer, sequence: number) => void;

/** Who watches which scan. */
export interface ScanWatchers {
  /** Passes the events of every scan on. One that nobody watches costs nothing. */
  readonly listener: ScanListener;
  /** Calls `onMessage` for each event of a scan from now on, until the function it returns is called. */
  watch(scanId: string, onMessage: OnMessage): () => void;
  /** Of each watcher's stream. */
  readonly limits: StreamLimits;
}

export function createScanWatchers(limits: StreamLimits = STREAM_LIMITS): ScanWatchers {
  const watchers = new Map<string, Set<OnMessage>>();
  return {
    limits,
    listener: (event, record, sequence, before) => {
      const watching = watchers.get(record.scan_id);
      if (watching === undefined) return;
      // Written once, and shared by all of them.
      const message = scanEventMessage(event, record, { sequence, before });
      for (const onMessage of watching) onMessage(message, sequence);
    },
    watch: (scanId, onMessage) => {
      const watching = watchers.get(scanId) ?? new Set();
      watchers.set(scanId, watching.add(onMessage));
      return () => {
        watching.delete(onMessage);
        if (watching.size === 0) watchers.delete(scanId);
      };
    },
  };
}

/** How an event stream is kept. */
export const STREAM_LIMITS = {
  /** Proxies give up an answer after 60 s without a byte, and a client notices a dead connection after two comments. */
  heartbeatMs: 15_000,
  /** What a watcher may leave unread, in bytes: far more than a phone falls behind by. It asks again, and gets a snapshot. */
  unreadBytes: 128 * 1024,
};

export type StreamLimits = Readonly<Record<keyof typeof STREAM_LIMITS, number>>;

/** An answer that is written event by event. */
export interface EventStream {
  readonly body: Readable;
  readonly send: (message: Buffer) => void;
  /** Sends the last message, and ends the answer. */
  readonly end: (message?: Buffer) => void;
}

export interface EventStreamOptions {
  /** Sent at once, whatever its length. */
  readonly first: Buffer;
  /** Called when the answer has ended or its reader is gone. */
  readonly onClose: () => void;
  readonly limits: StreamLimits;
}

/** Begins an event stream. A reader who does not read is dropped. */
export function createEventStream({ first, onClose, limits }: EventStreamOptions): EventStream {
  const mostUnread = first.length + limits.unreadBytes;
  const heartbeat = setInterval(() => send(HEARTBEAT), limits.heartbeatMs);
  let isOver = false;
  const body = new Readable({
    read: () => {},
    destroy: (error, done) => {
      isOver = true;
      clearInterval(heartbeat);
      onClose();
      done(error);
    },
  });
  function send(message: Buffer): void {
    if (isOver) return;
    if (body.readableLength > mostUnread) body.destroy();
    else body.push(message);
  }
  body.push(first);
  return {
    body,
    send,
    end: (message) => {
      if (isOver) return;
      isOver = true;
      clearInterval(heartbeat);
      if (message) body.push(message);
      body.push(null);
    },
  };
}

/** A comment, which readers ignore. */
const HEARTBEAT = Buffer.from(':\n\n');

/** Answers with an event stream. */
export function answerWith(ctx: Context, { body }: EventStream): void {
  ctx.set({
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store, no-transform',
    // nginx would collect all of it otherwise.
    'X-Accel-Buffering': 'no',
  });
  ctx.body = body;
}
