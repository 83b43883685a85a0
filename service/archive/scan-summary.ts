import path from 'node:path';
import { EVENT_FILE, readEvents } from './event-file.ts';
import { openPlainFile } from './scan-file.ts';
import type { Ended } from './scan-event.ts';
import { parseEvent } from './scan-event-schema.ts';
import { summaryOf, viewOf, type ScanSummary } from './scan-view.ts';

/** The last event of a scan that has ended is shorter, whatever the scan holds: its error quotes at most a few lines. */
const TAIL_BYTES = 16 * 1024;

/**
 * The summary of a scan that lies in a directory. Of a scan that has ended only the last event is read: a list costs the
 * same whatever the scans hold. Throws an Error that says what is wrong with the events.
 */
export async function readSummary(directory: string): Promise<ScanSummary> {
  const ended = await readEnded(directory);
  if (ended?.failed_deliveries === undefined) {
    return summaryOf(viewOf((await readEvents(directory)).record, false));
  }
  const { profile, state, started_at, at: ended_at, error } = ended;
  const { page_count, document_count, failed_deliveries, title = null } = ended;
  return {
    scan_id: path.basename(directory),
    profile,
    state,
    started_at,
    ended_at,
    page_count,
    document_count,
    failed_deliveries,
    title,
    error,
  };
}

/** The last event; undefined where the scan has not ended. */
async function readEnded(directory: string): Promise<Ended | undefined> {
  const { handle, bytes } = await openPlainFile(path.join(directory, EVENT_FILE));
  try {
    const buffer = Buffer.alloc(Math.min(bytes, TAIL_BYTES));
    await handle.read(buffer, 0, buffer.length, bytes - buffer.length);
    const tail = buffer.toString('utf8');
    if (!tail.endsWith('\n')) return undefined;
    return parseEnded(tail.slice(tail.lastIndexOf('\n', tail.length - 2) + 1));
  } finally {
    await handle.close();
  }
}

function parseEnded(line: string): Ended | undefined {
  try {
    const event = parseEvent(line);
    return event?.type === 'ended' ? event : undefined;
  } catch {
    return undefined;
  }
}
