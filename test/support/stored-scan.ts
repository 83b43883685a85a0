import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Profile } from '../../service/profiles/profile.ts';
import { newScanRecord, type ScanRecord } from '../../service/scan/scan-record.ts';
import { tiffFile } from './fake-scanimage/tiff-file.ts';
import { testProfile } from './test-app.ts';

/** Id of the scan that `storeScan` writes. */
export const STORED_ID = '20261121T063000Z-8f3a1c';

/** A scan whose feeder jammed when two pages were safe. */
export function storedRecord(change: Partial<ScanRecord> = {}, profile: object = {}): ScanRecord {
  const settings: Profile = testProfile({ name: 'default', ...profile });
  return {
    ...newScanRecord({
      scan_id: STORED_ID,
      profile: settings.name,
      started_at: '2026-11-21T06:30:00.000Z',
      request: {},
      settings,
    }),
    state: 'failed',
    ended_at: '2026-11-21T06:30:20.000Z',
    page_count: 2,
    pages: ['page-0001.tif', 'page-0002.tif'],
    duration_ms: 20_000,
    error: { error: 'scanner_jammed', message: 'paper is stuck' },
    ...change,
  };
}

/** Writes a scan directory as the service does: `scan.json`, and a small page for each that the record names. */
export async function storeScan(
  root: string,
  record: ScanRecord = storedRecord(),
): Promise<string> {
  const directory = path.join(root, record.scan_id);
  await mkdir(directory, { recursive: true });
  for (const page of record.pages) await writeFile(path.join(directory, page), tiffFile());
  await writeFile(path.join(directory, 'scan.json'), JSON.stringify(record));
  return directory;
}
