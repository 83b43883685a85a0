import { Failure } from '../../../helpers/failure.ts';
import {
  forgetScan,
  recallScan,
  rememberScan,
  type CallIdentity,
} from '../../archive/idempotency.ts';
import type { ScanRecord } from '../../archive/scan-record.ts';
import type { ScanArchive } from '../../archive/scan-archive.ts';
import { resultOf, type ScanResult } from '../../archive/scan-view.ts';
import { compareStoredPages } from '../../archive/stored-pages.ts';
import { scanInProgress } from './running-scans.ts';
import { asOnDisk, withScanFacts } from './scan-failure.ts';
import type { Scan } from '../scan.ts';

/** A call that feeds paper, and what makes it the same call as another one. */
export interface KeyedCall {
  /** Id that the scan has, or gets. */
  readonly id: string;
  /** Output directory. */
  readonly root: string;
  /** Missing where the caller sent no key: the call is then one of its own. */
  readonly identity: CallIdentity | undefined;
}

/** Runs the stages of a call that has a key: remembers the key before the first sheet moves, and forgets it when none did. */
export type Remembering = (scan: Scan, stages: () => Promise<void>) => Promise<void>;

export interface RepeatedCalls {
  /** Runs a call, or answers with what an earlier one with the same identity came to. */
  once(
    call: KeyedCall,
    run: (remembering: Remembering) => Promise<ScanResult>,
  ): Promise<ScanResult>;
}

/** `isRunning` tells of scans that are under way in this process. */
export function createRepeatedCalls(
  archive: Pick<ScanArchive, 'find'>,
  isRunning: (id: string) => boolean,
): RepeatedCalls {
  const underWay = new Map<string, string>();

  return {
    once: async ({ id, root, identity }, run) => {
      if (identity === undefined) return run((_, stages) => stages());
      const { key } = identity;
      const busy = underWay.get(key);
      if (busy !== undefined) throw scanInProgress(busy);
      underWay.set(key, id);
      try {
        const first = await recallScan(root, identity);
        if (first !== undefined && first !== id && isRunning(first)) throw scanInProgress(first);
        const result = first === undefined ? undefined : await firstResult(archive, first);
        return result ?? (await run(remembering(root, identity)));
      } finally {
        underWay.delete(key);
      }
    },
  };
}

/**
 * What a call that is made again is answered, from the record of the scan that it began the first time: the result, or the
 * failure thrown. Undefined when that scan ended and had fed no paper, so that trying again is right, and when its directory was
 * removed: what it was cannot be known any more, and must not keep anybody from scanning. A scan that the end of the service
 * cut off is Failure `scan_interrupted`: a sheet may have moved whose page was not written down.
 */
async function firstResult(
  archive: Pick<ScanArchive, 'find'>,
  id: string,
): Promise<ScanResult | undefined> {
  const stored = await archive.find(id).catch((error: unknown) => {
    if (error instanceof Failure && error.code === 'scan_not_found') return undefined;
    throw error;
  });
  if (stored === undefined) return undefined;
  const { directory, record, isOpen } = stored;
  if (isOpen) throw scanInProgress(id);
  const { state, error, pages } = record;
  if (state === 'finished' || (state === 'held' && !error)) return resultOf(record);
  if (error) {
    if (pages.length === 0 && (await unrecordedPages(directory, record)) === 0) return undefined;
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

function remembering(root: string, identity: CallIdentity): Remembering {
  return async (scan, stages) => {
    const before = scan.record().pages.length;
    await rememberScan(root, identity, scan.id);
    try {
      await stages();
    } catch (error) {
      // What ended the scan is what the caller hears, also where the key cannot be forgotten.
      if (!(await hasFed(scan, before))) await forget(root, identity, scan);
      throw error;
    }
  };
}

/** Whether there are more pages than before, be they recorded or not; where it cannot be known, they may be there. */
async function hasFed(scan: Scan, before: number): Promise<boolean> {
  const record = scan.record();
  if (record.pages.length > before) return true;
  return (await unrecordedPages(scan.directory, record).catch(() => 1)) > 0;
}

/** How many there are. Rejects where it cannot be known: feeding the paper again would be the wrong guess. */
async function unrecordedPages(directory: string, record: ScanRecord): Promise<number> {
  return (await compareStoredPages(directory, record)).unrecorded.length;
}

async function forget(root: string, identity: CallIdentity, { log }: Scan): Promise<void> {
  await forgetScan(root, identity).catch((error: unknown) => {
    const what = 'The Idempotency-Key of a scan that fed nothing is still in use.';
    log.error({ event: 'key_not_forgotten', err: error }, what);
  });
}
