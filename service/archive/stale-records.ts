import path from 'node:path';
import type { Log } from '../../helpers/log.ts';
import { refreshRecordFile } from './record-file.ts';
import type { ScanRecord } from './scan-record.ts';

interface ScanPlace {
  readonly id: string;
  readonly directory: string;
}

/** Scans with an outdated `scan.json`, for example because the disk was full. */
export interface StaleRecords {
  /**
   * Call this when a scan is closed. `isWritten` is true if its `scan.json` could be written. Then
   * the disk works again, so outdated files in the same output directory are updated too.
   */
  onScanClosed(scan: ScanPlace, isWritten: boolean): Promise<void>;
  /** Updates `scan.json`, unless a running call will do so. Never rejects. */
  refresh(scan: ScanPlace): Promise<void>;
}

export interface StaleRecordsParts {
  readonly isOpen: (id: string) => boolean;
  readonly read: (directory: string) => Promise<ScanRecord>;
  readonly log: Log;
}

export function createStaleRecords({ isOpen, read, log }: StaleRecordsParts): StaleRecords {
  const stale = new Map<string, string>();

  /** Returns false if `scan.json` must be updated later. */
  async function refresh({ id, directory }: ScanPlace): Promise<boolean> {
    try {
      const record = await read(directory);
      return isOpen(id) || (await refreshRecordFile(directory, record, log));
    } catch (err) {
      log.debug({ event: 'record_not_refreshed', scan_id: id, err });
      return true;
    }
  }

  return {
    onScanClosed: async ({ id, directory: written }, isWritten) => {
      if (!isWritten) return void stale.set(id, written);
      stale.delete(id);
      for (const [other, directory] of stale) {
        if (path.dirname(directory) !== path.dirname(written)) continue;
        if (!(await refresh({ id: other, directory }))) return;
        stale.delete(other);
      }
    },
    refresh: async (scan) => {
      const isCurrent = isOpen(scan.id) || (await refresh(scan));
      if (isCurrent) stale.delete(scan.id);
    },
  };
}
