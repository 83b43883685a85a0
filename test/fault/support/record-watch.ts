import { watch } from 'node:fs/promises';
import { readStoredRecord, type StoredRecord } from '../../support/stored-record.ts';
import { within } from '../../support/within.ts';

/** For a scan of some pages to get anywhere, on a machine that is busy with OCR. */
const REACH_MS = 30_000;

/** Resolves when `events.jsonl` in the directory says what is waited for. */
export async function recordReaches(
  directory: string,
  isReached: (record: StoredRecord) => boolean,
): Promise<void> {
  const stop = new AbortController();
  try {
    await within(REACH_MS, watchRecord(directory, isReached, stop.signal), 'the state of the scan');
  } finally {
    stop.abort();
  }
}

async function watchRecord(
  directory: string,
  isReached: (record: StoredRecord) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const changes = watch(directory, { signal });
  // The watch begins at the first look for a change.
  const first = changes.next();
  if (isReached(await readStoredRecord(directory))) return void first.catch(() => {});
  await first;
  for await (const _ of changes) if (isReached(await readStoredRecord(directory))) return;
}
