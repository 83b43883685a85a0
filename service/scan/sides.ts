import { warning } from '../../helpers/warnings.ts';
import { counted } from '../../helpers/counted.ts';
import { Failure } from '../../helpers/failure.ts';
import { isDuplex, unmatchedSides } from '../archive/sheets.ts';
import type { OpenScan } from '../archive/open-scan.ts';
import type { ScanRecord } from '../archive/scan-record.ts';
import type { AddedPaper } from './scan.ts';

/** Throws Failure `sheet_count_mismatch` and records it, unless more backs may follow (`hold`). */
export async function checkSides(scan: Pick<OpenScan, 'record' | 'append'>): Promise<void> {
  const record = scan.record();
  const counts = unmatchedSides(record);
  if (counts === undefined || (record.hold && counts.backs < counts.fronts)) return;
  await scan.append({ type: 'sides_differ', ...counts });
  throw new Failure(
    'sheet_count_mismatch',
    `The scan has ${sidesText(counts)}, so they cannot be matched; all of them are kept. Put every sheet in again and POST ` +
      `/scan with {"continue_scan": "${record.scan_id}", "side": "backs"}: the new backs replace these. Or POST ` +
      `/scans/${record.scan_id}/resume to file the pages in the order in which they were scanned.`,
    { facts: { ...counts } },
  );
}

/** If the last call stopped early, `added` inherits its `side` and `hold`. */
export function inheritFromLastCall(
  { stage, state, hold, backs }: ScanRecord,
  added: AddedPaper,
): AddedPaper {
  if (stage !== 'scan' || state === 'held') return added;
  return { ...(hold && { hold }), ...(backs && { side: 'backs' }), ...added };
}

/** Throws Failure `scan_not_resumable` before feeding, if `side` does not fit the pages so far. */
export function checkAddedSide(record: ScanRecord, { side }: Pick<AddedPaper, 'side'>): void {
  const problem = side === 'backs' ? problemOfBacks(record) : problemOfFronts(record);
  if (problem !== undefined) throw new Failure('scan_not_resumable', problem);
}

function problemOfBacks(record: ScanRecord): string | undefined {
  const { pages, unmatched } = record;
  if (isDuplex(record)) {
    return 'The scanner scans both sides of each sheet of this scan. Add sheets without "side".';
  }
  const hasBack = ({ sheet }: { readonly sheet: number }): boolean =>
    pages.some((page) => page.side === 'back' && page.sheet === sheet);
  const fronts = pages.filter(({ side }) => side === 'front');
  if (fronts.length === 0) return 'This scan has no fronts yet. Scan them first, without "side".';
  if (unmatched || !fronts.every(hasBack)) return undefined;
  return 'Every sheet of this scan has its back already. Add sheets without "side".';
}

function problemOfFronts(record: ScanRecord): string | undefined {
  const counts = unmatchedSides(record);
  return (
    counts &&
    `The scan has ${sidesText(counts)}. Scan the backs first, with "side": "backs", or POST /scans/${record.scan_id}/resume.`
  );
}

/** Warns that the fronts and backs of a filed scan do not match. */
export function unmatchedWarnings(record: ScanRecord): string[] {
  const counts = record.unmatched ? unmatchedSides(record) : undefined;
  if (!counts) return [];
  const facts = { fronts: counted(counts.fronts, 'front'), backs: counted(counts.backs, 'back') };
  return [warning('sides_differ', facts)];
}

function sidesText({ fronts, backs }: { readonly fronts: number; readonly backs: number }): string {
  return `${counted(fronts, 'front')} and ${counted(backs, 'back')}`;
}
