import { Failure } from '../../../helpers/failure.ts';
import type { RecordedCall } from '../../archive/recorded-calls.ts';
import type { ScanArchive, StoredScan } from '../../archive/scan-archive.ts';
import type { CallIdentity } from '../../archive/scan-event.ts';
import type { ScanRecord } from '../../archive/scan-record.ts';
import { resultOf, type ScanResult } from '../../archive/scan-view.ts';
import { compareStoredPages } from '../../archive/stored-pages.ts';
import { type CallOutcome, withStoredFilesOnly, withScanFacts } from './finish.ts';
import { scanInProgress } from './running-scans.ts';

export interface KeyedCall {
  readonly id: string;
  readonly root: string;
  /** Not set if the caller sent no key. The call then always runs. */
  readonly identity: CallIdentity | undefined;
}

export interface RepeatedCalls {
  /** Runs a call, or returns the outcome of an earlier call with the same key and request. */
  once(call: KeyedCall, run: () => Promise<CallOutcome>): Promise<CallOutcome>;
}

export function createRepeatedCalls(
  archive: Pick<ScanArchive, 'find' | 'recall'>,
  isRunning: (id: string) => boolean,
): RepeatedCalls {
  // Keys of running calls. Their events may not contain the key yet.
  const underWay = new Map<string, string>();

  return {
    once: async ({ id, root, identity }, run) => {
      if (identity === undefined) return run();
      const { key } = identity;
      const busy = underWay.get(key);
      if (busy !== undefined) throw scanInProgress(busy);
      underWay.set(key, id);
      try {
        const first = await archive.recall(identity, { root, scanId: id });
        if (first && first.scanId !== id && isRunning(first.scanId))
          throw scanInProgress(first.scanId);
        return (first && (await firstResult(archive, first))) ?? (await run());
      } finally {
        underWay.delete(key);
      }
    },
  };
}

/**
 * Returns or throws the outcome of the first call with this key. Returns undefined if that call
 * ended without feeding paper, or its directory was removed. Throws Failure `scan_interrupted` if
 * the service stopped during that call.
 */
async function firstResult(
  archive: Pick<ScanArchive, 'find'>,
  call: RecordedCall,
): Promise<ScanResult | undefined> {
  const id = call.scanId;
  const stored = await archive.find(id).catch((error: unknown) => {
    if (error instanceof Failure && error.code === 'scan_not_found') return undefined;
    throw error;
  });
  if (stored === undefined) return undefined;
  const { directory, record, isOpen } = stored;
  if (isOpen) throw scanInProgress(id);
  const { state, error, pages } = record;
  if (isCutOff(call, record)) throw interrupted(id, record, pages);
  if (record.ended_at !== null && !(await hasFed(call, stored))) return undefined;
  if (state === 'finished' || (state === 'held' && !error)) return resultOf(record);
  if (error) {
    const failure = new Failure(error.error, error.message);
    throw withScanFacts(failure, id, await withStoredFilesOnly(directory, record));
  }
  const { unrecorded, lost } = await compareStoredPages(directory, record);
  const kept = [...pages.filter(({ number }) => !lost.includes(number)), ...unrecorded];
  throw interrupted(id, record, kept);
}

/** True if the service stopped while this call was scanning a page again. */
function isCutOff({ last_page }: RecordedCall, { rescan }: ScanRecord): boolean {
  return rescan?.end === 'cut_off' && last_page >= rescan.after;
}

function interrupted(id: string, record: ScanRecord, kept: ScanRecord['pages']): Failure {
  const message =
    'The service was stopped in the middle of this scan' +
    (kept.length === 0 ? ', and no page of it is stored. Scan again with another key.' : '.');
  const failure = new Failure('scan_interrupted', message);
  return withScanFacts(failure, id, { ...record, pages: kept });
}

/** True if the call stored a page, recorded or not. Rejects if the disk fails. */
async function hasFed(call: RecordedCall, { directory, record }: StoredScan): Promise<boolean> {
  const isOfCall = ({ number }: { readonly number: number }): boolean => number > call.last_page;
  if ([...record.pages, ...record.replacementCandidates].some(isOfCall)) return true;
  return (await compareStoredPages(directory, record)).unrecorded.some(isOfCall);
}
