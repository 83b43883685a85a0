import type { DeviceRequest } from '../ipc/messages.ts';
import { detectsPaper, isOn } from './fit-request.ts';
import type { SessionEnd } from './scan-session.ts';
import type { SourceInUse } from './sources.ts';
import { sizeText } from '../paper.ts';
import { isUnknownSource } from '../scanner-words.ts';
import { warning } from '../warnings.ts';

export interface Scanned {
  readonly device: string;
  readonly request: DeviceRequest;
  readonly source: SourceInUse;
  readonly pageTimeoutMs: number;
}

/** Warns about pages however the scan ended, in one or two sentences each. */
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
  // Pages then differ from the requested size on purpose. `ald` detects the end of the paper.
  if (detectsPaper(request) || isOn(request.scanner_options['ald'])) return [];
  return [...otherSizes].map(([size, pages]) => {
    const expected = `${page_size.width_mm} x ${page_size.height_mm}`;
    const code = isUnusable ? 'area_unusable' : 'other_size';
    const key = pages.length === 1 ? code : (`${code}/many` as const);
    return warning(key, { pages: pages.join(', '), size, expected });
  });
}

export interface Feeding {
  readonly device: string;
  readonly feeder: boolean;
}

/** sane-airscan requests the next page while scanimage still reads the current one. */
const READS_AHEAD = /(?:^|:)airscan:/u;

/** SANE statuses at the normal end of a stack: good, no more documents. */
const NORMAL_ENDS: readonly unknown[] = [0, 7];

/** SANE statuses that end a scan before a sheet moves: busy, invalid settings. */
const REFUSALS: readonly unknown[] = [3, 4];

/** sane-airscan also reports busy if the scanner took a sheet but failed to send its page. */
const IN_A_PAGE = /^scanimage: sane_read: /mu;

/** SANE's status for no memory, which prefetched pages usually exhaust. */
const NO_MEMORY = 10;

/**
 * The most sheets that may have passed through the feeder without becoming a page: the current
 * sheet and, if scanimage was stopped or ran out of memory, a prefetched sheet. After a fault, a
 * scanner feeds no further sheet.
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

function isRefused({ count, ended: { exitCode, stderr } }: SessionEnd): boolean {
  return REFUSALS.includes(exitCode) && count === 0 && !IN_A_PAGE.test(stderr);
}
