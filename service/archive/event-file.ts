import { constants, open, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openPlainFile } from '../../helpers/plain-file.ts';
import { writeAtomically } from '../storage/write-atomically.ts';
import { fold, foldFirst } from './fold.ts';
import type { NewScanEvent, ScanEvent } from './scan-event.ts';
import { parseEvent } from './scan-event-schema.ts';
import type { ScanListener, ScanRecord } from './scan-record.ts';

/** Name of the events in a scan directory. */
export const EVENT_FILE = 'events.jsonl';

/** Largest file that is read, in bytes: a scan of 1,000 pages, each a document of its own, delivered twice, has 2 MB. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Blanks after the last event, which readers take for a torn line: more than the warnings of a feeder and the end of a scan have. */
const ROOM = Buffer.alloc(16 * 1024, ' ');

/** Events that are checked in one piece; other callers get their turn after it. */
const EVENTS_PER_TURN = 50;

/** The events of a scan under way. Appending is for one caller at a time; `open-scan.ts` sees to that. */
export interface EventFile {
  /** Appends in one write, and resolves when all of it is durable. After a rejection none of it counts. */
  append(events: readonly ScanEvent[]): Promise<void>;
  /** Keeps room for some events more than each `append` writes, as long as `giveRoom` is not called. Not beside an `append`. */
  readonly keepRoom: () => Promise<void>;
  readonly giveRoom: () => void;
  /** Takes back all that was appended. */
  rewind(): Promise<void>;
  close(): Promise<void>;
}

/** Begins the file with its first event; it is there whole and durable, or not at all. */
export async function createEventFile(directory: string, first: ScanEvent): Promise<EventFile> {
  const line = lineOf(first);
  await writeAtomically(path.join(directory, EVENT_FILE), line);
  return reopenEventFile(directory, Buffer.byteLength(line));
}

/** Opens the file of a scan that is taken up again, to be appended to after its last whole line. */
export async function reopenEventFile(directory: string, wholeBytes: number): Promise<EventFile> {
  // Without O_CREAT: where somebody removed the directory, a new file would hold only the end of the story.
  const flags = constants.O_RDWR | constants.O_NOFOLLOW;
  const file = path.join(directory, EVENT_FILE);
  const handle = await open(file, flags);
  let length = wholeBytes;
  let keepsRoom = false;
  let hasRoom = false;
  return {
    append: async (events) => {
      const content = Buffer.from(events.map(lineOf).join(''));
      // What has room is written over the blanks: cut off first, the room might be taken by another file.
      await cutTo(file, handle, { length, isCut: !hasRoom });
      await writeAll(handle, keepsRoom ? Buffer.concat([content, ROOM]) : content, length);
      if (hasRoom && !keepsRoom) {
        await handle.truncate(length + content.length);
        hasRoom = false;
      }
      // Syncs the length too, without which the content cannot be found; the name was durable before.
      await handle.datasync();
      length += content.length;
    },
    keepRoom: async () => {
      await writeAll(handle, ROOM, length);
      await handle.datasync();
      keepsRoom = hasRoom = true;
    },
    giveRoom: () => {
      keepsRoom = false;
    },
    rewind: () => handle.truncate(wholeBytes),
    close: () => handle.close(),
  };
}

/** Removes what a write left that did not reach its end. Rejects where the file is no longer in its place. */
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

/** An event with the time at which it is appended. */
export function stamped<Event extends NewScanEvent>(event: Event): Event & { at: string } {
  return { at: new Date().toISOString(), ...event };
}

export interface ReadEvents {
  readonly record: ScanRecord;
  /** Up to the end of the last whole line. */
  readonly wholeBytes: number;
  /** Number of the last event: that of its line. */
  readonly sequence: number;
}

/** Gives up a read of a disk that does not answer. What is done with the content takes as long as there are events. */
export type InTime = <T>(read: () => Promise<T>) => Promise<T>;

/**
 * Reads the events of a scan directory and folds them. A last line that is torn, at its end or by a disk that wrote its end
 * first, is left out: nothing was begun on the strength of it. Calls `onEvent` for each event that this version knows.
 * Throws an Error that says what is wrong, with the number of the line.
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
  return { record, wholeBytes, sequence: lines.length };
}

/** The lines of the events of a scan, without a torn one at the end. Rejects with the file system's error. */
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

/** Length of the lines before a torn one. */
function wholeLines(content: Buffer): number {
  const end = content.lastIndexOf('\n') + 1;
  const begin = content.subarray(0, Math.max(0, end - 1)).lastIndexOf('\n') + 1;
  // What a disk did not write reads as zeros, which no JSON has.
  return content.subarray(begin, end).includes(0) ? begin : end;
}

function next(
  record: ScanRecord | undefined,
  line: string,
  number: number,
  onEvent: ScanListener,
): ScanRecord | undefined {
  try {
    // What an editor leaves: a mark of the byte order at the begin, and empty lines.
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
