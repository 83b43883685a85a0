import path from 'node:path';
import { Failure } from '../failure.ts';
import type { RunningScan, ScanRequest } from '../ipc/messages.ts';
import { isDeviceName } from '../device-names.ts';

/**
 * The scans that are under way, and the lock on their devices: one scan per device. A second one is refused at once and never
 * waits, as the paper in the feeder belongs to someone. What a scan asked for, such as `auto`, is locked as well until it
 * is known which device it means.
 */
export interface DeviceLocks {
  readonly list: () => readonly RunningScan[];
  /**
   * Adds a scan, or throws `Failure('scanner_busy')`; the fact `busy_with` is the scan that has the device, by the name of
   * its directory.
   */
  readonly begin: (request: Pick<ScanRequest, 'directory' | 'device'>) => BegunScan;
  /** Throws `Failure('scanner_busy')` while a scan has the device. */
  readonly checkFree: (device: string) => void;
  /** A scan that has its device, if there is one. */
  readonly withDevice: () => RunningScan | undefined;
  /** How many scans the device was locked for so far. */
  readonly count: (device: string) => number;
}

export interface BegunScan {
  /** Locks the device that the scan turned out to mean, or throws `Failure('scanner_busy')`. */
  readonly foundDevice: (name: string) => void;
  readonly end: () => void;
}

export function createDeviceLocks(): DeviceLocks {
  const running = new Map<object, RunningScan>();
  const counts = new Map<string, number>();
  const checkFree = (name: string, self?: object): void => {
    for (const [scan, { asked, device, directory }] of running) {
      if (scan === self || (asked !== name && device !== name)) continue;
      const remedy = 'Wait until that scan has finished, then scan again.';
      const facts = { device: device ?? name, busy_with: path.basename(directory) };
      const what = `The scanner ${name} is in use by another scan.`;
      throw new Failure('scanner_busy', what, { remedy, facts });
    }
  };
  return {
    list: () => [...running.values()],
    begin: ({ directory, device: asked }) => {
      checkFree(asked);
      const scan = {};
      running.set(scan, { directory, asked, device: isDeviceName(asked) ? asked : null });
      return {
        foundDevice: (device) => {
          checkFree(device, scan);
          counts.set(device, (counts.get(device) ?? 0) + 1);
          running.set(scan, { directory, asked, device });
        },
        end: () => void running.delete(scan),
      };
    },
    checkFree: (device) => checkFree(device),
    withDevice: () => [...running.values()].find(({ device }) => device !== null),
    count: (device) => counts.get(device) ?? 0,
  };
}
