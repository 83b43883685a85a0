import type { ScannedPage, ScanRequest } from '../../../helpers/ipc/messages.ts';
import { Failure, type FailureCode } from '../../../helpers/failure.ts';
import { isDuplex, nextSheet, sheetOfBack } from '../../archive/sheets.ts';
import type { NewScanEvent } from '../../archive/scan-event.ts';
import type { RecordedPage, ScanRecord } from '../../archive/scan-record.ts';
import { compareStoredPages } from '../../archive/stored-pages.ts';
import type { ScannerClient } from '../../scanner/scanner-client.ts';
import type { Scan } from '../scan.ts';
import { scannerSettings } from '../scanner-settings.ts';

/** A page as it is recorded. */
export type FedPage = Omit<Extract<NewScanEvent, { type: 'page' }>, 'type'>;

export interface FeedOptions {
  readonly scanner: ScannerClient;
  /** Number of the page before the first one that is scanned now; 0 for a new scan. */
  readonly lastPage: number;
  /** Called for each page that is complete on disk, in order. */
  readonly onPage: (page: FedPage) => void;
}

/**
 * Scans the stack in the feeder. When this settles the feeder has stopped, the scanner is free, and every page on disk is
 * recorded; when it rejects, so are the warnings of the scanner runtime about sheets that may have passed without becoming
 * a page.
 */
export async function feed(scan: Scan, { scanner, lastPage, onPage }: FeedOptions): Promise<void> {
  // Whoever was answered that the time is up may have taken the paper away.
  scan.deadline.signal.throwIfAborted();
  scan.stop.throwIfAborted();
  const recorded: Promise<void>[] = [];
  const announced: FedPage[] = [];
  const before = scan.record();
  // The disk may be full when the feeder says which sheets passed.
  await scan.keepRoom();
  // Pages that cannot be recorded must not be fed.
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
    await recordFed(scan, { complete: true, duplex, warnings: summary.warnings });
  } catch (error) {
    const stopped = [unrecorded.signal, scan.stop].find(({ aborted }) => aborted);
    const cause: unknown = stopped ? stopped.reason : error;
    await Promise.allSettled(recorded);
    await recordStop(scan, announced, error);
    throw cause;
  }
}

/** The page on its sheet: the runtime knows nothing of second sides that are fed after the first ones. */
function placed(
  { number, sheet, side, filename, bytes, cropped }: ScannedPage,
  before: ScanRecord,
  index: number,
): FedPage {
  const place = before.backs
    ? { sheet: sheetOfBack(before, before.backs, index), side: 'back' as const }
    : { sheet, side };
  return { number, ...place, filename, bytes, cropped };
}

function requestFor(scan: Scan, lastPage: number): ScanRequest {
  const { settings, pages } = scan.record();
  return {
    ...scannerSettings(settings),
    directory: scan.directory,
    first_page: lastPage + 1,
    first_sheet: nextSheet(pages),
  };
}

type FedFacts = Omit<Extract<NewScanEvent, { type: 'fed' }>, 'type'>;

async function recordFed(scan: Scan, facts: FedFacts): Promise<void> {
  scan.giveRoom();
  await scan.append({ type: 'fed', ...facts });
  await scan.writeRecord();
}

/** Records what is known of a feeder that something stopped. What stopped it is told, also where this fails. */
async function recordStop(
  scan: Scan,
  announced: readonly FedPage[],
  error: unknown,
): Promise<void> {
  const facts = error instanceof Failure ? error.facts : {};
  const known = scan.record();
  // Those that could not be recorded yet are written with the next event.
  const pages = withPages(known.pages, announced);
  const hasBacks = facts['duplex'] === true || announced.some(({ side }) => side === 'back');
  const duplex = known.backs === undefined && (hasBacks || isDuplex(known));
  const warnings = Array.isArray(facts['warnings']) ? facts['warnings'].map(String) : [];
  const notRecorded = (recordError: unknown): void => {
    const what = 'What the feeder did before it stopped could not be recorded.';
    scan.log.error({ event: 'stop_not_recorded', err: recordError }, what);
  };
  try {
    // A runtime that dies may have finished a page without being able to announce it.
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

/** What a scanner is refused for before it takes the first sheet. */
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

/** The recorded pages, and those that were announced besides. */
function withPages(
  recorded: readonly RecordedPage[],
  announced: readonly FedPage[],
): RecordedPage[] {
  const isRecorded = ({ number }: FedPage): boolean =>
    recorded.some((page) => page.number === number);
  return [...recorded, ...announced.filter((page) => !isRecorded(page))];
}
