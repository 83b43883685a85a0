import { counted } from '../../../helpers/counted.ts';
import { Failure } from '../../../helpers/failure.ts';
import type { RecordedPage, ScanRecord } from '../../archive/scan-record.ts';
import type { Scan, ScanParts, StageClock } from '../scan.ts';
import { feed } from './feed.ts';
import { createRecognition } from './recognize.ts';
import { withTaskGroup } from './task-group.ts';

export interface RescanOptions {
  readonly clock: StageClock;
  /** Highest page number before this feeding. */
  readonly lastPage: number;
}

/**
 * Scans one sheet and puts it in place of a page. Throws Failure `too_many_sheets` and the errors
 * of `feed`; the page then stays.
 */
export async function scanAgain(
  scan: Scan,
  { scanner, processor }: Pick<ScanParts, 'scanner' | 'processor'>,
  { clock, lastPage }: RescanOptions,
): Promise<void> {
  await clock('scan', () => feed(scan, { scanner, lastPage, onPage: () => {} }));
  // After a stop or timeout, the caller was told that nothing changed.
  scan.deadline.signal.throwIfAborted();
  scan.stop.throwIfAborted();
  const { page, by } = replacement(scan.record(), lastPage);
  await scan.append({ type: 'replaced', page, by });
  await scan.writeRecord();
  await clock('process', () =>
    withTaskGroup(scan.deadline.signal, 1, async (group) => {
      const recognize = createRecognition(scan, group, processor, () => Promise.resolve());
      for (const own of scan.record().pages) if (own.number === by) recognize(own);
      await group.done();
    }),
  );
}

/** Finds the scanned side that replaces the page. */
function replacement(
  { rescan, pages, replacementCandidates }: ScanRecord,
  lastPage: number,
): { readonly page: number; readonly by: number } {
  const old = pages.find(({ number }) => number === rescan?.page);
  if (old === undefined) throw new Error('no page is to be replaced');
  const fed = replacementCandidates.filter(({ number }) => number > lastPage);
  const sheets = new Set(fed.map(({ sheet }) => sheet)).size;
  if (sheets > 1) throw tooManySheets(old, fed, sheets);
  const hasBoth = fed.some(({ side }) => side === 'back');
  const wanted = hasBoth ? fed.find(({ side }) => side === old.side) : fed[0];
  if (wanted === undefined) throw new Error('no page was scanned');
  return { page: old.number, by: wanted.number };
}

function tooManySheets(
  { number }: RecordedPage,
  fed: readonly RecordedPage[],
  sheets: number,
): Failure {
  const names = fed.map(({ filename }) => filename).join(', ');
  return new Failure(
    'too_many_sheets',
    `${counted(sheets, 'sheet')} were fed, and one of them is to replace page ${number}. They are stored as ${names}, and are in no document.`,
    { remedy: 'Put in only the sheet to scan again.', facts: { sheets } },
  );
}
