import { stat } from 'node:fs/promises';
import path from 'node:path';
import { openPlainFile } from '../../helpers/plain-file.ts';
import { EVENT_FILE, readEvents } from './event-file.ts';
import { idsIn } from './scan-directory.ts';
import { type ScanSummary, summaryOf, viewOf } from './scan-view.ts';
import type { Ended } from './scan-event.ts';
import { parseEvent } from './scan-event-schema.ts';

/** Caches what lists need, because an output directory may have ten thousand scans. */
export interface ScanIndex {
  /** Sorted, oldest first. */
  ids(root: string): Promise<readonly string[]>;
  /** The scan must not be open. Rejects if its events cannot be read. */
  summary(directory: string): Promise<ScanSummary>;
}

/** Maximum number of cached summaries, of about 500 bytes each. */
const MAX_SUMMARIES = 10_000;

/**
 * A file that changed less than this ago is read again, since it may change within one time stamp.
 */
const SETTLED_MS = 2000;

interface Version {
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
}

interface Kept<Value> {
  readonly version: Version;
  readonly isSettled: boolean;
  isBeingRead: boolean;
  readonly value: Promise<Value>;
}

export function createScanIndex(): ScanIndex {
  const roots = new Map<string, Kept<readonly string[]>>();
  const summaries = new Map<string, Kept<ScanSummary>>();
  return {
    ids: (root) =>
      lookUp(roots, { key: root, file: root }, async () => (await idsIn(root)).toSorted()),
    summary: async (directory) => {
      const where = { key: directory, file: path.join(directory, EVENT_FILE) };
      const value = await lookUp(summaries, where, () => readSummary(directory));
      for (const [oldest] of summaries) {
        if (summaries.size <= MAX_SUMMARIES) break;
        summaries.delete(oldest);
      }
      return value;
    },
  };
}

/** Returns the cached value if the file is unchanged. Concurrent callers share one read. */
async function lookUp<Value>(
  kept: Map<string, Kept<Value>>,
  { key, file }: { readonly key: string; readonly file: string },
  read: () => Promise<Value>,
): Promise<Value> {
  const version = await stat(file, { bigint: true });
  const known = kept.get(key);
  const isUsable = known && (known.isSettled || known.isBeingRead);
  if (isUsable && isSame(known.version, version)) return known.value;
  const isSettled = Date.now() - Number(version.mtimeNs / 1_000_000n) > SETTLED_MS;
  const entry = { version, isSettled, isBeingRead: true, value: read() };
  kept.delete(key);
  kept.set(key, entry);
  try {
    return await entry.value;
  } catch (error) {
    if (kept.get(key) === entry) kept.delete(key);
    throw error;
  } finally {
    entry.isBeingRead = false;
  }
}

function isSame(one: Version, other: Version): boolean {
  return one.ino === other.ino && one.size === other.size && one.mtimeNs === other.mtimeNs;
}

/**
 * Bytes to read from the end of the file. The last event is shorter: its error quotes a few lines
 * at most.
 */
const TAIL_BYTES = 16 * 1024;

/** Reads only the last event if the scan has ended. Throws an Error if the events are damaged. */
export async function readSummary(directory: string): Promise<ScanSummary> {
  const ended = await readEnded(directory);
  if (ended?.failed_deliveries === undefined) {
    return summaryOf(viewOf((await readEvents(directory)).record, false));
  }
  const { profile, state, started_at, at: ended_at, error } = ended;
  const { page_count, kept_page_count = null, document_count, failed_deliveries } = ended;
  const { title = null, first_page = null } = ended;
  return {
    scan_id: path.basename(directory),
    profile,
    state,
    started_at,
    ended_at,
    page_count,
    kept_page_count,
    document_count,
    failed_deliveries,
    title,
    first_page,
    error,
  };
}

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

/** Returns the newest ids of several sorted lists, without copying these. */
export function newest(
  roots: readonly { readonly root: string; readonly value: readonly string[] }[],
  { count, before }: { readonly count: number; readonly before: string | undefined },
): { root: string; id: string }[] {
  const candidates = roots.flatMap(({ root, value }) => {
    const index = before === undefined ? value.length : value.findIndex((id) => id >= before);
    const end = index === -1 ? value.length : index;
    return value.slice(Math.max(0, end - count), end).map((id): [string, string] => [id, root]);
  });
  return [...new Map(candidates)]
    .map(([id, root]) => ({ root, id }))
    .toSorted((one, other) => (one.id < other.id ? 1 : -1))
    .slice(0, count);
}
