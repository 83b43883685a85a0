import { Failure } from '../failure.ts';
import { warning } from '../warnings.ts';

/** What every failed scan says beside its code and message. */
export interface ScanFacts {
  readonly page_count: number;
  /** What a person must know; a sentence or two each. */
  readonly warnings: readonly string[];
}

/** The failure with these facts, unless it has its own; anything but a `Failure` is returned unchanged. */
export function withScanFacts(error: unknown, facts: ScanFacts): unknown {
  if (!(error instanceof Failure) || 'page_count' in error.facts) return error;
  return error.withFacts({ ...facts });
}

/**
 * The warning for sheets that went through the feeder after page `last`, undefined where there is none, and of which no page may
 * exist, for a person at the feeder; none for 0. `most` is an upper bound where the scanner is no faster than this computer: more than one means that the driver reads
 * ahead, and sane-airscan 0.99.27 then keeps all that the scanner has sent (80 colour pages of 5 a second).
 */
export function lostSheetsWarning(most: number, last: number | undefined): string[] {
  if (most === 0) return [];
  const isOne = most === 1;
  if (last === undefined) {
    const key = isOne ? 'sheets_may_be_missing' : 'sheets_may_be_missing/many';
    return [warning(key, { sheets: most })];
  }
  const key = isOne ? 'sheets_may_be_missing/after' : 'sheets_may_be_missing/many_after';
  return [warning(key, { sheets: most, page: last })];
}
