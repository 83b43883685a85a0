import { Failure } from '../../../helpers/failure.ts';
import { stateAtEnd } from '../../archive/fold.ts';
import type { OpenScan } from '../../archive/open-scan.ts';
import type { StageTimings } from '../../archive/scan-event.ts';
import { resultOf, viewOf, type ScanResult } from '../../archive/scan-view.ts';
import type { Scan, StageClock } from '../scan.ts';
import { readdir } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { isMissing } from '../../../helpers/error-code.ts';
import { pageNumber } from '../../archive/file-names.ts';
import { isCandidate } from '../../archive/scan-again.ts';
import { finishedDocuments, type ScanRecord } from '../../archive/scan-record.ts';
import { compareStoredPages } from '../../archive/stored-pages.ts';
import { storageFailure } from '../../storage/storage-failure.ts';
import { timeoutFailure, type Deadline } from '../deadline.ts';

export type CallOutcome = ScanResult | Failure;

/** Runs the stages of an open scan and closes it. Records, logs and returns their failure. */
export async function finish(
  { id, deadline, stop, log }: Pick<Scan, 'id' | 'deadline' | 'stop' | 'log'>,
  open: OpenScan,
  stages: (scan: Scan, clock: StageClock) => Promise<void>,
): Promise<CallOutcome> {
  const timings: { -readonly [S in keyof StageTimings]: StageTimings[S] } = {};
  const clock: StageClock = async (stage, run) => {
    const began = performance.now();
    try {
      await run();
    } finally {
      timings[stage] = Math.round(performance.now() - began);
    }
  };
  const end = async (failure?: Failure): Promise<void> => {
    const record = open.record();
    const view = viewOf(record, false);
    const { page_count, kept_page_count, document_count, failed_deliveries } = view;
    await open.end({
      type: 'ended',
      profile: record.profile,
      started_at: record.started_at,
      state: stateAtEnd(record, failure !== undefined),
      error: failure ? { error: failure.code, message: failure.message } : null,
      page_count,
      kept_page_count,
      document_count,
      failed_deliveries,
      title: view.title,
      first_page: view.first_page,
      duration_ms: Math.round(performance.now() - deadline.startedAt),
      timings_ms: timings,
    });
  };
  try {
    await stages({ ...open, id, deadline, stop, log }, clock);
    await end();
    return resultOf(open.record());
  } catch (error) {
    const failure = toScanFailure(error, deadline, open.record().stage);
    await end(failure).catch((endError: unknown) => {
      log.error(
        { event: 'end_not_recorded', err: endError },
        'The end of the scan could not be recorded.',
      );
    });
    log.error({ event: 'scan_failed', err: failure }, failure.message);
    const stored = await withStoredFilesOnly(open.directory, open.record());
    return withScanFacts(failure, id, stored);
  } finally {
    await open.close();
  }
}

export function toScanFailure(error: unknown, deadline: Deadline, stage: string): Failure {
  if (deadline.signal.aborted) return timeoutFailure(deadline, stage, error);
  if (error instanceof Failure) return error;
  const message = 'Internal error. See the service log.';
  return storageFailure(error) ?? new Failure('internal_error', message, { cause: error });
}

/** How long an answer waits for the list of files on disk. */
const LOOK_MS = 300;

/**
 * Returns the record with the pages and documents that are on disk, including unrecorded pages. If
 * the disk does not answer, returns the record unchanged.
 */
export async function withStoredFilesOnly(
  directory: string,
  record: ScanRecord,
): Promise<ScanRecord> {
  const names = await withTimeout(namesIn(directory));
  if (names === undefined) return record;
  const isThere = ({ filename }: { readonly filename: string }): boolean =>
    names.includes(filename);
  const stored = {
    ...record,
    pages: record.pages.filter(isThere),
    documents: record.documents.filter(isThere),
  };
  const recorded = [...record.pages, ...record.replacementCandidates].map(
    ({ filename }) => filename,
  );
  const isNew = (name: string): boolean =>
    pageNumber(name) !== undefined && !recorded.includes(name);
  if (!names.some(isNew)) return stored;
  const found = await withTimeout(compareStoredPages(directory, record));
  const added = (found?.unrecorded ?? []).filter((page) => !isCandidate(page));
  return { ...stored, pages: [...stored.pages, ...added] };
}

async function withTimeout<T>(look: Promise<T>): Promise<T | undefined> {
  return Promise.race([look.catch(() => undefined), wait(LOOK_MS, undefined, { ref: false })]);
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/**
 * Adds the scan's id, page count and warnings to a failure, and how to continue. Without a record,
 * changes only a timeout.
 */
export function withScanFacts(failure: Failure, id: string, record?: ScanRecord): Failure {
  const isTimeout = failure.code === 'timeout';
  if (!record && !isTimeout) return failure;
  const warnings = warningsOf(record);
  const facts = {
    ...failure.facts,
    scan_id: id,
    page_count: record?.pages.length ?? 0,
    ...(warnings.length > 0 && { warnings }),
    ...(isTimeout && {
      stage: record?.stage ?? 'scan',
      documents: record ? viewOf(record, false).documents : [],
    }),
  };
  const message = [failure.message, ...(record ? advice(failure, id, record) : [])].join(' ');
  return new Failure(failure.code, message, { facts, cause: failure.cause });
}

function advice({ code }: Failure, id: string, record: ScanRecord): string[] {
  // This failure already says how to continue.
  if (code === 'only_blank_pages') return [];
  const kept = pageKept(record);
  if (kept !== undefined) return [adviceAgain(code, id, kept)];
  const count = record.pages.length;
  // This mismatch has already been explained, with how to continue.
  if (count === 0 || record.unmatched) return [];
  const stored = count === 1 ? '1 page is stored' : `${count} pages are stored`;
  const resume = `POST /scans/${id}/resume`;
  if (finishedDocuments(record).length > 0)
    return [`${stored}: ${resume} delivers what has surely not arrived yet.`];
  return [
    `${stored}: ${resume} files what is there; POST /scan with {"continue_scan": "${id}"} feeds the rest into the same scan.`,
  ];
}

/** After a disk error, nobody knows whether the page was replaced. */
function adviceAgain(code: Failure['code'], id: string, page: number): string {
  return code === 'insufficient_storage'
    ? `The scan is still held: GET /scans/${id} shows whether page ${page} was replaced.`
    : `Page ${page} is as it was, and the scan is still held.`;
}

/** The page that the last call should have replaced but did not. */
function pageKept({ rescan, pages }: ScanRecord): number | undefined {
  const isReplaced = pages.some(({ number, replaced }) => number === rescan?.page && replaced);
  return isReplaced ? undefined : rescan?.page;
}

/** Includes warnings about a sheet that replaced no page. The record drops these. */
function warningsOf(record: ScanRecord | undefined): readonly string[] {
  if (record === undefined) return [];
  const { warnings, rescan } = record;
  return rescan && pageKept(record) !== undefined ? [...warnings, ...rescan.warnings] : warnings;
}
