import { isDeepStrictEqual } from 'node:util';
import type { Log } from '../../helpers/log.ts';
import { EVENT_FILE, stamped, type EventFile } from './event-file.ts';
import { fold } from './fold.ts';
import { writeRecordFile } from './record-file.ts';
import type { Ended, NewScanEvent, ScanEvent } from './scan-event.ts';
import type { ScanListener, ScanRecord } from './scan-record.ts';

/** A scan that is being worked on: the only writer of its directory. */
export interface OpenScan {
  readonly directory: string;
  /** What is durably known. */
  record(): ScanRecord;
  /** Number of the last durable event. */
  sequence(): number;
  /** Resolves when the events are durable. They are appended in the order of the calls. */
  append(...events: NewScanEvent[]): Promise<void>;
  /** Keeps room in the events for those that tell how the feeder stopped: the disk may be full by then. */
  keepRoom(): Promise<void>;
  /** From now on events may take that room. */
  giveRoom(): void;
  /** Brings `scan.json` up to date; never rejects, as the events hold everything. */
  writeRecord(): Promise<void>;
  /** Appends the last event, after `scan.json` says the same: nobody looks after a scan again whose end is recorded. */
  end(event: Omit<Ended, 'at'>): Promise<void>;
  /** To be called when nothing more will be appended. An error of the disk is logged, not thrown. */
  close(): Promise<void>;
}

export interface OpenScanParts {
  readonly directory: string;
  readonly file: EventFile;
  readonly record: ScanRecord;
  /** Number of the last event that `record` knows. */
  readonly sequence: number;
  /** The event that the scan just began with; the listener has yet to hear of it. */
  readonly first?: ScanEvent;
  readonly listener: ScanListener;
  readonly onClose: () => void;
  /** Called last; `isCurrent` is whether `scan.json` is up to date. */
  readonly onClosed?: (isCurrent: boolean) => Promise<void>;
  readonly log: Log;
}

/** Appends to the events of a scan, and keeps the fold of them. */
export function openScan(parts: OpenScanParts): OpenScan {
  const { directory, file } = parts;
  let { record, sequence } = parts;
  const { inTurn, settled } = createTurns();
  let isCurrent = true;
  let unwritten: readonly ScanEvent[] = [];

  async function write(added: readonly ScanEvent[]): Promise<void> {
    const events = [...unwritten, ...added];
    // One that cannot follow what is recorded is a bug: it is thrown here and never reaches the disk.
    const records = recordsAfter(record, events);
    try {
      await file.append(events);
      unwritten = [];
    } catch (error) {
      // What happened is written as soon as the disk lets us; an upload that could not be written down has not begun.
      unwritten = events.filter(({ type }) => type !== 'upload_begun');
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
    keepRoom: () => inTurn(file.keepRoom),
    giveRoom: file.giveRoom,
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

/** Runs changes one at a time, in the order of the calls. */
function createTurns(): {
  readonly inTurn: (change: () => Promise<void>) => Promise<void>;
  readonly settled: () => Promise<void>;
} {
  let last: Promise<void> = Promise.resolve();
  return {
    inTurn: (change) => {
      const next = last.then(change);
      // One that fails is its caller's; the next one may succeed.
      last = next.catch(() => {});
      return next;
    },
    settled: () => last,
  };
}

/** What a listener throws must not break the scan that it follows. */
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
 * Takes back the events of a call that left everything as it was, such as one more delivery to a system that is down: a caller
 * may resume every few minutes for months. Never rejects: more events say the same. Resolves with whether `scan.json` is up to
 * date, or undefined if nothing was taken back.
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

/** Logs an error of the disk: each event was durable when it was appended, and a late error takes none of them back. */
async function closeFile({ file, log, onClose }: OpenScanParts, record: ScanRecord): Promise<void> {
  onClose();
  await file.close().catch((error: unknown) => {
    const facts = { event: 'events_not_closed', scan_id: record.scan_id, err: error };
    log.warn(facts, `${EVENT_FILE} could not be closed; what it holds is on the disk.`);
  });
}

/** The record after each of the events. */
function recordsAfter(record: ScanRecord, events: readonly ScanEvent[]): ScanRecord[] {
  const records: ScanRecord[] = [];
  for (const event of events) records.push(fold(records.at(-1) ?? record, event));
  return records;
}
