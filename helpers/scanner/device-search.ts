import path from 'node:path';
import { isDeviceName } from '../device-names.ts';
import { Failure } from '../failure.ts';
import type { Device, RunningScan } from '../ipc/messages.ts';
import { chooseDevice } from './device-choice.ts';
import { listDevices } from './scan-preparation.ts';
import type { Scanimage } from './scanimage.ts';
import { explainWithUsb } from './explain-with-usb.ts';

/** In milliseconds. Listing takes seconds, since it searches the network. */
const RECENT_MS = 5000;

export interface Search {
  readonly list: (signal: AbortSignal) => Promise<readonly Device[]>;
  /** Returns a device name as it is. For other names, lists devices unless the list is recent. */
  readonly find: (wanted: string, signal: AbortSignal) => Promise<string>;
  readonly needsList: (wanted: string) => boolean;
  /** Finds the device in the cached list; undefined if it is not there, or not unique. */
  readonly known: (wanted: string) => string | undefined;
  /** Uses the cached list, which may lack devices that are opened by name. */
  readonly isSheetFed: (name: string) => boolean;
}

/** Keeps the list of devices, since they cannot be listed during a scan. */
export function createSearch(
  scanimage: Scanimage,
  scanning: () => RunningScan | undefined,
): Search {
  let listed: readonly Device[] | undefined;
  let listedAt = -Infinity;

  const list = async (signal: AbortSignal): Promise<readonly Device[]> => {
    const scan = scanning();
    if (!scan) {
      listed = await listDevices(scanimage, signal);
      listedAt = performance.now();
      return listed;
    }
    if (listed) return listed;
    throw disturbing(scan);
  };

  const isRecent = (): boolean => performance.now() - listedAt < RECENT_MS;

  return {
    list,
    needsList: (wanted) => !isDeviceName(wanted) && !isRecent(),
    isSheetFed: (name) => /sheet/iu.test(listed?.find((one) => one.name === name)?.type ?? ''),
    known: (wanted) => {
      if (isDeviceName(wanted)) return wanted;
      try {
        return chooseDevice(wanted, listed ?? []);
      } catch {
        return undefined;
      }
    },
    find: async (wanted, signal) => {
      if (isDeviceName(wanted)) return wanted;
      const devices = isRecent() ? (listed ?? []) : await list(signal);
      try {
        return chooseDevice(wanted, devices);
      } catch (error) {
        if (!(error instanceof Failure) || error.code !== 'no_scanner_detected') throw error;
        throw await explainWithUsb(error, scanimage, {
          isNoneListed: devices.length === 0,
          signal,
        });
      }
    },
  };
}

export function disturbing({ directory }: Pick<RunningScan, 'directory'>): Failure {
  const what = 'Looking for scanners would disturb the scan that is running.';
  const facts = { busy_with: path.basename(directory) };
  return new Failure('scanner_busy', what, { remedy: 'Try again when it has finished.', facts });
}
