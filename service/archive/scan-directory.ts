import { lstat, mkdir, readdir, rename, rm, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { isMissing } from '../../helpers/error-code.ts';
import { Failure } from '../../helpers/failure.ts';
import { syncDirectory, temporaryName, TEMPORARY_FILE } from '../storage/write-atomically.ts';
import {
  createEventFile,
  EVENT_FILE,
  readEvents,
  reopenEventFile,
  type EventFile,
  type InTime,
  type ReadEvents,
} from './event-file.ts';
import type { ScanEvent } from './scan-event.ts';
import { RECOGNIZED_DIRECTORY } from './file-names.ts';
import { SCAN_ID } from './scan-id.ts';
import type { ScanListener, ScanRecord } from './scan-record.ts';

/** True for the temporary directory of a scan that did not begin. */
function isUnbegun(name: string): boolean {
  return TEMPORARY_FILE.test(name) && SCAN_ID.test(name.slice(0, name.indexOf('.')));
}

/**
 * Creates a scan directory together with its first event, or nothing. Before the first scan in an
 * output directory, removes temporary directories that a killed service left there. Rejects if the
 * scan directory is not empty.
 */
export function scanDirectories(): (directory: string, first: ScanEvent) => Promise<EventFile> {
  const tidied = new Map<string, Promise<void>>();
  return async (directory, first) => {
    const root = path.dirname(directory);
    const tidy = tidied.get(root) ?? removeUnbegunScans(root);
    tidied.set(root, tidy);
    await tidy;
    return createScanDirectory(directory, first);
  };
}

async function removeUnbegunScans(root: string): Promise<void> {
  const names = await readdir(root).catch(() => []);
  for (const name of names.filter(isUnbegun)) {
    await rm(path.join(root, name), { recursive: true, force: true }).catch(() => {});
  }
}

async function createScanDirectory(directory: string, first: ScanEvent): Promise<EventFile> {
  const temporary = temporaryName(directory);
  await mkdir(temporary);
  try {
    await (await createEventFile(temporary, first)).close();
    await rename(temporary, directory);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw error;
  }
  await syncDirectory(path.dirname(directory));
  const { size } = await stat(path.join(directory, EVENT_FILE));
  return reopenEventFile(directory, size);
}

/** Undefined if the scan is not there. Ignores symbolic links, which may lead elsewhere. */
export async function findBelow(root: string, id: string): Promise<string | undefined> {
  const directory = path.join(root, id);
  try {
    return (await lstat(directory)).isDirectory() ? directory : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw unreadable(directory, error);
  }
}

/** Returns no ids if the directory does not exist. Rejects if it cannot be read. */
export async function idsIn(root: string): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  return entries
    .filter((entry) => entry.isDirectory() && SCAN_ID.test(entry.name))
    .map(({ name }) => name);
}

/**
 * Returns the record with the current output directory, even if the scan was moved. Throws Failure
 * `scan_record_unreadable`.
 */
export async function readRecord(
  directory: string,
  onEvent?: ScanListener,
  inTime?: InTime,
): Promise<ReadEvents> {
  try {
    const { record, ...rest } = await readEvents(directory, onEvent, inTime);
    if (record.scan_id !== path.basename(directory)) throw new Error('it is that of another scan');
    const settings = { ...record.settings, paths: { output_dir: path.dirname(directory) } };
    return { record: { ...record, settings }, ...rest };
  } catch (error) {
    // A Failure means that the disk did not answer, not that the record is damaged.
    throw error instanceof Failure ? error : unreadable(directory, error);
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

/** A scan with a larger record can still be read, but not resumed. */
const MAX_BYTES_TO_RESUME = 8 * 1024 * 1024;

/** Lower than for resuming, so that an edited scan can still be filed. */
const MAX_BYTES_TO_EDIT = 6 * 1024 * 1024;

export type Purpose = 'call' | 'edit';

/** Throws Failure `scan_not_resumable` or `scan_not_editable` if the record is too large. */
export function checkSize(record: ScanRecord, bytes: number, purpose: Purpose): void {
  if (bytes > MAX_BYTES_TO_RESUME) throw notResumable(record, bytes);
  if (purpose === 'edit' && bytes > MAX_BYTES_TO_EDIT) throw notEditable(record, bytes);
}

function notResumable({ pages }: ScanRecord, bytes: number): Failure {
  const [first, last] = [pages[0]?.filename, pages.at(-1)?.filename];
  return new Failure(
    'scan_not_resumable',
    `This scan has been resumed so often that its record has ${Math.round(bytes / 1e6)} MB. Its documents and its pages, ` +
      `${first} to ${last}, stay in its directory: upload them by hand.`,
  );
}

function notEditable({ scan_id }: ScanRecord, bytes: number): Failure {
  const what = `This scan has been edited so often that its record has ${Math.round(bytes / 1e6)} MB.`;
  return new Failure('scan_not_editable', what, {
    remedy: `File it as it is: POST {} to /scans/${scan_id}/resume.`,
    facts: { scan_id },
  });
}

/** Removes the service's own temporary files. Follows no links. Never rejects. */
export async function removeTemporaryFiles(directory: string): Promise<void> {
  for (const place of [directory, path.join(directory, RECOGNIZED_DIRECTORY)]) {
    const isOurs = await lstat(place).then(
      (found) => found.isDirectory(),
      () => false,
    );
    const names = isOurs ? await readdir(place).catch(() => []) : [];
    for (const name of names.filter((one) => TEMPORARY_FILE.test(one))) {
      await unlink(path.join(place, name)).catch(() => {});
    }
  }
}
