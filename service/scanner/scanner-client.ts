import type {
  CheckedScan,
  Device,
  DeviceDescription,
  RunningScan,
  ScannedPage,
  ScanRequest,
  FedStack,
  SensorReading,
} from '../../helpers/ipc/messages.ts';
import { createRequestClient } from '../../helpers/ipc/request-client.ts';
import { withScanFacts } from '../../helpers/ipc/scan-facts.ts';
import type { Log } from '../../helpers/log.ts';

/** All promises reject with a `Failure`. */
export interface ScannerClient {
  /** Resolves when the runtime answers. Does not contact a scanner. */
  readonly health: (signal: AbortSignal) => Promise<void>;
  /** Returns no scans if the runtime is not running, because scanimage ends with it. */
  readonly scanning: (signal: AbortSignal) => Promise<readonly RunningScan[]>;
  readonly listDevices: (signal: AbortSignal) => Promise<readonly Device[]>;
  /** `source` is the scanner's default source if not given. */
  readonly describeDevice: (
    device: string,
    source: string | undefined,
    signal: AbortSignal,
  ) => Promise<DeviceDescription>;
  /** Does not feed paper. Throws Failure `scanner_busy` while a scan uses the device. */
  readonly checkScan: (request: ScanRequest, signal: AbortSignal) => Promise<CheckedScan>;
  /** Throws Failure `scanner_busy` while a scan or another query uses the device. */
  readonly readSensors: (device: string, signal: AbortSignal) => Promise<SensorReading>;
  /**
   * After an abort, the feeder stops after the current sheet, whose pages are stored. Settles with
   * the runtime's result, at most `CANCEL_WAIT_MS` later. A failure has the facts `page_count` and
   * `warnings`.
   */
  readonly scan: (request: ScanRequest, options: ScanOptions) => Promise<FedStack>;
  readonly close: () => Promise<void>;
}

export interface ScanOptions {
  readonly signal: AbortSignal;
  /** Called in order, for each page that is complete and synced. */
  readonly onPage: (page: ScannedPage) => void;
}

/** The runtime ends scanimage if the current sheet takes more than 8 s. */
const CANCEL_WAIT_MS = 10_000;

/** Connects in the background, and again if the connection is lost. */
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
  return {
    health: async (signal) => void (await client.ask('health', {}, { signal })),
    scanning: async (signal) => {
      try {
        return (await client.ask('health', {}, { signal })).scanning;
      } catch (error) {
        if (client.isConnected() || signal.aborted) throw error;
        return [];
      }
    },
    listDevices: (signal) => client.ask('list_devices', {}, { signal }),
    describeDevice: (device, source, signal) =>
      client.ask('describe_device', { device, source }, { signal }),
    checkScan: (request, signal) => client.ask('check_scan', request, { signal }),
    readSensors: (device, signal) => client.ask('read_sensors', { device }, { signal }),
    scan: async (request, { signal, onPage }) => {
      try {
        return await client.ask('scan', request, { signal, cancelWaitMs, onPage });
      } catch (error) {
        // If the request did not reach the runtime, nothing was fed.
        throw withScanFacts(error, { page_count: 0, warnings: [] });
      }
    },
    close: async () => client.close(),
  };
}
