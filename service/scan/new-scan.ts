import { mkdir, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { syncDirectory } from '../storage/write-atomically.ts';
import { preflight } from './preflight.ts';
import type { PrepareScan } from './run-scan.ts';
import { runStages } from './run-stages.ts';
import type { ScanCall, ScanParts } from './scan-call.ts';
import { keepScanRecord, newScanRecord } from './scan-record.ts';

/** A scan of the stack in the feeder into a directory of its own, which is made when nothing speaks against scanning. */
export function newScan(call: ScanCall, parts: ScanParts): PrepareScan {
  return async ({ id, deadline, log }) => {
    const { workers } = await preflight(call.profile, parts, deadline.signal);
    const startedAt = new Date();
    const root = call.profile.paths.output_dir;
    const directory = path.join(root, id);
    await mkdir(directory);
    await syncDirectory(root);
    const initial = newScanRecord({
      scan_id: id,
      profile: call.profile.name,
      started_at: startedAt.toISOString(),
      request: call.metadata,
      settings: call.profile,
    });
    const record = await keepScanRecord(directory, initial).catch(async (error: unknown) => {
      // Nothing was fed: what is left would be a scan that nobody can read.
      await rmdir(directory).catch(() => {});
      throw error;
    });
    log.info({ profile: call.profile.name, directory }, 'scan begins');
    const scan = { ...call, id, directory, startedAt, record, deadline, log };
    return { scan, stages: () => runStages(scan, parts, { workers, kept: [], lastPage: 0 }) };
  };
}
