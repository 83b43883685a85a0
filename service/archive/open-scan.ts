import { isDeepStrictEqual } from 'node:util';
import type { Log } from '../../helpers/log.ts';
import { EVENT_FILE, stamped, type EventFile } from './event-file.ts';
import { fold } from './fold.ts';
import { writeRecordFile } from './record-file.ts';
import type { Ended, NewScanEvent, ScanEvent } from './scan-event.ts';
import type { ScanListener, ScanRecord } from './scan-record.ts';

/** A scan in progress. Nothing else writes to its directory. */
export interface OpenScan {
  readonly directory: string;
  record(): ScanRecord;
  sequence(): number;
  /** Appends events in the order of the calls. They are durable when it resolves. */
  append(...events: NewScanEvent[]): Promise<void>;
  /** Reserves disk space for the events after the feeder stops, since pages may fill the disk. */
  reserveSpace(): Promise<void>;
  releaseSpace(): void;
  /** Updates `scan.json`. Only logs errors, because `events.jsonl` has everything. */
  writeRecord(): Promise<void>;
  /** Updates `scan.json` before it appends the last event. */
  end(event: Omit<Ended, 'at'>): Promise<void>;
  /** Call this after the last event. Logs disk errors instead of throwing. */
  close(): Promise<void>;
}

export interface OpenScanParts {
  readonly directory: string;
  readonly file: EventFile;
  readonly record: ScanRecord;
  readonly sequence: number;
  /** The event `begun` of a new scan, which the listener still has to receive. */
  readonly first?: ScanEvent;
  readonly listener: ScanListener;
  readonly onClose: () => void;
  readonly onClosed?: (isCurrent: boolean) => Promise<void>;
  readonly log: Log;
}

export function openScan(parts: OpenScanParts): OpenScan {
  const { directory, file } = parts;
  let { record, sequence } = parts;
  const { inTurn, settled } = createTurns();
  let isCurrent = true;
  let unwritten: readonly ScanEvent[] = [];

  async function write(added: readonly ScanEvent[]): Promise<void> {
    const events = [...unwritten, ...added];
    // Throws before anything is written if an event does not fit the record, which is a bug.
    const records = recordsAfter(record, events);
    try {
      await file.append(events);
      unwritten = [];
    } catch (error) {
      // The next write retries these events, except uploads and replacements, which do not happen
      // unless recorded.
      unwritten = events.filter(({ type }) => type !== 'upload_begun' && type !== 'replaced');
      throw error;
    }
    for (const [index, event] of events.entries()) {
      const before = record;
      record = records[index] ?? record;
      sequence += 1;
      notify(parts, event, { record, sequence, before });
    }
  }

  const append = (...events: NewScanEvent[]): Promise<void> =>
    inTurn(() => write(events.map(stamped)));

  const writeRecord = async (coming: readonly ScanEvent[] = []): Promise<void> => {
    await settled();
    const known = coming.length > 0 ? [...unwritten, ...coming].reduce(fold, record) : record;
    isCurrent = await writeRecordFile(directory, known, parts.log);
  };

  if (parts.first) notify(parts, parts.first, parts);

  return {
    directory,
    record: () => record,
    sequence: () => sequence,
    append,
    reserveSpace: () => inTurn(file.reserveSpace),
    releaseSpace: file.releaseSpace,
    writeRecord: () => writeRecord(),
    end: async (event) => {
      const ended = stamped(event);
      await writeRecord([ended]);
      await append(ended);
    },
    close: async () => {
      await settled();
      isCurrent = (await forgetIdleCall(parts, record)) ?? isCurrent;
      await closeFile(parts, record);
      await parts.onClosed?.(isCurrent);
    },
  };
}

function createTurns(): {
  readonly inTurn: (change: () => Promise<void>) => Promise<void>;
  readonly settled: () => Promise<void>;
} {
  let last: Promise<void> = Promise.resolve();
  return {
    inTurn: (change) => {
      const next = last.then(change);
      // The caller sees the error, but the next change still runs.
      last = next.catch(() => {});
      return next;
    },
    settled: () => last,
  };
}

function notify(
  { listener, log }: OpenScanParts,
  event: ScanEvent,
  {
    record,
    sequence,
    before,
  }: Pick<OpenScanParts, 'record' | 'sequence'> & { before?: ScanRecord },
): void {
  try {
    listener(event, record, sequence, before);
  } catch (error) {
    const facts = { event: 'listener_failed', scan_id: record.scan_id, err: error };
    log.error(facts, `A listener failed at the event "${event.type}".`);
  }
}

/**
 * Removes the events of a call that changed nothing, because callers may retry for months. Returns
 * whether `scan.json` is up to date, or undefined if it removed nothing.
 */
async function forgetIdleCall(
  parts: OpenScanParts,
  record: ScanRecord,
): Promise<boolean | undefined> {
  const { directory, log, file, record: before } = parts;
  if (record === before || !isDeepStrictEqual(withoutTimes(record), withoutTimes(before))) {
    return undefined;
  }
  try {
    await file.rewind();
    return await writeRecordFile(directory, before, log);
  } catch (error) {
    const facts = { event: 'call_not_forgotten', scan_id: record.scan_id, err: error };
    log.warn(facts, `The events of a call that changed nothing are still in ${EVENT_FILE}.`);
    return undefined;
  }
}

function withoutTimes(record: ScanRecord): object {
  return { ...record, ended_at: null, duration_ms: null, timings_ms: null };
}

/** Only logs disk errors: all events are already durable. */
async function closeFile({ file, log, onClose }: OpenScanParts, record: ScanRecord): Promise<void> {
  onClose();
  await file.close().catch((error: unknown) => {
    const facts = { event: 'events_not_closed', scan_id: record.scan_id, err: error };
    log.warn(facts, `${EVENT_FILE} could not be closed; what it holds is on the disk.`);
  });
}

function recordsAfter(record: ScanRecord, events: readonly ScanEvent[]): ScanRecord[] {
  const records: ScanRecord[] = [];
  for (const event of events) records.push(fold(records.at(-1) ?? record, event));
  return records;
}
