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

/** The scanner runtime. All promises reject with a `Failure`. */
export interface ScannerClient {
  /** Resolves when the runtime responds. Does not contact a scanner. */
  readonly health: (signal: AbortSignal) => Promise<void>;
  /** None if the runtime is not running, as its scanimage ends with it. */
  readonly scanning: (signal: AbortSignal) => Promise<readonly RunningScan[]>;
  readonly listDevices: (signal: AbortSignal) => Promise<readonly Device[]>;
  /** Without `source`, describes the scanner's default source. */
  readonly describeDevice: (
    device: string,
    source: string | undefined,
    signal: AbortSignal,
  ) => Promise<DeviceDescription>;
  /** Checks a request without feeding paper. `scanner_busy` while a scan uses the device. */
  readonly checkScan: (request: ScanRequest, signal: AbortSignal) => Promise<CheckedScan>;
  /** Fails with `scanner_busy` while a scan or another query uses the scanner. */
  readonly readSensors: (device: string, signal: AbortSignal) => Promise<SensorReading>;
  /**
   * Scans a stack. Aborting the signal stops the feeder after the current sheet, which is still
   * stored. The promise then settles with the runtime's result, or after `CANCEL_WAIT_MS`; pages
   * finished by then still reach `onPage`. The facts of a failure contain `page_count` and
   * `warnings`.
   */
  readonly scan: (request: ScanRequest, options: ScanOptions) => Promise<FedStack>;
  /** Closes the connection. Pending requests fail. */
  readonly close: () => Promise<void>;
}

export interface ScanOptions {
  readonly signal: AbortSignal;
  /** Called in order for each page once it is complete and synced. */
  readonly onPage: (page: ScannedPage) => void;
}

/** In milliseconds. The runtime waits 8 s for the current sheet, then ends scanimage. */
const CANCEL_WAIT_MS = 10_000;

/** Connects in the background, and reconnects whenever the connection is lost. */
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
        // A request that never reached the runtime fed nothing.
        throw withScanFacts(error, { page_count: 0, warnings: [] });
      }
    },
    close: async () => client.close(),
  };
}
