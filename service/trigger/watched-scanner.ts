import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../../helpers/failure.ts';
import type { SensorReading } from '../../helpers/ipc/messages.ts';
import type { Profile } from '../profiles/profile.ts';
import { createReadingTimes, type WatchTimes } from './reading-times.ts';
import type { Sample } from './trigger-state.ts';
import { watchProfile, type WatchedProfile } from './watched-profile.ts';

/** What is known of a scanner whose sensors are read. */
export interface ScannerStatus {
  /** The last reading that did not fail. */
  readonly reading: SensorReading | undefined;
  /** Why the last one failed. */
  readonly failure: Failure | undefined;
  /** When watching began, as `performance.now()`. */
  readonly since: number;
}

/** One scanner, as profiles name it, and the profiles that it starts scans with. */
export interface WatchedScanner {
  /** The profiles as they are now. */
  readonly use: (profiles: readonly Profile[]) => void;
  /** Reads the sensors if it is time to, and returns the profiles whose trigger fires. Rejects with what is a bug. */
  readonly look: () => Promise<readonly WatchedProfile[]>;
  readonly status: () => ScannerStatus;
  readonly profiles: () => readonly WatchedProfile[];
}

export interface WatchedScannerOptions {
  readonly read: () => Promise<SensorReading>;
  /** Called where the scanner begins to fail, and where it answers again. */
  readonly onChange: (failure: Failure | undefined) => void;
  readonly now: () => number;
  readonly times: WatchTimes;
}

/** Watches from now on. Never reads twice at once. */
export function watchScanner(options: WatchedScannerOptions): WatchedScanner {
  const { read, onChange, now, times } = options;
  const since = now();
  const readingTimes = createReadingTimes(since, times);
  let watched: readonly WatchedProfile[] = [];
  let isReading = false;
  let reading: SensorReading | undefined;
  let failure: Failure | undefined;

  function interrupt(sample: Exclude<Sample, { kind: 'read' }>): void {
    for (const one of watched) one.interrupt(sample);
  }

  function take(next: SensorReading, began: number): readonly WatchedProfile[] {
    const at = now();
    if (reading && reading.device !== next.device) interrupt({ kind: 'failed' });
    else if (reading && reading.scans !== next.scans) interrupt({ kind: 'scanned', at });
    const hasChanged = !isDeepStrictEqual(reading, next);
    const mayRest = watched.every(({ trigger }) => 'paper' in trigger);
    readingTimes.answered(began, at, { hasChanged, mayRest });
    if (failure) onChange(undefined);
    [reading, failure] = [next, undefined];
    return watched.filter((one) => one.take(next, at));
  }

  function fail(error: Failure, began: number): void {
    const at = now();
    const isScanned = error.facts['busy_with'] !== undefined;
    if (isScanned) interrupt({ kind: 'scanned', at });
    // That says nothing about this scanner, and may be the reading of another one, which comes at the same times: its turn stays due.
    if (error.facts['looking'] === true) return;
    if (isScanned) return readingTimes.busy(at);
    interrupt({ kind: 'failed' });
    readingTimes.failed(began, at);
    if (!failure) onChange(error);
    failure = error;
  }

  return {
    use: (profiles) => void (watched = watchedAs(profiles, watched)),
    look: async () => {
      const began = now();
      if (isReading || !readingTimes.isDue(began)) return [];
      isReading = true;
      try {
        return take(await read(), began);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        fail(error, began);
        return [];
      } finally {
        isReading = false;
      }
    },
    status: () => ({ reading, failure, since }),
    profiles: () => watched,
  };
}

/** The profiles that have a trigger; those that were watched already go on where they were. */
function watchedAs(
  profiles: readonly Profile[],
  before: readonly WatchedProfile[],
): WatchedProfile[] {
  return profiles.flatMap((profile) => {
    const { name, trigger } = profile;
    if (!trigger) return [];
    const known = before.find((one) => one.profile.name === name);
    return [known ? known.with(profile, trigger) : watchProfile(profile, trigger)];
  });
}
