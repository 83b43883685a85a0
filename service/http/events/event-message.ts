import { errorBody, type Failure } from '../../../helpers/failure.ts';
import type { ScanEvent, ScanEventType } from '../../archive/scan-event.ts';
import type { ScanRecord } from '../../archive/scan-record.ts';
import type { ScanDetails } from '../../archive/scan-details.ts';
import type { ScanResult } from '../../archive/scan-view.ts';
import { viewChanges } from './view-changes.ts';

type ShownFields = {
  readonly [Type in ScanEventType]: readonly (keyof Extract<ScanEvent, { type: Type }>)[];
};

/** Fields of events that clients may see, so no profile settings and no metadata. */
export const SHOWN_FIELDS: ShownFields = {
  begun: ['at', 'hold', 'trigger', 'warnings'],
  resumed: ['at', 'stage', 'hold', 'side', 'replaces', 'lost_pages', 'warnings'],
  page: ['at', 'number', 'sheet', 'side', 'filename', 'bytes', 'instead_of'],
  fed: ['at', 'complete', 'duplex', 'warnings'],
  sides_differ: ['at', 'fronts', 'backs'],
  recognized: ['at', 'page', 'facts', 'warnings'],
  edited: ['at', 'page', 'left_out', 'turn', 'before', 'starts_document'],
  replaced: ['at', 'page', 'by'],
  discarded: ['at', 'discarded'],
  documents: ['at', 'documents', 'dropped_pages', 'warnings'],
  assembled: ['at', 'document', 'bytes', 'sha256', 'warnings'],
  upload_begun: ['at', 'document', 'destination', 'title', 'warnings'],
  upload_ended: ['at', 'document', 'destination', 'entry', 'outcome', 'warnings'],
  ended: [
    'at',
    'state',
    'error',
    'page_count',
    'kept_page_count',
    'document_count',
    'failed_deliveries',
    'duration_ms',
    'timings_ms',
  ],
};

/** The first event of a call has the whole view of the scan. Later events have only the changes. */
export function scanEventMessage(
  event: ScanEvent,
  record: ScanRecord,
  { sequence, before }: { readonly sequence: number; readonly before?: ScanRecord | undefined },
): Buffer {
  const shown: readonly string[] = SHOWN_FIELDS[event.type];
  const fields = Object.entries(event).filter(([name]) => shown.includes(name));
  const isStart = event.type === 'begun' || event.type === 'resumed';
  const view = viewChanges(record, isStart ? undefined : before);
  const data = { ...(isStart && callFacts(record)), ...Object.fromEntries(fields), view };
  return message(event.type, data, sequence);
}

function callFacts({ scan_id, profile, started_at, settings, pages }: ScanRecord): object {
  const { timeout_seconds } = settings;
  return { scan_id, profile, started_at, timeout_seconds, page_count: pages.length };
}

/** The whole state of a scan, for a client that connects later. */
export function snapshotMessage(scan: ScanDetails, sequence: number): Buffer {
  return message('snapshot', scan, sequence);
}

/**
 * Ends a stream with the body of the normal response. It is not an event `error`, which browsers
 * use for a lost connection. Its id shows whether a client that reconnects has already received it.
 */
export function resultMessage(result: ScanResult | Failure, sequence: number | undefined): Buffer {
  return message(
    'result',
    result instanceof Error
      ? { status: result.status, body: errorBody(result) }
      : { status: 200, body: result },
    sequence === undefined ? undefined : `${sequence}${RESULT_MARK}`,
  );
}

const RESULT_MARK = '-result';

/** What a client had received before it reconnected. */
export interface SeenEvents {
  readonly sequence: number;
  readonly hasResult: boolean;
}

/** Reads the header `Last-Event-ID`. Undefined if the id is not ours. */
export function readEventId(header: string): SeenEvents | undefined {
  const [, digits, mark] = /^(\d{1,9})(-result)?$/.exec(header) ?? [];
  return digits === undefined
    ? undefined
    : { sequence: Number(digits), hasResult: mark === RESULT_MARK };
}

function message(name: string, data: object, id?: number | string): Buffer {
  const numbered = id === undefined ? '' : `id: ${id}\n`;
  return Buffer.from(`${numbered}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
}
