import type { DeviceRequest } from '../ipc/messages.ts';
import { detectsPaper, isOn } from './fit-request.ts';
import type { SessionEnd } from './scan-session.ts';
import type { SourceInUse } from './sources.ts';
import { sizeText } from '../paper.ts';
import { isUnknownSource } from '../scanner-words.ts';
import { warning } from '../warnings.ts';

/** What a scan was asked for, and of what device. */
export interface Scanned {
  readonly device: string;
  readonly request: DeviceRequest;
  readonly source: SourceInUse;
  readonly pageTimeoutMs: number;
}

/** What a person must know of the pages of a scan, however it ended; a sentence or two each. */
export function scanWarnings(end: SessionEnd, scanned: Scanned): string[] {
  const { count, halt, leftHalf, ended } = end;
  const { request, source } = scanned;
  const warnings: string[] = [];
  if (halt?.kind === 'max_pages') {
    warnings.push(warning('max_pages', { max_pages: request.max_pages }));
  }
  const ranOut = ended.exitCode === 0 || ended.exitCode === 7;
  if (leftHalf && !halt && ranOut) {
    warnings.push(warning('last_page_unfinished', {}));
  }
  if (source.duplex && count % 2 === 1) {
    warnings.push(warning('odd_sides', { pages: count }));
  }
  if (source.name !== undefined && isUnknownSource(source.name)) {
    warnings.push(warning('one_page_only', { source: source.name }));
  }
  return [...warnings, ...cutWarnings(end, scanned), ...sizeWarnings(end, scanned)];
}

function cutWarnings({ count }: SessionEnd, { request: { paper, page_size } }: Scanned): string[] {
  if (!paper || count === 0) return [];
  return [warning('paper_cut', { size: sizeText(page_size), paper: sizeText(paper) })];
}

function sizeWarnings({ otherSizes }: SessionEnd, { request }: Scanned): string[] {
  const { page_size, area_unusable: isUnusable = false } = request;
  // Pages of other sizes than asked for are then made on purpose; `ald` finds the end of the paper.
  if (detectsPaper(request) || isOn(request.scanner_options['ald'])) return [];
  return [...otherSizes].map(([size, pages]) => {
    const expected = `${page_size.width_mm} x ${page_size.height_mm}`;
    const code = isUnusable ? 'area_unusable' : 'other_size';
    const key = pages.length === 1 ? code : (`${code}/many` as const);
    return warning(key, { pages: pages.join(', '), size, expected });
  });
}

/** What decides whether sheets can be lost. */
export interface Feeding {
  /** SANE's name of the device. */
  readonly device: string;
  /** Whether the source in use takes sheet after sheet. */
  readonly feeder: boolean;
}

/** sane-airscan asks for the next page by itself while scanimage still reads the one before. */
const READS_AHEAD = /(?:^|:)airscan:/u;

/** SANE statuses at the normal end of a stack. */
const NORMAL_ENDS: readonly unknown[] = [0, 7];

/** SANE statuses with which a scan is refused before a sheet has moved: busy, invalid settings. */
const REFUSALS: readonly unknown[] = [3, 4];

/** sane-airscan calls a scanner busy, too, that has taken a sheet and then fails to send its page. */
const IN_A_PAGE = /^scanimage: sane_read: /mu;

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
  if (!fromOutside && (NORMAL_ENDS.includes(ended.exitCode) || isRefused(end))) return 0;
  const endsAhead = fromOutside || ended.exitCode === NO_MEMORY;
  const ahead = endsAhead && READS_AHEAD.test(device);
  return (pageUnderWay ? 1 : 0) + (ahead ? 1 : 0);
}

/** Whether a scan ended before a sheet could move. */
function isRefused({ count, ended: { exitCode, stderr } }: SessionEnd): boolean {
  return REFUSALS.includes(exitCode) && count === 0 && !IN_A_PAGE.test(stderr);
}
