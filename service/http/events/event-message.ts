import { errorBody, type Failure } from '../../../helpers/failure.ts';
import type { ScanEvent, ScanEventType } from '../../archive/scan-event.ts';
import type { ScanRecord } from '../../archive/scan-record.ts';
import type { ScanDetails } from '../../archive/scan-details.ts';
import type { ScanResult } from '../../archive/scan-view.ts';
import { viewChanges } from './view-changes.ts';

type ShownFields = {
  readonly [Type in ScanEventType]: readonly (keyof Extract<ScanEvent, { type: Type }>)[];
};

/** The fields that every watcher may see: not the profile's settings or the request's metadata. */
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

/** The first event of a call has the whole view; the others, what changed in it. */
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

/** The state of a scan, for a client that connects later. */
export function snapshotMessage(scan: ScanDetails, sequence: number): Buffer {
  return message('snapshot', scan, sequence);
}

/**
 * The last event of a stream has the body of the normal response. Its name is not `error`, which
 * browsers use for a lost connection. With its own id, reconnecting clients get it exactly once.
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

/** The last event that a client has received before it reconnects. */
export interface SeenEvents {
  readonly sequence: number;
  readonly hasResult: boolean;
}

/** Parses the header `Last-Event-ID`. Undefined unless it is an id of ours. */
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
