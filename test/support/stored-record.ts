import { readRecord } from '../../service/archive/scan-directory.ts';
import type { ScanState } from '../../service/archive/scan-record.ts';
import { detailsOf, type ScanDetails } from '../../service/archive/scan-details.ts';
import type { Profile } from '../../service/profiles/profile.ts';

export interface StoredRecord extends Omit<ScanDetails, 'state' | 'settings'> {
  readonly state: ScanState;
  readonly settings: Profile;
}

export async function readStoredRecord(directory: string): Promise<StoredRecord> {
  const { record } = await readRecord(directory);
  const { state, settings } = record;
  return { ...detailsOf(record, false), state, settings };
}
