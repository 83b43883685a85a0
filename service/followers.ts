import type { Log } from '../helpers/log.ts';
import type { ScanListener } from './archive/scan-record.ts';
import type { SecretReader } from './paperless/secrets.ts';
import type { Environment } from './environment.ts';
import { createScanWatchers, type ScanWatchers } from './http/events/scan-watchers.ts';
import type { Metrics, MetricsParts } from './metrics/metrics.ts';
import { createNotifier } from './notification/notifier.ts';
import { logEvents } from './scan/log-events.ts';
import type { RefusedTrigger } from './profiles/trigger.ts';

/** The parts that receive the events of scans. */
export interface Followers {
  readonly listener: ScanListener;
  /** Call this when a scan was closed. */
  readonly closed: (scanId: string) => void;
  /** Call this if a trigger fired but its scan did not start. */
  readonly refused: (refused: RefusedTrigger) => void;
  readonly watchers: ScanWatchers;
  readonly metrics: Metrics | undefined;
  readonly close: () => Promise<void>;
}

export interface FollowerParts extends MetricsParts {
  readonly environment: Pick<Environment, 'metrics' | 'notify'>;
  readonly readSecret: SecretReader;
  readonly log: Log;
}

export async function createFollowers(parts: FollowerParts): Promise<Followers> {
  const { environment, readSecret, log } = parts;
  const watchers = createScanWatchers();
  const metrics = environment.metrics ? await loadMetrics(parts) : undefined;
  const onOutcome = metrics?.countNotification ?? ((): void => {});
  const settings = environment.notify;
  const notifier = settings && createNotifier({ settings, readSecret, onOutcome, log });
  const listeners = [logEvents(log), watchers.listener];
  for (const follower of [metrics, notifier]) if (follower) listeners.push(follower.listener);
  return {
    listener: (...event) => listeners.forEach((listener) => listener(...event)),
    closed: (scanId) => metrics?.closed(scanId),
    refused: (refused) => notifier?.refused(refused),
    watchers,
    metrics,
    close: async () => {
      metrics?.close();
      await notifier?.close();
    },
  };
}

/** Loaded only if needed, because the library takes memory. */
async function loadMetrics(parts: MetricsParts): Promise<Metrics> {
  const { createMetrics } = await import('./metrics/metrics.ts');
  return createMetrics(parts);
}
