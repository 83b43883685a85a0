/** Scanners that did not answer the last self-test, perhaps because they were asleep. */
export interface UnansweredScanners {
  /** Returns true if the scanner did not answer the test before, either. */
  readonly noteUnanswered: (device: string, began: number) => boolean;
  readonly noteAnswer: (device: string) => void;
  readonly keepOnly: (devices: ReadonlySet<string>) => void;
}

export function createUnansweredScanners(): UnansweredScanners {
  const silentUntil = new Map<string, number>();
  return {
    noteUnanswered: (device, began) => {
      const before = silentUntil.get(device);
      silentUntil.set(device, performance.now());
      // Two tests at the same time count as one. A reload of profiles may start the second.
      return before !== undefined && before <= began;
    },
    noteAnswer: (device) => void silentUntil.delete(device),
    keepOnly: (devices) => {
      for (const device of silentUntil.keys()) {
        if (!devices.has(device)) silentUntil.delete(device);
      }
    },
  };
}
