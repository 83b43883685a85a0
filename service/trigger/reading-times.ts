export interface WatchTimes {
  /** Interval between readings. People press a button for about this long. */
  readonly everyMs: number;
  /**
   * Interval for paper triggers after `restAfterMs` without a change, so that the scanner can
   * sleep.
   */
  readonly restingMs: number;
  readonly restAfterMs: number;
  /** The longest pause after failures. Each failure doubles the pause. */
  readonly longestMs: number;
}

export const WATCH_TIMES: WatchTimes = {
  everyMs: 1000,
  restingMs: 5000,
  restAfterMs: 10 * 60_000,
  longestMs: 60_000,
};

/** Minimum pause between readings, as a multiple of their duration, to spare slow scanners. */
const PAUSE_FACTOR = 4;

/** Timers may fire this early. */
const EARLY_MS = 50;

/** Says when to read the sensors. All times are in milliseconds of one clock. */
export interface ReadingTimes {
  readonly isDue: (at: number) => boolean;
  readonly answered: (began: number, ended: number, how: Reading) => void;
  readonly busy: (at: number) => void;
  readonly failed: (began: number, ended: number) => void;
}

export interface Reading {
  readonly hasChanged: boolean;
  /** True if sensors may be read less often while nothing changes. */
  readonly mayRest: boolean;
}

export function createReadingTimes(since: number, times: WatchTimes): ReadingTimes {
  let due = since;
  let changedAt = since;
  let failures = 0;
  const next = (began: number, ended: number, waitMs: number): number =>
    Math.max(began + waitMs, ended + (ended - began) * PAUSE_FACTOR);
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
