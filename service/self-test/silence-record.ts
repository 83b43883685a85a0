/** Scanners that did not answer the last self-test. They may have been asleep. */
export interface SilenceRecord {
  /** True if the scanner did not answer the previous test either. */
  readonly noteSilence: (device: string, began: number) => boolean;
  readonly noteAnswer: (device: string) => void;
  readonly keepOnly: (devices: ReadonlySet<string>) => void;
}

export function createSilenceRecord(): SilenceRecord {
  const silentUntil = new Map<string, number>();
  return {
    noteSilence: (device, began) => {
      const before = silentUntil.get(device);
      silentUntil.set(device, performance.now());
      // Overlapping tests count as one, because reloading profiles starts another.
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
