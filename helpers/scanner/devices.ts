import pLimit from 'p-limit';
import { Failure } from '../failure.ts';
import type {
  DescribeRequest,
  Device,
  DeviceDescription,
  DeviceRequest,
  RunningScan,
  ScanRequest,
} from '../ipc/messages.ts';
import { chooseDevice, isDeviceName } from './device-choice.ts';
import { describeDevice } from './device-description.ts';
import type { ScannerOption } from './option-lines.ts';
import { createRunningScans } from './running-scans.ts';
import { listDevices, prepareScan, readOptions } from './scan-preparation.ts';
import type { Scanimage } from './scanimage.ts';

/** A device that is this scan's alone until `release`. */
export interface ClaimedDevice {
  readonly name: string;
  /** As this device can do it. */
  readonly request: DeviceRequest;
  /** As the scan will set them, checked. */
  readonly options: readonly ScannerOption[];
}

export interface Devices {
  readonly list: (signal: AbortSignal) => Promise<readonly Device[]>;
  readonly describe: (request: DescribeRequest, signal: AbortSignal) => Promise<DeviceDescription>;
  /** The scans that have a device or are looking for theirs. */
  readonly scanning: () => readonly RunningScan[];
  /** Finds the device, checks the request against it, and holds it while `use` runs. Throws `Failure`. */
  readonly withDevice: <Result>(
    request: ScanRequest,
    signal: AbortSignal,
    use: (device: ClaimedDevice) => Promise<Result>,
  ) => Promise<Result>;
}

/**
 * The devices of this machine. They are looked for and described one at a time, and not looked for while a scan has a
 * device: USB drivers open every device that they list.
 */
export function createDevices(scanimage: Scanimage): Devices {
  const scans = createRunningScans();
  const inTurn = pLimit(1);
  let listed: readonly Device[] | undefined;

  const list = async (signal: AbortSignal): Promise<readonly Device[]> => {
    if (!scans.hasDevice()) listed = await listDevices(scanimage, signal);
    if (listed) return listed;
    const message =
      'Looking for scanners would disturb the scan that is running. Try again when it has finished.';
    throw new Failure('scanner_busy', message);
  };

  const find = async (wanted: string, signal: AbortSignal): Promise<string> =>
    isDeviceName(wanted) ? wanted : chooseDevice(wanted, await list(signal));

  return {
    list: (signal) => inTurn(list, signal),
    describe: (request, signal) =>
      inTurn(async () => {
        const device = await find(request.device, signal);
        scans.checkFree(device);
        return describeDevice(device, await readOptions(scanimage, device, request.source, signal));
      }),
    scanning: scans.list,
    withDevice: async (request, signal, use) => {
      const scan = scans.begin(request);
      try {
        const claimed = await inTurn(async () => {
          const name = await find(request.device, signal);
          scan.foundDevice(name);
          return { name, ...(await prepareScan(scanimage, name, request, signal)) };
        });
        return await use(claimed);
      } finally {
        scan.end();
      }
    },
  };
}
