import type { ScanListener } from '../../archive/scan-record.ts';
import { scanEventMessage } from './event-message.ts';
import { STREAM_LIMITS, type StreamLimits } from './event-stream.ts';

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
