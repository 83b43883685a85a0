import { lstat, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../helpers/error-code.ts';
import { Failure } from '../../helpers/failure.ts';
import { TEMPORARY_SUFFIX } from '../storage/write-atomically.ts';
import { EVENT_FILE, readEvents, type ReadEvents } from './event-file.ts';
import { SCAN_ID } from './scan-id.ts';
import type { ScanListener } from './scan-record.ts';

/** The directory of a scan below a root; undefined where it is not there. A link might lead out of the tree. */
export async function findBelow(root: string, id: string): Promise<string | undefined> {
  const directory = path.join(root, id);
  try {
    return (await lstat(directory)).isDirectory() ? directory : undefined;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    throw unreadable(directory, error);
  }
}

/** Scan ids in a root; one that is not there, or cannot be read, has none. */
export async function idsIn(root: string): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && SCAN_ID.test(entry.name))
    .map(({ name }) => name);
}

/**
 * Reads what is known of a scan from its directory. The settings name the root where the directory is now, wherever it was
 * when they were written. Calls `onEvent` for each event. Throws Failure `scan_record_unreadable`.
 */
export async function readRecord(directory: string, onEvent?: ScanListener): Promise<ReadEvents> {
  try {
    const { record, ...rest } = await readEvents(directory, onEvent);
    if (record.scan_id !== path.basename(directory)) throw new Error('it is that of another scan');
    const settings = { ...record.settings, paths: { output_dir: path.dirname(directory) } };
    return { record: { ...record, settings }, ...rest };
  } catch (error) {
    throw unreadable(directory, error);
  }
}

function unreadable(directory: string, cause: unknown): Failure {
  const reason = cause instanceof Error ? cause.message : 'unknown error';
  return new Failure(
    'scan_record_unreadable',
    `${EVENT_FILE} of this scan cannot be read (${reason.slice(0, 300)}). Its pages are untouched in ${directory}.`,
    { cause },
  );
}

/** Removes what a service that was killed left half-written. Never rejects: nothing reads these files. */
export async function removeTemporaryFiles(directory: string): Promise<void> {
  const names = await readdir(directory, { recursive: true }).catch(() => []);
  for (const name of names.filter((file) => file.endsWith(TEMPORARY_SUFFIX))) {
    await rm(path.join(directory, name), { force: true }).catch(() => {});
  }
}
