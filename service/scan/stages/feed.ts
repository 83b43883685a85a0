import type { ScannedPage, ScanRequest } from '../../../helpers/ipc/messages.ts';
import { Failure, type FailureCode } from '../../../helpers/failure.ts';
import { isDuplex, nextSheet, sheetOfBack } from '../../archive/sheets.ts';
import type { NewScanEvent } from '../../archive/scan-event.ts';
import type { RecordedPage, ScanRecord } from '../../archive/scan-record.ts';
import { compareStoredPages } from '../../archive/stored-pages.ts';
import type { ScannerClient } from '../../scanner/scanner-client.ts';
import type { Scan } from '../scan.ts';
import { withSettings } from '../../profiles/scan-settings.ts';
import { scannerSettings } from '../scanner-settings.ts';

export type FedPage = Omit<Extract<NewScanEvent, { type: 'page' }>, 'type'>;

export interface FeedOptions {
  readonly scanner: ScannerClient;
  /** Highest page number before this feeding; 0 for a new scan. */
  readonly lastPage: number;
  /** Called in page order, when a page is complete on disk. */
  readonly onPage: (page: FedPage) => void;
}

/**
 * When this settles, the feeder has stopped, the scanner is free, and all pages on disk are
 * recorded. If it rejects, warnings about sheets that moved without becoming a page are recorded
 * too.
 */
export async function feed(scan: Scan, { scanner, lastPage, onPage }: FeedOptions): Promise<void> {
  // The caller was told about the timeout, and may have removed the paper.
  scan.deadline.signal.throwIfAborted();
  scan.stop.throwIfAborted();
  const recorded: Promise<void>[] = [];
  const announced: FedPage[] = [];
  const before = scan.record();
  // Pages may fill the disk before the end of the feeding can be recorded.
  await scan.reserveSpace();
  // Stops the feeder if a page cannot be recorded.
  const unrecorded = new AbortController();
  try {
    const summary = await scanner.scan(requestFor(scan, lastPage), {
      signal: AbortSignal.any([scan.deadline.signal, scan.stop, unrecorded.signal]),
      onPage: (scanned) => {
        const page = placed(scanned, before, announced.length);
        announced.push(page);
        const written = scan.append({ type: 'page', ...page });
        written.catch((error: unknown) => unrecorded.abort(error));
        recorded.push(written);
        onPage(page);
      },
    });
    await Promise.all(recorded);
    const duplex = summary.duplex && before.backs === undefined;
    const { device, warnings } = summary;
    await recordFed(scan, { complete: true, duplex, device, warnings });
  } catch (error) {
    const stopped = [unrecorded.signal, scan.stop].find(({ aborted }) => aborted);
    const cause: unknown = stopped ? stopped.reason : error;
    await Promise.allSettled(recorded);
    await recordStop(scan, announced, error);
    throw cause;
  }
}

/** Finds the sheet of a back, because the runtime does not know that only backs are fed. */
function placed(
  { number, sheet, side, filename, bytes, cropped }: ScannedPage,
  before: ScanRecord,
  index: number,
): FedPage {
  const isBack = before.backs && !before.rescan;
  const place = isBack
    ? { sheet: sheetOfBack(before, before.backs, index), side: 'back' as const }
    : { sheet, side };
  const page = { number, ...place, filename, bytes, cropped };
  return before.rescan ? { ...page, instead_of: before.rescan.page } : page;
}

/**
 * Page limit for scanning one sheet again. Enough to notice a second sheet, and even, so that no
 * sheet stops half-way.
 */
const MAX_PAGES_WHEN_RESCANNING = 4;

function requestFor(scan: Scan, lastPage: number): ScanRequest {
  const { settings, pages, rescan } = scan.record();
  return {
    ...scannerSettings(rescan ? withSettings(settings, rescan.settings) : settings),
    ...(rescan && { max_pages: MAX_PAGES_WHEN_RESCANNING }),
    directory: scan.directory,
    first_page: lastPage + 1,
    first_sheet: nextSheet(pages),
  };
}

type FedFacts = Omit<Extract<NewScanEvent, { type: 'fed' }>, 'type'>;

async function recordFed(scan: Scan, facts: FedFacts): Promise<void> {
  scan.releaseSpace();
  await scan.append({ type: 'fed', ...facts });
  await scan.writeRecord();
}

/** Records how far the feeder got. Logs errors, so that the caller can rethrow the original. */
async function recordStop(
  scan: Scan,
  announced: readonly FedPage[],
  error: unknown,
): Promise<void> {
  const facts = error instanceof Failure ? error.facts : {};
  const known = scan.record();
  // Pages that are not recorded yet are recorded with the next event.
  const pages = withPages(known.pages, announced);
  const hasBacks = facts['duplex'] === true || announced.some(({ side }) => side === 'back');
  const duplex = known.backs === undefined && (hasBacks || isDuplex(known));
  const warnings = Array.isArray(facts['warnings']) ? facts['warnings'].map(String) : [];
  const notRecorded = (recordError: unknown): void => {
    const what = 'What the feeder did before it stopped could not be recorded.';
    scan.log.error({ event: 'stop_not_recorded', err: recordError }, what);
  };
  try {
    // A runtime that crashed may have stored a page without reporting it.
    const { unrecorded } = await compareStoredPages(scan.directory, { ...known, pages, duplex });
    await scan.append(...unrecorded);
  } catch (recordError) {
    notRecorded(recordError);
  }
  const hasStayed =
    pages.length === known.pages.length && warnings.length === 0 && isRefusal(error);
  const moved = hasStayed && { moved: false as const };
  await recordFed(scan, { complete: false, duplex, ...moved, warnings }).catch(notRecorded);
}

/** Failures before the first sheet moves. */
const REFUSALS: readonly FailureCode[] = [
  'no_documents',
  'scanner_busy',
  'scanner_busy_elsewhere',
  'no_scanner_detected',
  'cover_open',
  'scan_option_rejected',
  'scanner_runtime_unreachable',
];

function isRefusal(error: unknown): boolean {
  return error instanceof Failure && REFUSALS.includes(error.code);
}

function withPages(
  recorded: readonly RecordedPage[],
  announced: readonly FedPage[],
): RecordedPage[] {
  const isRecorded = ({ number }: FedPage): boolean =>
    recorded.some((page) => page.number === number);
  return [...recorded, ...announced.filter((page) => !isRecorded(page))];
}
