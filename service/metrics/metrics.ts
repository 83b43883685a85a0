import { Counter, Gauge, Registry } from '@prometheus-io/client';
import { freeBytes } from '../../helpers/free-bytes.ts';
import type { Log } from '../../helpers/log.ts';
import { poll } from '../../helpers/poll.ts';
import type { ScanListener } from '../archive/scan-record.ts';
import type { ProfileStore } from '../profiles/store.ts';
import { createScanMetrics } from './scan-metrics.ts';
import { counter, gauge } from './series.ts';

/** Polling interval. A scrape uses the last results and never waits. */
const LOOK_EVERY_MS = 15_000;

/** The same limit as in GET /ready. */
const ANSWER_MS = 3000;

/** Other parts of the appliance, by the label of their metric. */
export type Components = Readonly<
  Record<'runtime' | 'processor', { health(signal: AbortSignal): Promise<unknown> }>
>;

export interface Metrics {
  readonly listener: ScanListener;
  /** Call this when a scan was closed. */
  readonly closed: (scanId: string) => void;
  readonly countNotification: (outcome: NotificationOutcome) => void;
  readonly contentType: string;
  readonly render: () => Promise<string>;
  readonly close: () => void;
}

export type NotificationOutcome = 'sent' | 'failed';

export interface MetricsParts {
  readonly version: { readonly version: string; readonly commit: string };
  readonly profiles: Pick<ProfileStore, 'list'>;
  readonly roots: () => readonly string[];
  readonly components: Components;
  readonly log: Log;
}

export async function createMetrics({
  version,
  profiles,
  roots,
  components,
  log,
}: MetricsParts): Promise<Metrics> {
  const registry = new Registry();
  const scans = createScanMetrics(registry);
  const measureProcess = createProcessMetrics(registry);
  const { version: number, commit } = version;
  gauge(registry, 'build_info', 'Version and commit, as labels of the value 1.', [
    'version',
    'commit',
  ]).set({ version: number, commit }, 1);
  const help = 'Notifications, by outcome: sent or failed.';
  const notifications = counter(registry, 'notifications_total', help, ['outcome']);
  for (const outcome of ['sent', 'failed']) notifications.inc({ outcome }, 0);
  const free = gauge(registry, 'storage_free_bytes', 'Free space of each output directory.', [
    'directory',
  ]);
  const loaded = gauge(registry, 'profiles_loaded', 'Profiles that can be scanned with.', []);
  const up = gauge(registry, 'component_up', 'Whether a part answers: 1 or 0.', ['component']);
  const looks = await Promise.all(
    [() => lookAtStorage(free, roots()), () => lookAtParts(up, components)].map((look) =>
      poll({
        look,
        everyMs: LOOK_EVERY_MS,
        onError: (err) => log.warn({ event: 'metrics_failed', err }, 'A metric is not known.'),
      }),
    ),
  );
  return {
    listener: scans.listener,
    closed: scans.closed,
    countNotification: (outcome) => notifications.inc({ outcome }),
    contentType: registry.contentType,
    render: () => {
      scans.expect(profiles.list());
      loaded.set(profiles.list().length);
      measureProcess();
      return registry.metrics();
    },
    close: () => {
      for (const look of looks) look.close();
    },
  };
}

async function lookAtStorage(free: Gauge<'directory'>, roots: readonly string[]): Promise<void> {
  await Promise.all(
    [...new Set(roots)].map(async (directory) => {
      try {
        free.set({ directory }, await freeBytes(directory));
      } catch {
        // The directory is gone, or there was no scan yet.
        free.remove({ directory });
      }
    }),
  );
}

async function lookAtParts(up: Gauge<'component'>, components: Components): Promise<void> {
  await Promise.all(
    Object.entries(components).map(async ([component, part]) => {
      const answers = await part.health(AbortSignal.timeout(ANSWER_MS)).then(
        () => 1,
        () => 0,
      );
      up.set({ component }, answers);
    }),
  );
}

/** Uses the metric names of other Prometheus clients, which dashboards expect. */
function createProcessMetrics(registry: Registry): () => void {
  const registers = [registry];
  const memory = new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory size in bytes.',
    registers,
  });
  const cpu = new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Total user and system CPU time spent in seconds.',
    registers,
  });
  const start = new Gauge({
    name: 'process_start_time_seconds',
    help: 'Start time of the process since unix epoch in seconds.',
    registers,
  });
  start.set(Date.now() / 1000 - process.uptime());
  return () => {
    memory.set(process.memoryUsage.rss());
    const { user, system } = process.cpuUsage();
    cpu.reset();
    cpu.inc((user + system) / 1e6);
  };
}
