/** Which scanners did not answer at the last look. One that is slow once may have been asleep. */
export interface SilenceRecord {
  /** Records that a scanner did not answer; `began` is when it was asked. True if it did not answer the look before either. */
  readonly noteSilence: (device: string, began: number) => boolean;
  readonly noteAnswer: (device: string) => void;
  /** Forgets all other scanners. */
  readonly keepOnly: (devices: ReadonlySet<string>) => void;
}

/** Times are those of `performance.now()`. */
export function createSilenceRecord(): SilenceRecord {
  const silentUntil = new Map<string, number>();
  return {
    noteSilence: (device, began) => {
      const before = silentUntil.get(device);
      silentUntil.set(device, performance.now());
      // Looks that overlap are one look: profiles that are loaded during a self-test begin another one.
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
