import { Failure } from '../../../helpers/failure.ts';
import type { RecordedCall } from '../../archive/recorded-calls.ts';
import type { ScanArchive, StoredScan } from '../../archive/scan-archive.ts';
import type { CallIdentity } from '../../archive/scan-event.ts';
import { resultOf, type ScanResult } from '../../archive/scan-view.ts';
import { compareStoredPages } from '../../archive/stored-pages.ts';
import { type CallOutcome, asOnDisk, withScanFacts } from './finish.ts';
import { scanInProgress } from './running-scans.ts';

/** A call that feeds paper, and what makes it the same call as another one. */
export interface KeyedCall {
  /** Id that the scan has, or gets. */
  readonly id: string;
  /** Output directory. */
  readonly root: string;
  /** Missing where the caller sent no key: the call is then one of its own. */
  readonly identity: CallIdentity | undefined;
}

export interface RepeatedCalls {
  /** Runs a call, or answers with what an earlier one with the same identity came to. */
  once(call: KeyedCall, run: () => Promise<CallOutcome>): Promise<CallOutcome>;
}

/** `isRunning` tells of scans that are under way in this process. */
export function createRepeatedCalls(
  archive: Pick<ScanArchive, 'find' | 'recall'>,
  isRunning: (id: string) => boolean,
): RepeatedCalls {
  // A call whose first event is not written yet is known by nothing else.
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
 * What a call that is made again is answered, from the record of the scan that it began the first time: the result, or the
 * failure thrown. Undefined when that call ended and had fed no paper, so that trying again is right, and when the scan directory
 * was removed: what it was cannot be known any more, and must not keep anybody from scanning. A scan that the end of the service
 * cut off is Failure `scan_interrupted`: a sheet may have moved whose page was not written down.
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
  if (record.ended_at !== null && !(await hasFed(call, stored))) return undefined;
  if (state === 'finished' || (state === 'held' && !error)) return resultOf(record);
  if (error) {
    const failure = new Failure(error.error, error.message);
    throw withScanFacts(failure, id, await asOnDisk(directory, record));
  }
  const { unrecorded, lost } = await compareStoredPages(directory, record);
  const kept = [...pages.filter(({ number }) => !lost.includes(number)), ...unrecorded];
  const message =
    'The service was stopped in the middle of this scan' +
    (kept.length === 0 ? ', and no page of it is stored. Scan again with another key.' : '.');
  const failure = new Failure('scan_interrupted', message);
  throw withScanFacts(failure, id, { ...record, pages: kept });
}

/**
 * Whether there are pages of a call, be they recorded or not. Rejects where it cannot be known: feeding the paper again would be
 * the wrong guess.
 */
async function hasFed(call: RecordedCall, { directory, record }: StoredScan): Promise<boolean> {
  const isOfCall = ({ number }: { readonly number: number }): boolean => number > call.last_page;
  if (record.pages.some(isOfCall)) return true;
  return (await compareStoredPages(directory, record)).unrecorded.some(isOfCall);
}
