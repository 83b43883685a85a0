import { constants, open, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openPlainFile } from '../../helpers/plain-file.ts';
import { writeAtomically } from '../storage/write-atomically.ts';
import { fold, foldFirst } from './fold.ts';
import { afterCutOff } from './scan-again.ts';
import type { NewScanEvent, ScanEvent } from './scan-event.ts';
import { parseEvent } from './scan-event-schema.ts';
import type { ScanListener, ScanRecord } from './scan-record.ts';

export const EVENT_FILE = 'events.jsonl';

/**
 * Maximum size of `events.jsonl`. A scan of 1,000 pages, each a document with two deliveries, takes
 * 2 MB.
 */
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Blanks after the events, which reserve disk space for more. Readers take them for an incomplete
 * line.
 */
const RESERVED_BYTES = Buffer.alloc(16 * 1024, ' ');

/** Events to parse before other callers get a turn. */
const EVENTS_PER_TURN = 50;

/** The `events.jsonl` of an open scan. Calls to `append` must not overlap. */
export interface EventFile {
  /**
   * Resolves when the events are durable. If it rejects, the next `append` overwrites what was
   * written.
   */
  append(events: readonly ScanEvent[]): Promise<void>;
  /**
   * Reserves disk space, again with each `append`, until `releaseSpace`. Must not overlap `append`.
   */
  readonly reserveSpace: () => Promise<void>;
  readonly releaseSpace: () => void;
  /** Removes everything appended since the file was opened. */
  rewind(): Promise<void>;
  close(): Promise<void>;
}

export async function createEventFile(directory: string, first: ScanEvent): Promise<EventFile> {
  const line = lineOf(first);
  await writeAtomically(path.join(directory, EVENT_FILE), line);
  return reopenEventFile(directory, Buffer.byteLength(line));
}

/** Opens an existing file. `append` writes after the first `wholeBytes`. */
export async function reopenEventFile(directory: string, wholeBytes: number): Promise<EventFile> {
  // Without O_CREAT: if the file is gone, a new one would lack the earlier events.
  const flags = constants.O_RDWR | constants.O_NOFOLLOW;
  const file = path.join(directory, EVENT_FILE);
  const handle = await open(file, flags);
  let length = wholeBytes;
  let keepsReserve = false;
  let hasReserve = false;
  return {
    append: async (events) => {
      const content = Buffer.from(events.map(lineOf).join(''));
      // Overwrites the reserved blanks, because truncating would give their space to other files.
      await cutTo(file, handle, { length, isCut: !hasReserve });
      await writeAll(
        handle,
        keepsReserve ? Buffer.concat([content, RESERVED_BYTES]) : content,
        length,
      );
      if (hasReserve && !keepsReserve) {
        await handle.truncate(length + content.length);
        hasReserve = false;
      }
      // Also syncs the length of the file. Its name is already durable.
      await handle.datasync();
      length += content.length;
    },
    reserveSpace: async () => {
      await writeAll(handle, RESERVED_BYTES, length);
      await handle.datasync();
      keepsReserve = hasReserve = true;
    },
    releaseSpace: () => {
      keepsReserve = false;
    },
    rewind: () => handle.truncate(wholeBytes),
    close: () => handle.close(),
  };
}

/** Removes an incomplete line. Rejects if the file was removed or truncated. */
async function cutTo(
  file: string,
  handle: FileHandle,
  { length, isCut }: { readonly length: number; readonly isCut: boolean },
): Promise<void> {
  const { size } = await stat(file);
  if (size < length) throw new Error(`${EVENT_FILE} was cut off by another program`);
  if (size > length && isCut) await handle.truncate(length);
}

async function writeAll(handle: FileHandle, content: Buffer, position: number): Promise<void> {
  let written = 0;
  while (written < content.length) {
    const rest = content.length - written;
    written += (await handle.write(content, written, rest, position + written)).bytesWritten;
  }
}

function lineOf(event: ScanEvent): string {
  return `${JSON.stringify(event)}\n`;
}

export function stamped<Event extends NewScanEvent>(event: Event): Event & { at: string } {
  return { at: new Date().toISOString(), ...event };
}

export interface ReadEvents {
  readonly record: ScanRecord;
  /** Bytes up to the end of the last complete line. */
  readonly wholeBytes: number;
  readonly sequence: number;
}

/** Runs a read and rejects if the disk does not answer in time. */
export type InTime = <T>(read: () => Promise<T>) => Promise<T>;

/**
 * Reads the events of a scan and folds them into its record. Skips events of unknown type and an
 * incomplete last line. Throws an Error that names the damaged line.
 */
export async function readEvents(
  directory: string,
  onEvent: ScanListener = () => {},
  inTime: InTime = (read) => read(),
): Promise<ReadEvents> {
  const { lines, wholeBytes } = await inTime(() => readLines(directory));
  let record: ScanRecord | undefined;
  for (const [index, line] of lines.entries()) {
    record = next(record, line, index + 1, onEvent);
    if (index % EVENTS_PER_TURN === EVENTS_PER_TURN - 1) await nextTurn();
  }
  if (record === undefined) throw new Error(`${EVENT_FILE} holds no event`);
  return { record: afterCutOff(record), wholeBytes, sequence: lines.length };
}

/** Returns the lines of the event file, without an incomplete last one. */
export async function readEventLines(directory: string): Promise<readonly string[]> {
  return (await readLines(directory)).lines;
}

async function readLines(directory: string): Promise<Lines> {
  const content = await readContent(path.join(directory, EVENT_FILE));
  const wholeBytes = wholeLines(content);
  return {
    lines: content.toString('utf8', 0, wholeBytes).split('\n').slice(0, -1),
    wholeBytes,
  };
}

interface Lines {
  readonly lines: readonly string[];
  readonly wholeBytes: number;
}

function wholeLines(content: Buffer): number {
  const end = content.lastIndexOf('\n') + 1;
  const begin = content.subarray(0, Math.max(0, end - 1)).lastIndexOf('\n') + 1;
  // After a power cut, unwritten blocks read as zeros, which JSON never contains.
  return content.subarray(begin, end).includes(0) ? begin : end;
}

function next(
  record: ScanRecord | undefined,
  line: string,
  number: number,
  onEvent: ScanListener,
): ScanRecord | undefined {
  try {
    // Text editors may add a byte order mark or empty lines.
    const text = number === 1 ? line.replace(/^\uFEFF/u, '') : line;
    const event = text.trim() === '' ? undefined : parseEvent(text);
    if (event === undefined) return record;
    const after = record ? fold(record, event) : foldBegun(event);
    onEvent(event, after, number, record);
    return after;
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown error';
    throw new Error(`${EVENT_FILE}, line ${number}: ${reason}`, { cause: error });
  }
}

function foldBegun(event: ScanEvent): ScanRecord {
  if (event.type !== 'begun') throw new Error('the first event must be "begun"');
  return foldFirst(event);
}

async function readContent(file: string): Promise<Buffer> {
  const { handle, bytes } = await openPlainFile(file);
  try {
    if (bytes > MAX_BYTES) throw new Error(`${EVENT_FILE} has ${bytes} bytes`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}
