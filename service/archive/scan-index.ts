import { stat } from 'node:fs/promises';
import path from 'node:path';
import { EVENT_FILE } from './event-file.ts';
import { idsIn } from './scan-directory.ts';
import { readSummary } from './scan-summary.ts';
import type { ScanSummary } from './scan-view.ts';

/** What lists are made of, read again only when it has changed: a root may hold ten thousand scans. */
export interface ScanIndex {
  /** The ids of the scans in a root, oldest first. */
  ids(root: string): Promise<readonly string[]>;
  /** What a list shows of a scan that nobody works on; rejects where its events cannot be read. */
  summary(directory: string): Promise<ScanSummary>;
}

/** Summaries that are kept: those of some years. Each has some 500 bytes. */
const MAX_SUMMARIES = 10_000;

/** Clocks of file systems are coarse: what changed less than this before it was read may change again unseen. In milliseconds. */
const SETTLED_MS = 2000;

/** What a directory or a file was when it was read. */
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

/** Knows nothing at first. */
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

/** What was read while the file was as it is now; read anew otherwise. Callers at the same moment share one read. */
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
