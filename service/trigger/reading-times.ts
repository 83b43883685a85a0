/** How often sensors are read, in milliseconds. */
export interface WatchTimes {
  /** A button is pressed for about as long. */
  readonly everyMs: number;
  /** Where only paper is waited for and nothing has changed for a while: paper stays, and the scanner can go to sleep. */
  readonly restingMs: number;
  readonly restAfterMs: number;
  /** The longest wait after failures, which doubles with each. */
  readonly longestMs: number;
}

export const WATCH_TIMES: WatchTimes = {
  everyMs: 1000,
  restingMs: 5000,
  restAfterMs: 10 * 60_000,
  longestMs: 60_000,
};

/** A scanner that takes long to open is left alone for so many times as long. */
const SHARE = 4;

/** A timer that is early by less is on time. */
const EARLY_MS = 50;

/** When the sensors of a scanner are read next. All times are of one clock, in milliseconds. */
export interface ReadingTimes {
  readonly isDue: (at: number) => boolean;
  /** A reading that began and ended at these times. */
  readonly answered: (began: number, ended: number, how: Reading) => void;
  /** Somebody else has the scanner. */
  readonly busy: (at: number) => void;
  readonly failed: (began: number, ended: number) => void;
}

export interface Reading {
  readonly hasChanged: boolean;
  /** Nobody is in a hurry while nothing changes. */
  readonly mayRest: boolean;
}

export function createReadingTimes(since: number, times: WatchTimes): ReadingTimes {
  let due = since;
  let changedAt = since;
  let failures = 0;
  const next = (began: number, ended: number, waitMs: number): number =>
    Math.max(began + waitMs, ended + (ended - began) * SHARE);
  return {
    isDue: (at) => at + EARLY_MS >= due,
    answered: (began, ended, { hasChanged, mayRest }) => {
      failures = 0;
      if (hasChanged) changedAt = ended;
      const isResting = mayRest && ended - changedAt >= times.restAfterMs;
      due = next(began, ended, isResting ? times.restingMs : times.everyMs);
    },
    busy: (at) => {
      changedAt = at;
      due = at + times.everyMs;
    },
    failed: (began, ended) => {
      due = next(began, ended, Math.min(times.everyMs * 2 ** failures, times.longestMs));
      failures += 1;
    },
  };
}
