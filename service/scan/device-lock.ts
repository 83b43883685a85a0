import { Failure } from '../../helpers/failure.ts';

export interface DeviceLock {
  /** Takes the scanner; throws Failure `scanner_busy` at once when a scan holds it. Returns what gives it back. */
  take(device: string, scanId: string): () => void;
}

/**
 * One scan at a time for each scanner that profiles name. Never a queue: the paper in the feeder belongs to somebody.
 * Two profiles that name one scanner in different words are told apart by the scanner runtime, which has its own lock.
 */
export function createDeviceLock(): DeviceLock {
  const holders = new Map<string, string>();
  return {
    take: (device, scanId) => {
      const holder = holders.get(device);
      if (holder !== undefined) {
        throw new Failure(
          'scanner_busy',
          'another scan holds this scanner: wait until it has ended, put your paper in and scan again',
          { facts: { busy_with: holder } },
        );
      }
      holders.set(device, scanId);
      return () => holders.delete(device);
    },
  };
}
