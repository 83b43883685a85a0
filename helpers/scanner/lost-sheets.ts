import type { SessionEnd } from './scan-session.ts';

/** What decides whether sheets can be lost. */
export interface Feeding {
  /** SANE's name of the device. */
  readonly device: string;
  /** Whether the source in use takes sheet after sheet. */
  readonly feeder: boolean;
}

/** sane-airscan asks for the next page by itself while scanimage still reads the one before. */
const READS_AHEAD = /(?:^|:)airscan:/u;

/** SANE statuses with which no sheet has moved: busy, invalid settings. 0 and 7 are the normal end of a stack. */
const NOTHING_MOVED: readonly unknown[] = [0, 3, 4, 7];

/** SANE's status for no memory: what the driver has read ahead is what takes it. */
const NO_MEMORY = 10;

/**
 * Most sheets that may have passed through the feeder without becoming a page when a scan ended as `end` says: the one that
 * was under way, and, where scanimage was ended from outside or had no memory left, the one that the driver asked for
 * ahead. A scanner that reports a fault feeds no more sheets.
 */
export function lostSheets(end: SessionEnd, { device, feeder }: Feeding): number {
  const { halt, ended, pageUnderWay, fedAny } = end;
  if (!feeder || !fedAny) return 0;
  const fromOutside = halt !== undefined || ended.exitCode === undefined;
  if (!fromOutside && NOTHING_MOVED.includes(ended.exitCode)) return 0;
  const endsAhead = fromOutside || ended.exitCode === NO_MEMORY;
  const ahead = endsAhead && READS_AHEAD.test(device);
  return (pageUnderWay ? 1 : 0) + (ahead ? 1 : 0);
}
