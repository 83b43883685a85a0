import path from 'node:path';
import { Failure } from '../failure.ts';
import type { RunningScan, ScanRequest } from '../ipc/messages.ts';
import { isDeviceName } from '../device-names.ts';

/**
 * One scan per device. A second one is rejected at once instead of waiting, because the paper in
 * the feeder is meant for the first. Until the device is known, the requested name, such as `auto`,
 * is locked.
 */
export interface DeviceLocks {
  readonly list: () => readonly RunningScan[];
  /** Throws `Failure('scanner_busy')` with the directory of the other scan in `busy_with`. */
  readonly begin: (request: Pick<ScanRequest, 'directory' | 'device'>) => BegunScan;
  readonly checkFree: (device: string) => void;
  readonly withDevice: () => RunningScan | undefined;
  readonly count: (device: string) => number;
}

export interface BegunScan {
  /** Locks the device once it is known. Throws `Failure('scanner_busy')` if another scan has it. */
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
