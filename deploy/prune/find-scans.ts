import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { EVENT_FILE } from '../../service/archive/event-file.ts';
import { idsIn, readRecord } from '../../service/archive/scan-directory.ts';
import { compareStoredPages } from '../../service/archive/stored-pages.ts';
import { whyKept, type Kept } from './judge-scan.ts';

export interface OldScan {
  readonly directory: string;
  readonly endedAt: string;
  readonly pages: number;
  readonly title: string;
  readonly bytes: number;
}

export interface FoundScans {
  /** Oldest first. */
  readonly old: readonly OldScan[];
  readonly kept: ReadonlyMap<Kept | 'unreadable', number>;
}

/** Rejects if `root` cannot be read. Counts scans with unreadable events in `kept`. */
export async function findScans(root: string, before: Date): Promise<FoundScans> {
  await readdir(root);
  const old: OldScan[] = [];
  const kept = new Map<Kept | 'unreadable', number>();
  for (const id of (await idsIn(root)).toSorted()) {
    const directory = path.join(root, id);
    const found = await lookAt(directory, before);
    if (typeof found === 'string') kept.set(found, (kept.get(found) ?? 0) + 1);
    else old.push(found);
  }
  return { old, kept };
}

async function lookAt(directory: string, before: Date): Promise<OldScan | Kept | 'unreadable'> {
  try {
    const { mtime } = await lstat(path.join(directory, EVENT_FILE));
    const { record } = await readRecord(directory);
    const reason = whyKept(record, { changedAt: mtime, before });
    if (reason !== undefined) return reason;
    const { unrecorded } = await compareStoredPages(directory, record);
    if (unrecorded.length > 0) return 'with pages that are in no document';
    const { pages, documents, ended_at } = record;
    const title = documents[0]?.title ?? '';
    return {
      directory,
      endedAt: ended_at ?? '',
      pages: pages.length,
      title,
      bytes: await bytesIn(directory),
    };
  } catch {
    return 'unreadable';
  }
}

/** Does not follow links or enter other file systems. */
async function bytesIn(directory: string): Promise<number> {
  const { dev } = await lstat(directory);
  const left = [directory];
  let bytes = 0;
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    for (const name of await readdir(next)) {
      const file = path.join(next, name);
      const found = await lstat(file);
      if (found.dev !== dev) continue;
      bytes += found.size;
      if (found.isDirectory()) left.push(file);
    }
  }
  return bytes;
}
