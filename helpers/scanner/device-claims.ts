import { Failure } from '../failure.ts';
import { isDeviceName } from './device-choice.ts';

/**
 * One scan a device: a second one is refused at once and never waits, as the paper in the feeder belongs to somebody.
 * What a scan asked for, such as `auto`, is claimed as well until it is known which device it means.
 */
export interface DeviceClaims {
  /** Claims a name, or throws `Failure('scanner_busy')`; the function it returns gives the name back. */
  readonly claim: (name: string) => () => void;
  /** Throws `Failure('scanner_busy')` while a scan has the device. */
  readonly checkFree: (device: string) => void;
  /** Whether any scan has its device. */
  readonly isScanning: () => boolean;
}

export function createDeviceClaims(): DeviceClaims {
  const claimed = new Set<string>();
  const checkFree = (name: string): void => {
    if (!claimed.has(name)) return;
    const message = `The scanner ${name} is scanning for somebody else: wait until it is done, then scan again.`;
    throw new Failure('scanner_busy', message, { facts: { device: name } });
  };
  return {
    claim: (name) => {
      checkFree(name);
      claimed.add(name);
      return () => void claimed.delete(name);
    },
    checkFree,
    isScanning: () => [...claimed].some(isDeviceName),
  };
}
