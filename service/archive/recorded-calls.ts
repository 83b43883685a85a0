import { createHash } from 'node:crypto';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isMissing, isTransient } from '../../helpers/error-code.ts';
import { Failure } from '../../helpers/failure.ts';
import { storageFailure } from '../storage/storage-failure.ts';
import { readEventLines, type InTime } from './event-file.ts';
import type { BegunCall, CallIdentity, ScanEvent } from './scan-event.ts';
import { parseEvent } from './scan-event-schema.ts';
import { createScanId } from './scan-id.ts';
import type { ScanListener } from './scan-record.ts';

/** How long a key is remembered. Callers retry within a day. */
const KEY_LIFETIME_MS = 24 * 60 * 60 * 1000;

const TIME_LENGTH = '20261121T063000Z'.length;

/** Time limit for searching the other output directories. */
const ELSEWHERE_MS = 1000;

/** A call that fed paper or tried to. */
export interface RecordedCall extends BegunCall {
  readonly scanId: string;
}

/** Finds a call by its idempotency key. Keys are stored only in the events of scans. */
export interface RecordedCalls {
  readonly note: ScanListener;
  /**
   * Returns the last call with this key within a day. Throws Failure `idempotency_key_reused` if
   * its request was different. If the disk cannot be read, throws `insufficient_storage` or
   * `internal_error`, since paper must not be fed twice.
   */
  readonly recall: (call: CallIdentity, where: CallPlace) => Promise<RecordedCall | undefined>;
}

export interface CallPlace {
  readonly root: string;
  /** The scan that gets more paper is searched even if it is older than a day. */
  readonly scanId?: string | undefined;
}

export interface RecordedCallsParts {
  readonly roots: () => readonly string[];
  readonly ids: (root: string) => Promise<readonly string[]>;
  readonly inTime: (root: string) => InTime;
}

interface Noted extends RecordedCall {
  /** A reading of `performance.now()`, which changes of the clock do not affect. */
  readonly begunAt: number;
}

/** Returns SHA-256 hashes. The order of fields in the request does not matter. */
export function callIdentity(key: string, request: object): CallIdentity {
  const asked = JSON.stringify(request, (_, value: unknown) => sortFields(value));
  return { key: sha256(key), asked: sha256(asked) };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function sortFields(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Remembers new calls. Looking up a key reads the last day's scans from disk, each one once. */
export function createRecordedCalls(parts: RecordedCallsParts): RecordedCalls {
  const noted = new Map<string, Noted>();
  const found = new Map<string, Noted>();
  const read = new Map<string, Set<string>>();

  async function readScans(place: CallPlace): Promise<void> {
    const { root } = place;
    const recent = await recentIds(parts, place);
    const known = read.get(root) ?? new Set();
    for (const id of recent.filter((one) => !known.has(one))) {
      const begun = await parts.inTime(root)(() => callsIn(path.join(root, id)));
      for (const { call, at } of begun) {
        const begunAt = performance.now() - Math.max(0, Date.now() - Date.parse(at));
        // A scan that was read earlier may contain a later call with this key.
        if (begunAt < (found.get(call.key)?.begunAt ?? -Infinity)) continue;
        keep(found, { ...call, scanId: id, begunAt });
      }
    }
    read.set(root, new Set(recent));
  }

  return {
    note: (event, { scan_id: scanId, settings }) => {
      if (event.type === 'begun') read.get(settings.paths.output_dir)?.add(scanId);
      const call = callOf(event);
      if (call) keep(noted, { ...call, scanId, begunAt: performance.now() });
    },
    recall: async ({ key, asked }, place) => {
      const others = parts.roots().filter((root) => root !== place.root);
      const elsewhere = Promise.allSettled(others.map((root) => readScans({ root })));
      const timeout = wait(ELSEWHERE_MS, undefined, { ref: false });
      await readScans(place).catch(rethrowAsFailure);
      await Promise.race([elsewhere, timeout]);
      const call = noted.get(key) ?? found.get(key);
      if (call === undefined || isExpired(call)) return undefined;
      if (call.asked === asked) return call;
      const message =
        'This Idempotency-Key came with another request before. Use a new key for each scan, and the same key only to try again.';
      throw new Failure('idempotency_key_reused', message, { facts: { scan_id: call.scanId } });
    },
  };
}

/** Returns the scans of the last day, oldest first, and the scan that gets more paper. */
async function recentIds(
  { ids }: RecordedCallsParts,
  { root, scanId }: CallPlace,
): Promise<string[]> {
  const since = createScanId(new Date(Date.now() - KEY_LIFETIME_MS)).slice(0, TIME_LENGTH);
  const all = await ids(root).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  return all.filter((id) => id >= since || id === scanId);
}

/** Replaces an earlier call with the same key, and drops calls older than a day. */
function keep(calls: Map<string, Noted>, call: Noted): void {
  calls.delete(call.key);
  calls.set(call.key, call);
  for (const [key, oldest] of calls) {
    if (!isExpired(oldest)) break;
    calls.delete(key);
  }
}

function isExpired({ begunAt }: Noted): boolean {
  return performance.now() - begunAt > KEY_LIFETIME_MS;
}

function callOf(event: ScanEvent): BegunCall | undefined {
  return event.type === 'begun' || event.type === 'resumed' ? event.call : undefined;
}

interface CallEvent {
  readonly call: BegunCall;
  readonly at: string;
}

/**
 * Returns the calls of a scan, without parsing other events. Returns none if the events are
 * damaged, so as not to block scanning. Rejects with temporary errors.
 */
async function callsIn(directory: string): Promise<CallEvent[]> {
  const lines = await readEventLines(directory).catch((error: unknown) => {
    if (isTransient(error)) throw error;
    return [];
  });
  return lines.filter((line) => line.includes('"call":')).flatMap(callEvents);
}

function callEvents(line: string): CallEvent[] {
  try {
    const event = parseEvent(line);
    const call = event && callOf(event);
    return call ? [{ call, at: event.at }] : [];
  } catch {
    return [];
  }
}

function rethrowAsFailure(error: unknown): never {
  if (error instanceof Failure) throw error;
  const message =
    'What this Idempotency-Key was used for cannot be read; nothing was fed. See the service log.';
  throw storageFailure(error) ?? new Failure('internal_error', message, { cause: error });
}
