import { warning } from '../../../helpers/warnings.ts';
import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../../../helpers/failure.ts';
import { fold } from '../../archive/fold.ts';
import { isCandidate } from '../../archive/scan-again.ts';
import type { NewScanEvent, Resumed, Stage } from '../../archive/scan-event.ts';
import { resumeProblem } from '../../archive/scan-event-schema.ts';
import { finishedDocuments, isAssembled, type ScanRecord } from '../../archive/scan-record.ts';
import type { StoredPages } from '../../archive/stored-pages.ts';
import type { DocumentMetadata } from '../../paperless/destination.ts';
import type { Profile } from '../../profiles/profile.ts';
import type { Redelivery } from '../../archive/upload-decision.ts';
import { withSettings } from '../../profiles/scan-settings.ts';
import { checkSerialNumber } from './check-serial-number.ts';

export interface ResumeChanges {
  /** Replaces the scan's profile for processing and delivery. */
  readonly profile?: Profile | undefined;
  readonly metadata?: DocumentMetadata | undefined;
  /** Files blank pages too, whatever the profile says. */
  readonly keep_blank_pages?: boolean;
}

type Changes = Pick<Resumed, 'settings' | 'request'>;

/**
 * Keeps the scan's directory and the settings chosen for it. Throws Failure `scan_not_resumable` if
 * blank pages are requested after the documents were made without them.
 */
export function changesOf(
  record: ScanRecord,
  { profile, metadata = {}, keep_blank_pages = false }: ResumeChanges,
): Changes {
  if (keep_blank_pages) checkBlankPages(record);
  const { paths } = record.settings;
  const asked = profile
    ? { ...withSettings(profile, record.asked_settings), paths }
    : record.settings;
  const settings = keep_blank_pages ? withBlankPages(asked) : asked;
  const request = { ...record.request, ...metadata };
  // Unchanged values are not recorded, because a scan may be resumed every few minutes for weeks.
  return {
    ...(!isDeepStrictEqual(settings, record.settings) && { settings }),
    ...(!isDeepStrictEqual(request, record.request) && { request }),
  };
}

function checkBlankPages(record: ScanRecord): void {
  const blank = record.dropped_pages.find(({ reason }) => reason === 'blank');
  if (blank === undefined || !isAssembled(record)) return;
  const { filename = '' } = record.pages.find(({ number }) => number === blank.page) ?? {};
  throw new Failure(
    'scan_not_resumable',
    'The documents of this scan are made already, without its blank pages. These are still stored: see ' +
      `"dropped_pages", and GET /scans/${record.scan_id}/files/${filename} for the first of them.`,
  );
}

function withBlankPages(settings: Profile): Profile {
  const { page_grouping: grouping } = settings.assembly;
  const page_grouping = grouping === 'blank_page' ? 'combined' : grouping;
  const assembly = { ...settings.assembly, page_grouping, remove_blank_pages: 'none' } as const;
  return { ...settings, assembly };
}

/** Throws Failure `scan_not_resumable` or `invalid_body`. */
export function withChanges(record: ScanRecord, changes: Changes, stage: Stage): ScanRecord {
  const changed = fold(record, { ...resumedEvent(stage, changes), at: record.started_at });
  const problem = resumeProblem(changed);
  if (problem !== undefined) {
    throw new Failure(
      'scan_not_resumable',
      `This version cannot use the settings that the scan began with (${problem}). POST {"profile": "…"} to ` +
        `/scans/${record.scan_id}/resume, with a profile to use instead.`,
    );
  }
  checkSerialNumber(changed.settings, changed.request);
  return changed;
}

export function resumedEvent(
  stage: Stage,
  changes: Changes,
  { lost, warnings }: Pick<StoredPages, 'lost' | 'warnings'> = { lost: [], warnings: [] },
): Omit<Resumed, 'at'> {
  return { type: 'resumed', stage, lost_pages: lost, warnings, ...changes };
}

/**
 * Records replacement candidates before `resumed`. Otherwise, if only the events up to `resumed`
 * were written, the next call would take them for pages of the scan.
 */
export function withUnrecorded(
  resumed: Omit<Resumed, 'at'>,
  { unrecorded }: Pick<StoredPages, 'unrecorded'>,
): NewScanEvent[] {
  return [...unrecorded.filter(isCandidate), resumed, ...unrecordedPages({ unrecorded })];
}

/** Returns the unrecorded pages, except those scanned to replace another page. */
export function unrecordedPages({
  unrecorded,
}: Pick<StoredPages, 'unrecorded'>): StoredPages['unrecorded'] {
  return unrecorded.filter((page) => !isCandidate(page));
}

/** Warns about pages that replaced nothing because their call was cut off. */
export function notReplacedWarnings(
  { rescan, replacementCandidates }: ScanRecord,
  { unrecorded }: Pick<StoredPages, 'unrecorded'>,
): string[] {
  if (rescan === undefined) return [];
  const isOfCall = ({ number }: { readonly number: number }): boolean => number > rescan.after;
  const recorded = rescan.end === 'cut_off' ? replacementCandidates.filter(isOfCall) : [];
  return [...recorded, ...unrecorded.filter(isCandidate)].map(({ filename }) =>
    warning('not_replaced', { file: filename, page: rescan.page }),
  );
}

/** Throws Failure `scan_not_resumable` if the documents are already made. */
export function checkContinuable(record: ScanRecord): void {
  if (!isAssembled(record)) return;
  throw new Failure(
    'scan_not_resumable',
    'The documents of this scan are made already. Scan the rest without "continue_scan".',
  );
}

/** Throws Failure `invalid_body` for a document that the scan does not have. */
export function checkResendable(record: ScanRecord, { resend_submitted }: Redelivery): void {
  const made = finishedDocuments(record).map(({ filename }) => filename);
  const missing = resend_submitted.filter((filename) => !made.includes(filename));
  if (missing.length === 0) return;
  const expected = made.length > 0 ? `one of ${made.join(', ')}` : 'nothing: none is made yet';
  const what = `"resend_submitted" names ${missing.join(', ')}, which this scan does not have.`;
  throw new Failure('invalid_body', what, {
    remedy: `It has ${made.join(', ') || 'no document yet'}.`,
    facts: { fields: [{ field: 'resend_submitted', expected }] },
  });
}

export function checkPagesLeft(record: ScanRecord, { lost, unrecorded }: StoredPages): void {
  const wanted = record.pages.filter(
    ({ number, left_out, replaced }) => !left_out && !replaced && !lost.includes(number),
  );
  if (wanted.length + unrecordedPages({ unrecorded }).length > 0) return;
  if (record.pages.length > lost.length) {
    throw new Failure('scan_not_resumable', 'Every page of this scan is left out.', {
      remedy:
        `Take a page back: PATCH {"left_out": false} to /scans/${record.scan_id}/pages/${record.pages[0]?.number}, for example. Or discard the scan: POST {} to ` +
        `/scans/${record.scan_id}/discard.`,
    });
  }
  throw new Failure(
    'scan_not_resumable',
    'No page of this scan is on disk. Put the paper into the feeder and start a new scan.',
  );
}

/** Warns that the scan stopped early, so sheets may be missing. */
export function shortStackWarnings({ stage, state, error }: ScanRecord): string[] {
  if (stage !== 'scan') return [];
  const cause = state === 'failed' ? (error?.error ?? 'a failure') : 'the end of the service';
  return [warning('short_stack', { cause })];
}
