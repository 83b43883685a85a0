import { beforeAbort } from '../../../helpers/before-abort.ts';
import { Failure } from '../../../helpers/failure.ts';
import { quarterTurn, turnedCrop } from '../../../helpers/page-crop.ts';
import { stamped } from '../../archive/event-file.ts';
import { fold } from '../../archive/fold.ts';
import { shownTurn } from '../../archive/page-edits.ts';
import { replacementOf } from '../../archive/scan-again.ts';
import type { ScanArchive } from '../../archive/scan-archive.ts';
import { detailsOf, type ScanDetails } from '../../archive/scan-details.ts';
import type {
  Discarded,
  NewScanEvent,
  PageEdit,
  PageEdited,
  PageReplaced,
} from '../../archive/scan-event.ts';
import type { ScanRecord } from '../../archive/scan-record.ts';
import { storageFailure } from '../../storage/storage-failure.ts';
import type { RunningScans } from './running-scans.ts';

/** Edits of an unfiled scan. A change is durable when its call resolves. */
export interface Edits {
  /**
   * Throws Failure `not_found`, `invalid_body`, `scan_in_progress`, `scan_not_editable` or
   * `scan_discarded`, and the errors of the archive.
   */
  editPage(id: string, page: number, edit: PageEdit): Promise<ScanDetails>;
  /** Puts the page back that was there before it was scanned again. Throws like `editPage`. */
  restorePage(id: string, page: number): Promise<ScanDetails>;
  /** Discards or restores a scan. Deletes nothing. Throws like `editPage`. */
  discard(id: string, discarded: boolean): Promise<ScanDetails>;
}

/** Time limit of a change. Writing a line takes milliseconds, unless the disk hangs. */
const CHANGE_MS = 10_000;

export function createEdits(
  running: Pick<RunningScans, 'change'>,
  archive: Pick<ScanArchive, 'find' | 'open'>,
): Edits {
  async function makeNow(id: string, eventFor: EventFor): Promise<ScanDetails> {
    const { record } = await archive.find(id);
    const event = eventFor(record);
    if (event === undefined || !changes(record, event)) return detailsOf(record, false);
    // A discarded scan that is too large to edit can still be restored.
    const isRestoring = event.type === 'discarded' && !event.discarded;
    const open = await archive.open(id, isRestoring ? 'call' : 'edit');
    try {
      await open.append(event);
      await open.writeRecord();
      return detailsOf(open.record(), false);
    } finally {
      await open.close();
    }
  }

  const make = (id: string, eventFor: EventFor): Promise<ScanDetails> =>
    inTime(
      running.change(id, () =>
        makeNow(id, eventFor).catch((error: unknown) => {
          throw storageFailure(error) ?? error;
        }),
      ),
    );

  return {
    editPage: (id, page, edit) =>
      make(id, (record) => {
        checkNotDiscarded(record);
        checkNotFiled(record);
        checkPages(record, page, edit);
        return { type: 'edited', page, ...edit, ...rawCrop(record, page, edit) };
      }),
    restorePage: (id, page) =>
      make(id, (record) => {
        checkNotDiscarded(record);
        checkNotFiled(record);
        checkPages(record, page, {});
        return restoring(record, page);
      }),
    discard: (id, discarded) =>
      make(id, (record) => {
        checkNotFiled(record);
        return { type: 'discarded', discarded };
      }),
  };
}

type EventFor = (record: ScanRecord) => EditEvent | undefined;

type EditEvent = Omit<PageEdited, 'at'> | Omit<PageReplaced, 'at'> | Omit<Discarded, 'at'>;

/** Converts the crop from the displayed page to the raw page. */
function rawCrop(
  { pages }: ScanRecord,
  number: number,
  { crop, turn }: PageEdit,
): Pick<PageEdit, 'crop'> {
  const page = pages.find((other) => other.number === number);
  if (!page || !crop) return {};
  return { crop: turnedCrop(crop, quarterTurn(-shownTurn(page, turn))) };
}

/** False for an event that changes nothing. Such events are not recorded. */
function changes(record: ScanRecord, event: NewScanEvent): boolean {
  const after = fold(record, stamped(event));
  const facts = ({ pages, discarded }: ScanRecord): string => JSON.stringify([pages, discarded]);
  return facts(after) !== facts(record);
}

export function checkNotDiscarded({ discarded, scan_id }: ScanRecord): void {
  if (!discarded) return;
  throw new Failure('scan_discarded', 'This scan was discarded.', {
    remedy: `To take that back, POST {"discarded": false} to /scans/${scan_id}/discard.`,
    facts: { scan_id },
  });
}

function checkNotFiled({ state, documents, scan_id }: ScanRecord): void {
  const isSent = documents.some(({ uploads }) => Object.keys(uploads).length > 0);
  if (state !== 'finished' && !isSent) return;
  throw new Failure('scan_not_editable', 'Documents of this scan are filed already.', {
    remedy: 'Correct them in the document-management system, or scan the paper again.',
    facts: { scan_id },
  });
}

function checkPages({ pages }: ScanRecord, page: number, { before }: PageEdit): void {
  const hasPage = (wanted: number): boolean => pages.some(({ number }) => number === wanted);
  if (!hasPage(page)) {
    throw new Failure('not_found', `This scan has no page ${page}.`, {
      remedy: 'GET /scans/{scan_id} lists its pages.',
    });
  }
  if (before === undefined || before === null || (before !== page && hasPage(before))) return;
  const expected = '"before" must be the number of another page of the scan, or null for the end';
  throw new Failure('invalid_body', `${expected}.`, {
    facts: { fields: [{ field: 'before', expected }] },
  });
}

function restoring({ pages }: ScanRecord, number: number): EditEvent | undefined {
  const page = pages.find((own) => own.number === number);
  if (!page?.replaced) return undefined;
  const current = replacementOf(pages, page);
  if (current) return { type: 'replaced', page: current.number, by: number };
  const expected = '"restored" can only be given for a page that was scanned again';
  throw new Failure('invalid_body', `${expected}.`, {
    facts: { fields: [{ field: 'restored', expected }] },
  });
}

/** Stops waiting after `CHANGE_MS`. The change may still become durable later. */
function inTime<Value>(change: Promise<Value>): Promise<Value> {
  return beforeAbort(AbortSignal.timeout(CHANGE_MS), change, () => {
    const what = `The disk of the scan did not answer within ${CHANGE_MS / 1000} s.`;
    const remedy = 'Check the disk; GET /scans/{scan_id} shows whether the change was made.';
    throw new Failure('insufficient_storage', what, { remedy });
  });
}
