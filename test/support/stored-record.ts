import { readRecord } from '../../service/archive/scan-directory.ts';
import type { ScanState } from '../../service/archive/scan-record.ts';
import { detailsOf, type ScanDetails } from '../../service/archive/scan-details.ts';
import type { Profile } from '../../service/profiles/profile.ts';

/** A scan directory as the product reads it, in the form that callers see. */
export interface StoredRecord extends Omit<ScanDetails, 'state' | 'settings'> {
  readonly state: ScanState;
  readonly settings: Profile;
}

/** Reads a scan directory as a freshly started service does. Rejects if it cannot be read. */
export async function readStoredRecord(directory: string): Promise<StoredRecord> {
  const { record } = await readRecord(directory);
  const { state, settings } = record;
  return { ...detailsOf(record, false), state, settings };
}
