import { Failure } from '../../helpers/failure.ts';
import type { ScanArchive } from '../archive/scan-archive.ts';
import { firstResult } from './first-result.ts';
import { forgetScan, recallScan, rememberScan, type CallIdentity } from './idempotency.ts';
import type { PrepareScan } from './run-scan.ts';
import type { Scan, ScanResult } from './scan-call.ts';

/** A scan that feeds paper, and with what it may be told from others. */
export interface OnceCall {
  /** Id that the scan has, or gets. */
  readonly id: string;
  /** Scan directory root. */
  readonly root: string;
  readonly prepare: PrepareScan;
  /** Missing where the caller sent no key: the call is then one of its own. */
  readonly identity: CallIdentity | undefined;
}

/** Runs a call, or answers with what an earlier one with the same identity came to. */
export type ScanOnce = (
  call: OnceCall,
  run: (prepare: PrepareScan) => Promise<ScanResult>,
) => Promise<ScanResult>;

/** `isRunning` tells of scans that are under way in this process. */
export function createScanOnce(
  archive: Pick<ScanArchive, 'find'>,
  isRunning: (id: string) => boolean,
): ScanOnce {
  const underWay = new Map<string, string>();

  return async ({ id, root, prepare, identity }, run) => {
    if (identity === undefined) return run(prepare);
    const { key } = identity;
    const busy = underWay.get(key);
    if (busy !== undefined) throw scanInProgress(busy);
    underWay.set(key, id);
    try {
      const first = await recallScan(root, identity);
      if (first !== undefined && isRunning(first)) throw scanInProgress(first);
      const result = first === undefined ? undefined : await resultOf(archive, isRunning, first);
      return result ?? (await run(remembering(prepare, root, identity)));
    } finally {
      underWay.delete(key);
    }
  };
}

/** The failure of a call for a scan that is under way. */
export function scanInProgress(id: string): Failure {
  return new Failure(
    'scan_in_progress',
    'this scan is still under way: GET /scans/{scan_id} tells how far it is; ask again when it has ended',
    { facts: { scan_id: id } },
  );
}

async function resultOf(
  archive: Pick<ScanArchive, 'find'>,
  isRunning: (id: string) => boolean,
  id: string,
): Promise<ScanResult | undefined> {
  try {
    return await firstResult(await archive.find(id));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // Somebody removed its directory: what it was cannot be told any more, and must not keep anybody from scanning.
    if (error.code === 'scan_not_found') return undefined;
    // It was picked up again while its record was read.
    if (error.code === 'scan_interrupted' && isRunning(id)) throw scanInProgress(id);
    throw error;
  }
}

/** Remembers the call before the first sheet moves, and forgets it again when none did. */
function remembering(prepare: PrepareScan, root: string, identity: CallIdentity): PrepareScan {
  /** What ended the scan is what the caller is told, also where the key cannot be forgotten. */
  const forget = ({ log }: Scan): Promise<void> =>
    forgetScan(root, identity).catch((error: unknown) => {
      log.error({ err: error }, 'the Idempotency-Key of a scan that fed nothing is still in use');
    });
  return async (options) => {
    const { scan, stages } = await prepare(options);
    const before = scan.record.current().page_count;
    return {
      scan,
      stages: async () => {
        await rememberScan(root, identity, scan.id);
        try {
          await stages();
        } catch (error) {
          if (scan.record.current().page_count === before) await forget(scan);
          throw error;
        }
      },
    };
  };
}
