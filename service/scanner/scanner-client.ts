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
  /** What the sensors of a scanner report; `scanner_busy` while a scan or another question has it. */
  readonly readSensors: (device: string, signal: AbortSignal) => Promise<SensorReading>;
  /**
   * Scans a stack. Aborting the signal stops the feeder after the sheet under way, which becomes a page; the promise then
   * settles with the runtime's last word, or `CANCEL_WAIT_MS` later, and pages that are finished meanwhile still reach
   * `onPage`. The facts of a failure hold `page_count` and `warnings`.
   */
  readonly scan: (request: ScanRequest, options: ScanOptions) => Promise<FedStack>;
  /** Gives up the connection; open requests fail. */
  readonly close: () => Promise<void>;
}

export interface ScanOptions {
  readonly signal: AbortSignal;
  /** Called for every page that is complete and synced to disk, in order. */
  readonly onPage: (page: ScannedPage) => void;
}

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
        // A request that never got to the runtime has fed nothing.
        throw withScanFacts(error, { page_count: 0, warnings: [] });
      }
    },
    close: async () => client.close(),
  };
}
