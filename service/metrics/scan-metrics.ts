import { Histogram, type Registry } from '@prometheus-io/client';
import type { Ended, ScanEvent } from '../archive/scan-event.ts';
import { STAGES } from '../archive/scan-event.ts';
import type { ScanListener, ScanRecord } from '../archive/scan-record.ts';
import { OUTCOMES } from '../paperless/destination.ts';
import type { Profile } from '../profiles/profile.ts';
import { counter, gauge } from './series.ts';

/** In seconds, for a few pages or hundreds. */
const STAGE_BUCKETS = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600];
const TAIL_BUCKETS = [0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300];

/** These counters start at 0, so that Prometheus notices the first event. */
const USUAL_ENDS = [
  'ok',
  'held',
  'no_documents',
  'scanner_jammed',
  'cover_open',
  'scanner_error',
  'scan_option_rejected',
  'scanner_runtime_unreachable',
  'no_scanner_detected',
  'processor_unreachable',
  'processing_failed',
  'timeout',
  'insufficient_storage',
  'internal_error',
];

export interface ScanMetrics {
  readonly listener: ScanListener;
  /** Call this when a scan was closed, in case the end of its feeding could not be recorded. */
  readonly closed: (scanId: string) => void;
  readonly expect: (profiles: readonly Profile[]) => void;
}

// oxlint-disable-next-line typescript/explicit-function-return-type -- it follows from the series
function createSeries(registry: Registry) {
  const scans = counter(
    registry,
    'scans_total',
    'Calls that have ended, by profile and outcome: ok, held, or the error code.',
    ['profile', 'outcome'],
  );
  const pages = counter(registry, 'pages_total', 'Scanned pages, by profile.', ['profile']);
  const deliveries = counter(
    registry,
    'deliveries_total',
    'Uploads that have ended, by destination and outcome: accepted, refused or unknown.',
    ['destination', 'outcome'],
  );
  const stages = new Histogram({
    name: 'scan_service_stage_seconds',
    help: 'Duration of each stage of a call.',
    labelNames: ['stage'],
    buckets: STAGE_BUCKETS,
    registers: [registry],
  });
  for (const stage of STAGES) stages.zero({ stage });
  const tail = new Histogram({
    name: 'scan_service_tail_seconds',
    help: 'From the moment at which the feeder is free to the end of the call.',
    buckets: TAIL_BUCKETS,
    registers: [registry],
  });
  const feeding = gauge(registry, 'feeding', 'Scans that are feeding paper.', []);
  const last = gauge(
    registry,
    'last_scan_timestamp_seconds',
    'When the last call with each outcome ended, since unix epoch in seconds.',
    ['outcome'],
  );
  return { scans, pages, deliveries, stages, tail, feeding, last };
}

export function createScanMetrics(registry: Registry): ScanMetrics {
  const { scans, pages, deliveries, stages, tail, feeding, last } = createSeries(registry);
  const feeders = followFeeders((count) => feeding.set(count));

  function countEnd(
    { at, error, state, timings_ms }: Ended,
    { profile }: ScanRecord,
    fedAt?: number,
  ): void {
    const outcome = error?.error ?? (state === 'finished' ? 'ok' : state);
    scans.inc({ profile, outcome });
    last.set({ outcome }, Date.parse(at) / 1000);
    for (const [stage, ms] of Object.entries(timings_ms)) stages.observe({ stage }, ms / 1000);
    if (fedAt !== undefined) tail.observe((Date.parse(at) - fedAt) / 1000);
  }

  return {
    listener: (event, record) => {
      if (event.type === 'page') pages.inc({ profile: record.profile });
      if (event.type === 'upload_ended') {
        const { destination, outcome } = event;
        deliveries.inc({ destination: hostOf(record.settings, destination), outcome });
      }
      const fedAt = feeders.follow(event, record);
      if (event.type === 'ended') countEnd(event, record, fedAt);
    },
    closed: feeders.close,
    expect: (profiles) => {
      for (const profile of profiles) {
        pages.inc({ profile: profile.name }, 0);
        for (const outcome of USUAL_ENDS) scans.inc({ profile: profile.name, outcome }, 0);
        for (const index of profile.destinations.keys()) {
          const destination = hostOf(profile, index);
          for (const outcome of OUTCOMES) deliveries.inc({ destination, outcome }, 0);
        }
      }
    },
  };
}

interface Feeders {
  /** When a call ends, returns the time at which its feeder became free (ms since 1970). */
  readonly follow: (event: ScanEvent, record: ScanRecord) => number | undefined;
  readonly close: (scanId: string) => void;
}

function followFeeders(onChange: (feeding: number) => void): Feeders {
  const feeding = new Set<string>();
  const fedAt = new Map<string, number>();
  return {
    follow: (event, { scan_id: id, stage }) => {
      if (event.type === 'begun' || (event.type === 'resumed' && stage === 'scan')) feeding.add(id);
      if (event.type === 'fed') {
        fedAt.set(id, Date.parse(event.at));
        feeding.delete(id);
      }
      onChange(feeding.size);
      return event.type === 'ended' ? fedAt.get(id) : undefined;
    },
    close: (id) => {
      fedAt.delete(id);
      feeding.delete(id);
      onChange(feeding.size);
    },
  };
}

function hostOf({ destinations }: Profile, index: number): string {
  const address = destinations[index]?.base_url ?? '';
  return URL.parse(address)?.host ?? 'unknown';
}
