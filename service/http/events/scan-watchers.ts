import type { ScanListener } from '../../archive/scan-record.ts';
import { scanEventMessage } from './event-message.ts';
import { Readable } from 'node:stream';
import type { Context } from 'koa';

export type OnMessage = (message: Buffer, sequence: number) => void;

export interface ScanWatchers {
  readonly listener: ScanListener;
  /** Calls `onMessage` for each new event of a scan. Returns a function to unsubscribe. */
  watch(scanId: string, onMessage: OnMessage): () => void;
  readonly limits: StreamLimits;
}

export function createScanWatchers(limits: StreamLimits = STREAM_LIMITS): ScanWatchers {
  const watchers = new Map<string, Set<OnMessage>>();
  return {
    limits,
    listener: (event, record, sequence, before) => {
      const watching = watchers.get(record.scan_id);
      if (watching === undefined) return;
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

export const STREAM_LIMITS = {
  /** Proxies close a silent connection after 60 s, clients after two heartbeats. */
  heartbeatMs: 15_000,
  /** A client with more unread bytes is disconnected. It reconnects and gets a snapshot. */
  unreadBytes: 128 * 1024,
};

export type StreamLimits = Readonly<Record<keyof typeof STREAM_LIMITS, number>>;

export interface EventStream {
  readonly body: Readable;
  readonly send: (message: Buffer) => void;
  readonly end: (message?: Buffer) => void;
}

export interface EventStreamOptions {
  /** The first message. It may be longer than `unreadBytes`. */
  readonly first: Buffer;
  readonly onClose: () => void;
  readonly limits: StreamLimits;
}

/** Opens an event stream. Disconnects a client that does not read. */
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

/** An SSE comment, which clients ignore. */
const HEARTBEAT = Buffer.from(':\n\n');

export function answerWith(ctx: Context, { body }: EventStream): void {
  ctx.set({
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store, no-transform',
    // Prevents nginx from buffering the response.
    'X-Accel-Buffering': 'no',
  });
  ctx.body = body;
}
