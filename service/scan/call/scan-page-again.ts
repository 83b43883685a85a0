import { Failure } from '../../../helpers/failure.ts';
import { replacementOf } from '../../archive/scan-again.ts';
import type { ScanArchive } from '../../archive/scan-archive.ts';
import type { CallIdentity } from '../../archive/scan-event.ts';
import type { RecordedPage, ScanRecord } from '../../archive/scan-record.ts';
import { compareStoredPages } from '../../archive/stored-pages.ts';
import { withSettings } from '../../profiles/scan-settings.ts';
import type { PageRescan, ScanParts } from '../scan.ts';
import { scanAgain } from '../stages/scan-again.ts';
import { checkNotDiscarded } from './edits.ts';
import type { CallOutcome } from './finish.ts';
import { preflight } from './preflight.ts';
import { resumedEvent, withChanges } from './resumable.ts';
import type { RunningCall } from './running-scans.ts';
import { waitForScanner } from './wait-for-scanner.ts';

export interface RescanContext {
  readonly parts: ScanParts;
  readonly archive: ScanArchive;
  readonly identity: CallIdentity | undefined;
}

/** Throws Failure `scan_not_resumable`, `not_found` or `invalid_body` before feeding. */
export async function scanPageAgain(
  call: RunningCall,
  { replaces, settings = {} }: PageRescan,
  { parts, archive, identity }: RescanContext,
): Promise<CallOutcome> {
  const { id, deadline } = call;
  const { directory, record } = await archive.find(id);
  checkNotDiscarded(record);
  checkReplaceable(record, replaces);
  const known = withChanges(record, {}, 'scan').settings;
  await preflight(withSettings(known, settings), parts, deadline.signal);
  await waitForScanner({ id, directory }, parts.scanner, deadline.signal);
  const found = await compareStoredPages(directory, record);
  return call.finish(await archive.open(id), async (scan, clock) => {
    // Unrecorded pages belong to an earlier call, so they are recorded first.
    await scan.append(...found.unrecorded, {
      ...resumedEvent('scan', {}),
      hold: true,
      replaces,
      ...(Object.keys(settings).length > 0 && { page_settings: settings }),
      ...(identity && { call: { ...identity, last_page: found.last } }),
    });
    await scanAgain(scan, parts, { clock, lastPage: found.last });
  });
}

function checkReplaceable({ scan_id, state, pages }: ScanRecord, number: number): void {
  if (state !== 'held') {
    const what = 'A page can only be scanned again while its scan is held.';
    const remedy = `GET /scans/${scan_id} shows its state.`;
    throw new Failure('scan_not_resumable', what, { remedy, facts: { scan_id } });
  }
  const page = pages.find((own) => own.number === number);
  if (page === undefined) {
    throw new Failure('not_found', `This scan has no page ${number}.`, {
      remedy: 'GET /scans/{scan_id} lists its pages.',
    });
  }
  const expected = problemOf(pages, page);
  if (expected === undefined) return;
  throw new Failure('invalid_body', `${expected}.`, {
    facts: { fields: [{ field: 'replaces', expected }] },
  });
}

function problemOf(pages: readonly RecordedPage[], page: RecordedPage): string | undefined {
  const { number } = page;
  if (page.left_out) {
    return `"replaces" must be a page that is not left out. Take it back first: PATCH {"left_out": false} to page ${number}`;
  }
  if (!page.replaced) return undefined;
  const current = replacementOf(pages, page)?.number;
  const instead = current === undefined ? '' : ` Page ${current} is in its place now`;
  return `"replaces" must be a page that was not replaced.${instead}`;
}
