import type {
  CheckedScan,
  Device,
  DeviceDescription,
  RunningScan,
  ScannedPage,
  ScanRequest,
  ScanSummary,
} from '../../helpers/ipc/messages.ts';
import { createRequestClient } from '../../helpers/ipc/request-client.ts';
import { withScanFacts } from '../../helpers/ipc/scan-facts.ts';
import { readResult } from '../../helpers/ipc/schemas.ts';
import type { Log } from '../../helpers/log.ts';

/** The scanner runtime as the service uses it. Every promise rejects with `Failure`. */
export interface ScannerClient {
  /** Resolves when the runtime answers; no scanner is looked at. */
  readonly health: (signal: AbortSignal) => Promise<void>;
  /**
   * The scans that the runtime is working on. A runtime that is gone works on none: its scanimage goes with it. Rejects when
   * it is there and does not answer.
   */
  readonly scanning: (signal: AbortSignal) => Promise<readonly RunningScan[]>;
  readonly listDevices: (signal: AbortSignal) => Promise<readonly Device[]>;
  /** `source` left out is the source that the scanner starts with. */
  readonly describeDevice: (
    device: string,
    source: string | undefined,
    signal: AbortSignal,
  ) => Promise<DeviceDescription>;
  /** Checks a request as its scan would, without feeding paper; `scanner_busy` while a scan has the device. */
  readonly checkScan: (request: ScanRequest, signal: AbortSignal) => Promise<CheckedScan>;
  /**
   * Scans a stack. Aborting the signal stops the feeder after the sheet under way, which becomes a page; the promise then settles
   * with the runtime's last word, or `CANCEL_WAIT_MS` later, and pages that are finished meanwhile still reach `onPage`. The facts
   * of a failure hold `page_count` and `warnings`.
   */
  readonly scan: (request: ScanRequest, options: ScanOptions) => Promise<ScanSummary>;
  /** Gives up the connection; open requests fail. */
  readonly close: () => Promise<void>;
}

export interface ScanOptions {
  readonly signal: AbortSignal;
  /** Called for every page that is complete and synced to disk, in order. */
  readonly onPage: (page: ScannedPage) => void;
}

/** The readiness check has three seconds for it (docs/specification.md §8). */
const HEALTH_DEADLINE_MS = 3000;
/** Longer than the runtime lets its own look for devices take. */
const LIST_DEADLINE_MS = 70_000;
/** Longer than the runtime lets looking for the device and opening it twice take. */
const DESCRIBE_DEADLINE_MS = 150_000;
/** A net under the caller's own deadline: no stack of paper takes longer. */
const SCAN_DEADLINE_MS = 24 * 60 * 60 * 1000;
/** The runtime gives the sheet under way eight seconds, and then ends scanimage within one. */
const CANCEL_WAIT_MS = 10_000;

/** Connects to the runtime in the background, and again whenever it is lost. */
export function createScannerClient({
  socketPath,
  log,
  cancelWaitMs = CANCEL_WAIT_MS,
}: {
  readonly socketPath: string;
  readonly log: Log;
  readonly cancelWaitMs?: number;
}): ScannerClient {
  const client = createRequestClient(socketPath, log);
  const look = { cancelWaitMs: 0 } as const;
  return {
    health: async (signal) => {
      const options = { ...look, signal, deadlineMs: HEALTH_DEADLINE_MS };
      readResult('health', await client.request('health', {}, options));
    },
    scanning: async (signal) => {
      try {
        const options = { ...look, signal, deadlineMs: HEALTH_DEADLINE_MS };
        return readResult('health', await client.request('health', {}, options)).scanning;
      } catch (error) {
        if (client.isConnected() || signal.aborted) throw error;
        return [];
      }
    },
    listDevices: async (signal) => {
      const options = { ...look, signal, deadlineMs: LIST_DEADLINE_MS };
      return readResult('list_devices', await client.request('list_devices', {}, options));
    },
    describeDevice: async (device, source, signal) => {
      const options = { ...look, signal, deadlineMs: DESCRIBE_DEADLINE_MS };
      const body = { device, source };
      return readResult('describe_device', await client.request('describe_device', body, options));
    },
    checkScan: async (request, signal) => {
      const options = { ...look, signal, deadlineMs: DESCRIBE_DEADLINE_MS };
      return readResult('check_scan', await client.request('check_scan', { request }, options));
    },
    scan: async (request, { signal, onPage }) => {
      const waits = { deadlineMs: SCAN_DEADLINE_MS, cancelWaitMs };
      const options = { ...waits, signal, onPage };
      try {
        return readResult('scan', await client.request('scan', { request }, options));
      } catch (error) {
        // A request that never got to the runtime has fed nothing.
        throw withScanFacts(error, { page_count: 0, warnings: [] });
      }
    },
    close: async () => client.close(),
  };
}
