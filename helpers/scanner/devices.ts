import path from 'node:path';
import pLimit from 'p-limit';
import { Failure } from '../failure.ts';
import type {
  CheckedScan,
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
import { createRunningScans } from './device-locks.ts';
import { listDevices, prepareScan, readOptions } from './scan-preparation.ts';
import type { Scanimage } from './scanimage.ts';
import { sourceInUse, type SourceInUse } from './sources.ts';
import { withUsbLook } from './usb-look.ts';

/** How long a list of devices counts for checks, in milliseconds: with the search of the network, a new one takes seconds. */
const RECENT_MS = 5000;

/** A device that is this scan's alone until `release`. */
export interface ClaimedDevice {
  readonly name: string;
  /** As this device can do it. */
  readonly request: DeviceRequest;
  /** As the scan will set them, checked. */
  readonly options: readonly ScannerOption[];
  readonly source: SourceInUse;
}

export interface Devices {
  readonly list: (signal: AbortSignal) => Promise<readonly Device[]>;
  readonly describe: (request: DescribeRequest, signal: AbortSignal) => Promise<DeviceDescription>;
  /** Finds the device and checks the request against it, as a scan does, but not while one has it. Throws `Failure`. */
  readonly check: (request: ScanRequest, signal: AbortSignal) => Promise<CheckedScan>;
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
  const { list, find, isSheetFed } = createSearch(scanimage, scans.withDevice);

  return {
    list: (signal) => inTurn(list, signal),
    describe: (request, signal) =>
      inTurn(async () => {
        const device = await find(request.device, signal);
        scans.checkFree(device);
        return describeDevice(device, await readOptions(scanimage, device, request.source, signal));
      }),
    check: (request, signal) =>
      inTurn(async () => {
        scans.checkFree(request.device);
        const device = await find(request.device, signal, RECENT_MS);
        scans.checkFree(device);
        await prepareScan(scanimage, device, request, signal);
        return { device };
      }),
    scanning: scans.list,
    withDevice: async (request, signal, use) => {
      const scan = scans.begin(request);
      try {
        const claimed = await inTurn(async () => {
          const name = await find(request.device, signal);
          scan.foundDevice(name);
          const prepared = await prepareScan(scanimage, name, request, signal);
          const source = sourceInUse(prepared.request, prepared.options, isSheetFed(name));
          return { name, ...prepared, source };
        });
        return await use(claimed);
      } finally {
        scan.end();
      }
    },
  };
}

interface Search {
  readonly list: (signal: AbortSignal) => Promise<readonly Device[]>;
  /** The device that a request means; a list that is `maxAgeMs` old is good enough. */
  readonly find: (wanted: string, signal: AbortSignal, maxAgeMs?: number) => Promise<string>;
  /** Whether the list says so; a device that is opened by its name may not be listed. */
  readonly isSheetFed: (name: string) => boolean;
}

/** Looks for devices, and keeps what it found for when it may not look. */
function createSearch(scanimage: Scanimage, scanning: () => RunningScan | undefined): Search {
  let listed: readonly Device[] | undefined;
  let listedAt = -Infinity;

  const list = async (signal: AbortSignal): Promise<readonly Device[]> => {
    const scan = scanning();
    if (!scan) {
      listed = await listDevices(scanimage, signal);
      listedAt = performance.now();
    }
    if (listed) return listed;
    const what = 'Looking for scanners would disturb the scan that is running.';
    const facts = { busy_with: scan && path.basename(scan.directory) };
    throw new Failure('scanner_busy', what, { remedy: 'Try again when it has finished.', facts });
  };

  return {
    list,
    isSheetFed: (name) => /sheet/iu.test(listed?.find((one) => one.name === name)?.type ?? ''),
    find: async (wanted, signal, maxAgeMs = 0) => {
      if (isDeviceName(wanted)) return wanted;
      const isRecent = listed !== undefined && performance.now() - listedAt < maxAgeMs;
      const devices = isRecent ? (listed ?? []) : await list(signal);
      try {
        return chooseDevice(wanted, devices);
      } catch (error) {
        const isNone = error instanceof Failure && devices.length === 0;
        throw isNone ? await withUsbLook(error, scanimage, signal) : error;
      }
    },
  };
}
