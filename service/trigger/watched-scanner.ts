import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../../helpers/failure.ts';
import type { SensorReading } from '../../helpers/ipc/messages.ts';
import type { Profile } from '../profiles/profile.ts';
import { createReadingTimes, type WatchTimes } from './reading-times.ts';
import type { Sample } from './trigger-state.ts';
import { watchProfile, type WatchedProfile } from './watched-profile.ts';

export interface ScannerStatus {
  readonly reading: SensorReading | undefined;
  readonly failure: Failure | undefined;
  /** When watching began, as `performance.now()`. */
  readonly since: number;
}

export interface WatchedScanner {
  readonly use: (profiles: readonly Profile[]) => void;
  /** Reads the sensors if it is time. Returns the profiles whose trigger fires. */
  readonly look: () => Promise<readonly WatchedProfile[]>;
  readonly status: () => ScannerStatus;
  readonly profiles: () => readonly WatchedProfile[];
}

export interface WatchedScannerOptions {
  readonly read: () => Promise<SensorReading>;
  /** Called when the scanner fails, and when it works again. */
  readonly onChange: (failure: Failure | undefined) => void;
  readonly now: () => number;
  readonly times: WatchTimes;
}

/** Never reads twice at the same time. */
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
    if (error.code === 'scanner_busy') {
      // Another query or another scanner's scan prevented this reading, so it stays due.
      if (error.facts['device'] === undefined) return;
      interrupt({ kind: 'scanned', at });
      return readingTimes.busy(at);
    }
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

/** Keeps the state of profiles that are already watched. */
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
