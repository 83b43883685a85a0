import { Failure } from '../../helpers/failure.ts';
import type { StoredScan } from '../archive/scan-archive.ts';
import { withScanFacts } from './run-scan.ts';
import { toResult, type ScanResult } from './scan-call.ts';
import { findStoredPages } from './stored-pages.ts';

/**
 * What a call that is made again is answered, from the record of the scan that it began the first time: the result, or
 * the failure thrown. Undefined when that scan ended and had fed no paper, so that trying again is right. A scan that the
 * end of the service cut off is Failure `scan_interrupted`: a sheet may have moved whose page was not written down.
 */
export async function firstResult({
  directory,
  record,
}: StoredScan): Promise<ScanResult | undefined> {
  const { scan_id, state, error } = record;
  if (state === 'finished') return toResult(record);
  if (state === 'failed' && error) {
    if (record.page_count === 0) return undefined;
    throw withScanFacts(new Failure(error.error, error.message), scan_id, record);
  }
  const { pages } = await findStoredPages(directory, []);
  const message =
    'the service was stopped in the middle of this scan' +
    (pages.length === 0 ? ', and no page of it is safe: scan again with another key' : '');
  const failure = new Failure('scan_interrupted', message);
  throw withScanFacts(failure, scan_id, { ...record, page_count: pages.length });
}
