import { Failure } from '../failure.ts';
import { warning } from '../warnings.ts';

export interface ScanFacts {
  readonly page_count: number;
  /** For people; one or two sentences each. */
  readonly warnings: readonly string[];
}

/** Leaves other errors, and failures with scan facts, unchanged. */
export function withScanFacts(error: unknown, facts: ScanFacts): unknown {
  if (!(error instanceof Failure) || 'page_count' in error.facts) return error;
  return error.withFacts({ ...facts });
}

/**
 * Warns that up to `most` sheets may have passed through the feeder after page `last` without being
 * stored. If the driver prefetches (`most` > 1), the bound holds only if this computer keeps up
 * with the scanner: sane-airscan 0.99.27 buffers everything it receives (80 colour pages at 5 per
 * second).
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
